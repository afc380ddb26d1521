// Package semantics says what executions of client programs are: transaction
// logs, histories, and ordered histories with their session order, write-read
// relation and causal past. A history is data; deciding whether a level allows
// it is the package isolation's.
//
// Source: Bouajjani, Enea, Román-Calvo, PLDI 2023, sections 2 and 3.
package semantics

import (
	"slices"

	"github.com/txmc/txmc/program/behaviour"
)

// Status is the state of a transaction log.
type Status uint8

const (
	// Pending: neither committed nor aborted yet; always the last in an order.
	Pending Status = iota
	// Committed: its last writes are visible.
	Committed
	// Aborted: none of its writes is visible; its reads count.
	Aborted
)

// String returns the status as it stands in reports.
func (s Status) String() string { return [...]string{"pending", "committed", "aborted"}[s] }

// EventKind is the kind of an [Event].
type EventKind uint8

const (
	// Read returns Val from the transaction From, or from the own transaction.
	Read EventKind = iota
	// Write stores Val.
	Write
)

// String names the kind.
func (k EventKind) String() string { return [...]string{"read", "write"}[k] }

// Own is Event.From of an internal read: it returns the transaction's own last
// write and has no write-read edge.
const Own = -1

// Event is a read or a write of a transaction log.
type Event struct {
	Kind EventKind
	Var  behaviour.VarID
	Val  behaviour.ValueID
	// From is, for an external read, the index in History.Txns of the
	// transaction that it reads from: the write-read relation. It is Own for an
	// internal read and 0 for a write.
	From int
	// Lock tells that an external read is a locking read: SELECT ... FOR UPDATE, or
	// the read of an UPDATE. It reads the latest version (docs/levels.md).
	Lock bool
	Loc  behaviour.Loc
}

// Txn is a transaction log: what a transaction did, in program order.
type Txn struct {
	Session int // -1 for the initial transaction
	Index   int // position in its session, from 0
	Name    string
	Status  Status
	Err     string        // of an aborted one: the error's message
	Loc     behaviour.Loc // where it begins
	Events  []Event
}

// History is a set of transaction logs with session order and write-read
// relation (section 2.1). Txns[0] is the initial transaction, which writes every
// variable and precedes all others; its events are not listed. The others stand
// in the order of their sessions and, in a session, of their positions, so that
// equal histories are equal data. Session order: init before everything; within
// a session by position; the session Final, when not -1, after all others.
type History struct {
	Sessions int
	Final    int
	Txns     []Txn
}

// So reports whether (t, u) ∈ so, the session order (PLDI 2023, section 2.1):
// transactions are named by their indexes in h.Txns.
func (h *History) So(t, u int) bool {
	a, b := &h.Txns[t], &h.Txns[u]
	return t != u && (t == 0 || a.Session == b.Session && a.Index < b.Index || b.Session == h.Final && a.Session != b.Session)
}

// Wr reports whether (t, u) ∈ wr, the write-read relation: u has an external read
// from t.
func (h *History) Wr(t, u int) bool {
	return slices.ContainsFunc(h.Txns[u].Events, func(e Event) bool { return e.Kind == Read && e.From == t })
}
