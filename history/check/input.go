package check

import (
	"slices"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/history/realtime"
)

// input is a recorded history with numbers for its keys and values, before
// anything is known about which read is from which write. A value is numbered
// together with its key.
type input struct {
	keys    int
	initial []bool         // by value: it is the initial one of its key
	session []int32        // by transaction; those of a session stand in its order
	fate    []history.Fate // by transaction
	off     []int32        // operations of t: ops[off[t]:off[t+1]]
	ops     []op
	clues

	lists    lists
	versions []versionOrder
	preds    []predicateRead

	deletions map[int32][]deletion // by key
}

// clues are what is known of the times of transactions.
type clues struct {
	hint  []float64           // about when a transaction committed, or nil
	timed bool                // by what the database tells; else by the order of the recording
	real  *realtime.Intervals // when transactions were called and returned, or nil
}

// op is a read or a write of a value.
type op struct {
	key   int32
	value int32
	write bool
	base  bool // a read of what stands in a list before the own appends
}

func (in *input) txns() int          { return len(in.session) }
func (in *input) opsOf(t int32) []op { return in.ops[in.off[t]:in.off[t+1]] }

// predicateRead is a read of all versions that match.
type predicateRead struct {
	txn   int32
	set   []keyValue         // by key: the value it saw; the initial one otherwise
	match func(v int32) bool // by value
	where *named             // nil for one without a name

	snapshot []int64 // see Recording.Where
}

// deletion is a version that stands for a key that was deleted.
type deletion struct {
	value int32
	at    int64
}

// sawDeletion reports whether the snapshot has it.
func (p *predicateRead) sawDeletion(d deletion) bool {
	return len(p.snapshot) > 0 && d.at < p.snapshot[0] && !slices.Contains(p.snapshot[1:], d.at)
}

type keyValue struct{ key, value int32 }

// saw returns the value in the set.
func (p *predicateRead) saw(key int32) (int32, bool) {
	i, ok := slices.BinarySearchFunc(p.set, key, func(s keyValue, key int32) int { return int(s.key) - int(key) })
	if !ok {
		return 0, false
	}
	return p.set[i].value, true
}
