package workload

// Txn is a transaction as its client has recorded it.
type Txn struct {
	ID      int // from 0, in the order in which they end
	Session int
	Fate    Fate
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

// Fate is what the client knows of a transaction's end.
type Fate uint8

const (
	// Committed: the store said so.
	Committed Fate = iota
	// Aborted: by the client or by the store.
	Aborted
	// Unknown: no answer came. It may have committed or not.
	Unknown
)

// String returns committed, aborted or unknown.
func (f Fate) String() string { return [...]string{"committed", "aborted", "unknown"}[f] }
