package check

import "slices"

// preds is a relation on the transactions of a form: session order, write-read,
// and more edges, given by what comes directly before a transaction.
type preds struct {
	f   *form
	off []int32 // more edges into t: from[off[t]:off[t+1]]
	src []int32
}

// newPreds makes so ∪ wr ∪ more.
func newPreds(f *form, more []edge) *preds {
	p := &preds{f: f}
	if len(more) == 0 {
		return p
	}
	p.off = make([]int32, f.n+1)
	p.src = make([]int32, len(more))
	for _, e := range more {
		p.off[e.to+1]++
	}
	for t := range f.n {
		p.off[t+1] += p.off[t]
	}
	next := slices.Clone(p.off[:f.n])
	for _, e := range more {
		p.src[next[e.to]] = e.from
		next[e.to]++
	}
	return p
}

// degree returns how many predecessors t has, repetitions included.
func (p *preds) degree(t int32) int {
	d := 1 + int(p.f.readOff[t+1]-p.f.readOff[t])
	if p.off != nil {
		d += int(p.off[t+1] - p.off[t])
	}
	return d
}

// at returns the i-th predecessor of t, or -1 for none.
func (p *preds) at(t int32, i int) int32 {
	if i == 0 {
		return p.f.prev[t]
	}
	i--
	if r := p.f.readsOf(t); i < len(r) {
		return r[i].from
	} else {
		i -= len(r)
	}
	return p.src[int(p.off[t])+i]
}

// sort returns the transactions in an order that extends the relation, or, when there
// is none, a cycle. Each transaction of a cycle is a direct predecessor of the next,
// and the last of the first.
func (p *preds) sort() (order, cycle []int32) {
	const unseen, open, done = 0, 1, 2
	state := make([]uint8, p.f.n)
	next := make([]int32, 0, 1024) // of the open transactions, the predecessor to look at
	path := make([]int32, 0, 1024) // the open transactions
	order = make([]int32, 0, p.f.n)
	for root := int32(0); int(root) < p.f.n; root++ {
		if state[root] != unseen {
			continue
		}
		path, next = append(path, root), append(next, 0)
		state[root] = open
		for len(path) > 0 {
			k := len(path) - 1
			t := path[k]
			if int(next[k]) == p.degree(t) {
				state[t] = done
				order = append(order, t)
				path, next = path[:k], next[:k]
				continue
			}
			u := p.at(t, int(next[k]))
			next[k]++
			if u < 0 || state[u] == done {
				continue
			}
			if state[u] == open {
				return nil, p.shorten(u)
			}
			state[u] = open
			path, next = append(path, u), append(next, 0)
		}
	}
	return order, nil
}

// shorten returns a shortest cycle through t, which is on one.
func (p *preds) shorten(t int32) []int32 {
	return p.path(func(u int32) bool { return u == t }, t)
}

// path returns a shortest non-empty path to t from a transaction that the
// function accepts. When that is t itself, it stands only at the beginning. The
// path is nil when there is none.
func (p *preds) path(accept func(int32) bool, t int32) []int32 {
	after := make(map[int32]int32) // what was reached → its successor on the path
	queue := []int32{t}
	for len(queue) > 0 {
		u := queue[0]
		queue = queue[1:]
		for i := range p.degree(u) {
			v := p.at(u, i)
			if v < 0 {
				continue
			}
			if accept(v) {
				path := []int32{v}
				for w := u; ; w = after[w] {
					if w != v || w != t {
						path = append(path, w)
					}
					if w == t {
						break
					}
				}
				return path
			}
			if _, ok := after[v]; !ok && v != t {
				after[v] = u
				queue = append(queue, v)
			}
		}
	}
	return nil
}
