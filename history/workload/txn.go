package workload

import "github.com/txmc/txmc/history"

// Txn is a transaction as its client has recorded it.
type Txn struct {
	ID      int // from 0, in the order in which they end
	Session int
	Fate    history.Fate // what the client knows of its end
	Ops     []Op
	// Start and Commit are when it began and ended, on the store's clock. Commits
	// are even and all different, starts are odd. Where the store reads from a
	// snapshot, the start is when that was taken.
	Start, Commit int64
}

// Op is a read or a write. The value 0 is the key's initial one.
type Op struct {
	Key   int32
	Write bool
	Value int64
}
