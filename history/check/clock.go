package check

import "slices"

// clock gives each transaction a time: the length of the longest path of so ∪ wr
// that leads to it (Lamport, CACM 1978). What comes before has a lesser time, and
// mostly what has a much lesser time comes before.
type clock struct {
	time []int32
	off  []int32 // the writers of each key, by time
	txn  []int32
	at   []int32 // and their times
}

func (f *form) clock(order []int32) *clock {
	c := &clock{time: make([]int32, f.n)}
	for _, t := range order {
		now := int32(0)
		if u := f.prev[t]; u >= 0 {
			now = c.time[u] + 1
		}
		for _, r := range f.readsOf(t) {
			now = max(now, c.time[r.from]+1)
		}
		c.time[t] = now
	}
	c.writers(f, c.sorted())
	return c
}

// sorted returns the transactions by time.
func (c *clock) sorted() []int32 {
	most := slices.Max(c.time)
	next := make([]int32, most+2)
	for _, at := range c.time {
		next[at+1]++
	}
	for at := range most {
		next[at+1] += next[at]
	}
	txns := make([]int32, len(c.time))
	for t, at := range c.time {
		txns[next[at]] = int32(t)
		next[at]++
	}
	return txns
}

func (c *clock) writers(f *form, txns []int32) {
	c.off = make([]int32, f.keys+1)
	c.txn, c.at = make([]int32, len(f.writes)), make([]int32, len(f.writes))
	for _, x := range f.writes {
		c.off[x+1]++
	}
	for x := range f.keys {
		c.off[x+1] += c.off[x]
	}
	next := slices.Clone(c.off[:f.keys])
	for _, t := range txns {
		for _, x := range f.writesOf(t) {
			c.txn[next[x]], c.at[next[x]] = t, c.time[t]
			next[x]++
		}
	}
}

// window returns the writers of x with a time from lo up to hi.
func (c *clock) window(x, lo, hi int32) []int32 {
	from, to := c.off[x], c.off[x+1]
	at := c.at[from:to]
	i, _ := slices.BinarySearch(at, lo)
	j, _ := slices.BinarySearch(at[i:], hi)
	return c.txn[int(from)+i : int(from)+i+j]
}
