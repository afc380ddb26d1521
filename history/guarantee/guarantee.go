// Package guarantee has what the session guarantees force of the order of transactions (Terry,
// Demers, Petersen, Spreitzer, Theimer, Welch, "Session guarantees for weakly consistent replicated
// data", PDIS 1994). Each is an axiom like those of the isolation levels, Biswas and Enea, OOPSLA
// 2019: a transaction t3 reads x from t1, and the guarantee lets it see t2, which writes x; then t2
// comes before t1.
package guarantee

import "slices"

// History is what the transactions do. Transaction 0 is the initial one, which writes every key. Those of a session have consecutive numbers.
type History interface {
	Len() int32
	InitialFirst() bool   // transaction 0 comes before all others
	Follows(t int32) bool // t comes after t-1 in session order
	Reads(t int32) int
	Read(t int32, i int) (key, from int32) // in program order
	Writes(t int32) []int32                // keys, ascending
	Writers(key int32) []int32             // ascending, without the initial one
}

// Guarantee is what a session is promised.
type Guarantee uint8

const (
	// ReadYourWrites: a transaction sees those before it in its session.
	ReadYourWrites Guarantee = iota
	// MonotonicReads: it sees those that its session has read from before, also in itself.
	MonotonicReads
	// MonotonicWrites: with one that it reads from it sees those before that one in its session.
	MonotonicWrites
	// WritesFollowReads: with one that it reads from it sees those that this one, and those
	// before it in its session, have read from.
	WritesFollowReads
)

// Edge is a pair of transactions, the first of which comes first.
type Edge struct{ From, To int32 }

// Forced returns what the guarantee forces, but for what follows from that, from session order and
// from what transactions read.
func Forced(h History, g Guarantee) []Edge {
	f := &forcing{h: h, added: map[Edge]bool{}, free: !h.InitialFirst()}
	switch g {
	case ReadYourWrites:
		f.readYourWrites()
	case MonotonicReads:
		f.monotonicReads()
	case MonotonicWrites:
		f.monotonicWrites()
	case WritesFollowReads:
		f.writesFollowReads()
	}
	return f.edges
}

type forcing struct {
	h     History
	edges []Edge
	added map[Edge]bool
	free  bool // the initial transaction may come at any time
}

func (f *forcing) add(t2, t1 int32) {
	if e := (Edge{t2, t1}); t2 != t1 && (t2 > 0 || f.free) && !f.added[e] {
		f.added[e] = true
		f.edges = append(f.edges, e)
	}
}

func (f *forcing) readYourWrites() {
	var last map[int32]int32 // by key: the session's last writer
	for t := int32(1); t < f.h.Len(); t++ {
		if !f.h.Follows(t) {
			last = map[int32]int32{}
		}
		for i := range f.h.Reads(t) {
			x, from := f.h.Read(t, i)
			if w, ok := last[x]; ok {
				f.add(w, from)
			}
		}
		for _, x := range f.h.Writes(t) {
			last[x] = t
		}
	}
}

// monotonicReads keeps of each key those that the session has read from and that nothing which it
// has read comes after.
func (f *forcing) monotonicReads() {
	var newest map[int32][]int32
	var seen map[int32]bool
	for t := int32(1); t < f.h.Len(); t++ {
		if !f.h.Follows(t) {
			newest, seen = map[int32][]int32{}, map[int32]bool{}
		}
		for i := range f.h.Reads(t) {
			x, from := f.h.Read(t, i)
			for _, u := range newest[x] {
				f.add(u, from)
			}
			if seen[0] {
				f.add(0, from)
			}
			if !seen[from] {
				seen[from] = true
				for _, y := range f.written(from) {
					newest[y] = append(newest[y], from)
				}
			}
			newest[x] = append(newest[x][:0], from)
		}
	}
}

// written are the keys of a transaction; those of the initial one are not listed.
func (f *forcing) written(t int32) []int32 {
	if t == 0 {
		return nil
	}
	return f.h.Writes(t)
}

// sources are those that t reads from, each once.
func (f *forcing) sources(t int32) (list []int32) {
	for i := range f.h.Reads(t) {
		if _, from := f.h.Read(t, i); from > 0 {
			list = append(list, from)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (f *forcing) readsInitial(t int32) bool {
	for i := range f.h.Reads(t) {
		if _, from := f.h.Read(t, i); from == 0 {
			return true
		}
	}
	return false
}

func (f *forcing) monotonicWrites() {
	begins := make([]int32, f.h.Len()) // where a transaction's session begins
	for t := int32(1); t < f.h.Len(); t++ {
		if begins[t] = t; f.h.Follows(t) {
			begins[t] = begins[t-1]
		}
	}
	for t := int32(1); t < f.h.Len(); t++ {
		for _, t4 := range f.sources(t) {
			if begins[t4] == t4 {
				continue
			}
			for i := range f.h.Reads(t) {
				x, from := f.h.Read(t, i)
				ws := f.h.Writers(x)
				if at, _ := slices.BinarySearch(ws, t4); at > 0 && ws[at-1] >= begins[t4] {
					f.add(ws[at-1], from)
				}
			}
		}
	}
}

// seenBy are those that a session has read from and that write a key, in the order in which it did,
// with the first transaction that did.
type seenBy struct{ reader, writer int32 }

type sessionKey struct{ session, key int32 }

// handled says how many of these have been taken into account for a writer.
type handled struct {
	sessionKey
	from int32
}

func (f *forcing) writesFollowReads() {
	session, seen := make([]int32, f.h.Len()), map[sessionKey][]seenBy{}
	var known map[int32]bool
	initial := map[int32]int32{} // by session: who read from the initial transaction first
	for t := int32(1); t < f.h.Len(); t++ {
		if session[t] = t; f.h.Follows(t) {
			session[t] = session[t-1]
		} else {
			known = map[int32]bool{}
		}
		if _, ok := initial[session[t]]; !ok && f.readsInitial(t) {
			initial[session[t]] = t
		}
		for _, u := range f.sources(t) {
			if known[u] {
				continue
			}
			known[u] = true
			for _, x := range f.h.Writes(u) {
				at := sessionKey{session[t], x}
				seen[at] = append(seen[at], seenBy{t, u})
			}
		}
	}
	done := map[handled]int{}
	for t := int32(1); t < f.h.Len(); t++ {
		for _, t4 := range f.sources(t) {
			for i := range f.h.Reads(t) {
				x, from := f.h.Read(t, i)
				at := handled{sessionKey{session[t4], x}, from}
				list := seen[at.sessionKey]
				n := done[at]
				for ; n < len(list) && list[n].reader <= t4; n++ {
					f.add(list[n].writer, from)
				}
				done[at] = n
				if first, ok := initial[session[t4]]; ok && first <= t4 {
					f.add(0, from)
				}
			}
		}
	}
}
