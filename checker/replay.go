package checker

import (
	"cmp"
	"slices"

	"github.com/txmc/txmc/isolation"
)

// mismatch is where an order of transactions that somebody claims is wrong: see
// Claim.
type mismatch struct {
	kind             ClaimKind
	txn              int32
	key, read, other int32
}

// replay goes once through the transactions in the order of the points at which
// they read and write and compares each read with what is there: Enne's replay of
// an expected serialization order (Clark, Donaldson, Wickerson, Rigger,
// "Validating database system isolation level implementations with version
// certificate recovery", EuroSys 2024, section 5), and Chronos' check of start and
// commit timestamps (Li et al., "Online timestamp-based transactional isolation
// checking of database systems", ICDE 2025). points are nodes of a digraph, split
// unless the level is SER. It returns nil when all is right.
func (f *form) replay(level isolation.Level, points []int32) *mismatch {
	split := level != isolation.SER
	current := make([]int32, f.keys)
	at := make([]int32, f.keys) // when it was written
	began := make([]int32, f.n) // when a transaction read, plus 1
	ended := make([]bool, f.n)
	ended[0] = f.init
	for i, v := range points {
		t := v
		if split {
			t = v >> 1
		}
		if !split || v&1 == 0 {
			began[t] = int32(i) + 1
			if u := f.prev[t]; u >= 0 && !ended[u] {
				return &mismatch{kind: Early, txn: t, key: -1, other: u}
			}
			for _, r := range f.readsOf(t) {
				if current[r.key] != r.from {
					return &mismatch{WrongRead, t, r.key, r.from, current[r.key]}
				}
			}
		}
		if !split || v&1 == 1 {
			ended[t] = true
			for _, x := range f.writesOf(t) {
				if level == isolation.SI && at[x] >= began[t] {
					return &mismatch{Overlap, t, x, t, current[x]}
				}
				current[x], at[x] = t, int32(i)+1
			}
		}
	}
	return nil
}

// byTimestamps returns the points in the order of their timestamps. At the same
// time commits come before begins, and transactions that begin and commit at that
// time between the two. For SER a transaction happens when it commits.
func (f *form) byTimestamps(level isolation.Level, start, commit []int64) []int32 {
	type stamped struct {
		at   int64
		kind int32
		node int32
	}
	points := make([]stamped, 0, 2*f.n)
	for t := int32(1); int(t) < f.n; t++ {
		switch {
		case level == isolation.SER:
			points = append(points, stamped{commit[t], 0, t})
		case start[t] == commit[t]:
			points = append(points, stamped{start[t], 1, 2 * t}, stamped{commit[t], 1, 2*t + 1})
		default:
			points = append(points, stamped{start[t], 2, 2 * t}, stamped{commit[t], 0, 2*t + 1})
		}
	}
	slices.SortFunc(points, func(a, b stamped) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.kind, b.kind), cmp.Compare(a.node, b.node))
	})
	nodes := make([]int32, len(points))
	for i, p := range points {
		nodes[i] = p.node
	}
	return nodes
}
