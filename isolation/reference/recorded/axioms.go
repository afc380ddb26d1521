package recorded

import "github.com/txmc/txmc/isolation/reference"

// relations are what the axioms of the levels speak about, when read i is from from[i]. The
// transactions of the run, by their positions in the commit order, are numbered from 1: 0 is the
// initial one. What nobody reads counts as well: at SI transactions conflict by what they write.
func (r *run) relations(from []int) *reference.Relations {
	n := len(r.txns) + 1
	reads, writes, numbers := make([][]reference.ReadFrom, n), make([]map[int]bool, n), map[item]int{}
	number := func(i item) int {
		if _, ok := numbers[i]; !ok {
			numbers[i] = len(numbers)
		}
		return numbers[i]
	}
	for i, e := range r.reads {
		t3 := e.reader + 1
		reads[t3] = append(reads[t3], reference.ReadFrom{T1: from[i] + 1, T3: t3, Var: number(e.item)})
	}
	for t := range r.txns {
		writes[t+1] = map[int]bool{}
		for _, o := range r.txns[t].Ops {
			if o.Kind.writes() {
				writes[t+1][number(o.item())] = true
			}
		}
	}
	so := func(t, u int) bool { return t < u && r.txns[t-1].Session == r.txns[u-1].Session }
	g := reference.Relate(n, so, reads, writes)
	g.Real = make([][]bool, n)
	for t := range n {
		g.Real[t] = make([]bool, n)
		for u := 1; t > 0 && u < n; u++ {
			g.Real[t][u] = r.txns[t-1].before(&r.txns[u-1])
		}
	}
	return g
}

// inOrder is the commit order of the run: transaction t is at place t.
func (r *run) inOrder() []int {
	co := make([]int, len(r.txns)+1)
	for t := range co {
		co[t] = t
	}
	return co
}
