package check

import (
	"slices"

	"github.com/txmc/txmc/history/realtime"
)

// form is a history as the deciding algorithms see it: numbers only. Every
// transaction in it counts (it committed, or somebody read from it) and every
// read is external and has its writer. Transaction 0 is the initial one, which
// writes every key.
//
// Transactions are numbered chain by chain. A chain is a session, or, without session
// order, a path of the write-read relation. In either case each of its transactions
// comes causally after the one before it. So a set that is closed under causality is a
// position in each chain. Chain 0 is the initial transaction alone.
type form struct {
	n    int  // transactions
	keys int  // keys
	init bool // the initial transaction comes before all others
	chaining
	accesses
	evidence
	causal *causal // for several levels, nil when only one is decided
}

// chaining divides the transactions into chains.
type chaining struct {
	chain []int32 // of a transaction
	start []int32 // chain c has the transactions start[c] up to start[c+1]
	prev  []int32 // the transaction before in session order, or -1
}

// accesses are what the transactions read and write.
type accesses struct {
	readOff  []int32 // reads of t: reads[readOff[t]:readOff[t+1]], in program order
	reads    []read
	writeOff []int32 // keys that t writes, ascending: writes[writeOff[t]:writeOff[t+1]]
	writes   []int32
}

// evidence is what a recording has besides reads and writes.
type evidence struct {
	hint     []float64 // about when a transaction committed, nil when nobody knows
	timed    bool      // by what the database says; else by the order of the recording
	versions [][]int32 // writers of a key each, in the order of their versions as the database has it
	extra    []dependency
	real     *realtime.Intervals // of the transactions, or nil
}

// dependency is an edge that the database tells of: a transaction sees what another
// wrote, or, when anti, does not see what the other writes.
type dependency struct {
	edge
	anti bool
}

// versionEdges returns the edges between neighbours in the version orders.
func (f *form) versionEdges() []edge {
	var edges []edge
	for _, ts := range f.versions {
		for i := 1; i < len(ts); i++ {
			edges = append(edges, edge{ts[i-1], ts[i]})
		}
	}
	return edges
}

// read is an external read of a key, from the transaction that wrote it.
type read struct{ key, from int32 }

// edge is a pair of transactions, the first of which comes first.
type edge struct{ from, to int32 }

func (f *form) readsOf(t int32) []read   { return f.reads[f.readOff[t]:f.readOff[t+1]] }
func (f *form) writesOf(t int32) []int32 { return f.writes[f.writeOff[t]:f.writeOff[t+1]] }

// chains returns the number of chains.
func (f *form) chains() int { return len(f.start) - 1 }

// at returns t's position in its chain.
func (f *form) at(t int32) int32 { return t - f.start[f.chain[t]] }

// writesKey reports whether t writes x; the initial transaction writes all.
func (f *form) writesKey(t, x int32) bool {
	if t == 0 {
		return true
	}
	_, ok := slices.BinarySearch(f.writesOf(t), x)
	return ok
}

// writers lists the transactions that write each key, ascending, without the
// initial one.
type writers struct {
	off []int32
	txn []int32
}

func (w *writers) of(x int32) []int32 { return w.txn[w.off[x]:w.off[x+1]] }

func (f *form) writers() *writers {
	w := &writers{off: make([]int32, f.keys+1), txn: make([]int32, len(f.writes))}
	for _, x := range f.writes {
		w.off[x+1]++
	}
	for x := range f.keys {
		w.off[x+1] += w.off[x]
	}
	next := slices.Clone(w.off[:f.keys])
	for t := int32(1); int(t) < f.n; t++ {
		for _, x := range f.writesOf(t) {
			w.txn[next[x]] = t
			next[x]++
		}
	}
	return w
}

// readers lists the reads from each transaction, by key and then by reader.
type readers struct {
	off []int32
	at  []reader
}

// reader is a transaction that reads a key.
type reader struct{ key, txn int32 }

func (r *readers) of(t int32) []reader { return r.at[r.off[t]:r.off[t+1]] }

func (f *form) readers() *readers {
	r := &readers{off: make([]int32, f.n+1), at: make([]reader, len(f.reads))}
	for _, e := range f.reads {
		r.off[e.from+1]++
	}
	for t := range f.n {
		r.off[t+1] += r.off[t]
	}
	next := slices.Clone(r.off[:f.n])
	for t := int32(0); int(t) < f.n; t++ {
		for _, e := range f.readsOf(t) {
			r.at[next[e.from]] = reader{e.key, t}
			next[e.from]++
		}
	}
	for t := range f.n {
		slices.SortFunc(r.of(int32(t)), func(a, b reader) int {
			if a.key != b.key {
				return int(a.key) - int(b.key)
			}
			return int(a.txn) - int(b.txn)
		})
	}
	return r
}
