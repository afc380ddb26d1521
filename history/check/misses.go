package check

import "slices"

// misses is how far an order is from one that is right, as the simulated store sees it. It counts
// reads that see something else than the last write, and, for SI, transactions that overlap with
// another writer of a key. Each counts as many as the positions over which it would have to be
// moved. This number tells better how much there is to search.
type misses struct {
	f       *form
	sum     int64
	over    []int32 // by write, as in form.writes: the position at which it was overwritten, or 0
	initial []int32 // by key: the same of the initial value
	began   []int32 // by transaction: the position at which it has read
}

func newMisses(f *form) *misses {
	return &misses{f: f, over: make([]int32, len(f.writes)), initial: make([]int32, f.keys), began: make([]int32, f.n)}
}

// of returns where it stands when what t wrote to x was overwritten.
func (m *misses) of(t, x int32) *int32 {
	if t == 0 {
		return &m.initial[x]
	}
	i, _ := slices.BinarySearch(m.f.writesOf(t), x)
	return &m.over[int(m.f.writeOff[t])+i]
}

func (m *misses) begin(t, position int32) { m.began[t] = position }

// overwrite notes that what t wrote to x, the current value, is overwritten.
func (m *misses) overwrite(t, x, position int32) { *m.of(t, x) = position }

// read counts a read of what is not the current value.
func (m *misses) read(r read, position int32) { m.sum += int64(position - *m.of(r.from, r.key)) }

// overlap counts that a transaction begins while another, which writes one of its keys, has
// read and not written.
func (m *misses) overlap(holder, position int32) { m.sum += int64(position - m.began[holder]) }
