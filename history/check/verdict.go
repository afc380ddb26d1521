// Package check decides whether a recorded history keeps the promise of an isolation
// level. Histories have millions of transactions. A decision is black-box, by what the
// clients have read and written, or white-box, also by what the database tells of its
// version order, timestamps or serialization order.
//
// First comes which read is from which write; reads that no level allows are
// faults. Then the levels: RC, RA and CC by what they force (Møldrup and
// Pavlogiannis, "AWDIT: an optimal weak database isolation tester", PLDI 2025); PC,
// SI and SER on top of CC by a search for an order (see ordering). Each level has
// its axiom in the package isolation, whose checkers give the same verdicts on
// small histories.
package check

import (
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/semantics"
)

// Outcome is whether a level is satisfied.
type Outcome uint8

const (
	// Undecided: the context ended first, or values that several transactions
	// wrote leave too many possibilities. It is neither good nor bad news.
	Undecided Outcome = iota
	// Satisfied: there is a commit order that shows the level.
	Satisfied
	// Violated: there is none.
	Violated
)

var outcomeNames = [...]string{"undecided", "satisfied", "violated"}

// String returns undecided, satisfied or violated.
func (o Outcome) String() string { return outcomeNames[o] }

// Verdict is what a history comes to at a level.
type Verdict struct {
	Level   isolation.Level
	Outcome Outcome
	// Faults are the reads that no level allows, the first of each kind. When
	// there are any, the level is violated and Violation is nil.
	Faults []Faulty
	// Violation shows a violation that is in no single read. It is nil when there is
	// one for every choice of the writers of repeated values, and to find the
	// transactions that show it takes too long.
	Violation *Violation
	// Mismatch is where the history contradicts the certificate of the database, if
	// there is one to check.
	Mismatch *Mismatch
	// Order is the certificate of a satisfied level. It has all transactions that
	// count, as indexes in the history, in a commit order that shows the level. The
	// initial transaction, -1, is part of it.
	Order []int
	// Work is that of the search at PC, SI and SER, the last one when there were several.
	Work Work
	// Unordered is what is not linearizable.
	Unordered *Unordered
	// Why says why nothing was decided.
	Why string
}

// Unordered is a register whose operations have no order.
type Unordered struct {
	Key        string
	Operations int
	// Txn is a transaction, as an index in the history: up to its return there is no order, and
	// up to any return before there is one.
	Txn int
}

// Faulty is an operation that no level allows.
type Faulty struct {
	Fault Fault
	Place
	// Other is the operation that it contradicts; its Txn is -1 if there is none.
	Other Place
}

// Place is an operation of a transaction, both as indexes in the history.
type Place struct{ Txn, Op int }

// Violation is a part of the history that violates the level by itself; no
// transaction can be left out of it.
type Violation struct {
	// Txns are the transactions, as indexes in the recorded history. Place i is
	// transaction i of History; the first is the initial one, -1.
	Txns []int
	// History is that part for package isolation, and for package anomaly, which names the
	// anomaly and its cycle. A variable is the number of a key in Keys; the value that a
	// transaction writes is its number. Transactions outside are left out, and session
	// order and reads are what remains without them. Without session order each
	// transaction has a session of its own. An initial transaction that does not come
	// first stands as a transaction that writes all keys.
	History *semantics.History
	Keys    []string
	// Versions are the orders of versions that the history tells, of these transactions.
	Versions []Versions
	// Appended: one of the reads is of what stood in a list before the own appends.
	Appended bool
	// Choices is how many reads may be from several of the transactions. History has
	// one choice; every other violates the level as well.
	Choices int

	// Selected are the variables of History that stand for whether a key matches a
	// predicate: those who change it write them, and predicate reads read them.
	Selected []Selected

	// RealTime are pairs of Txns of which the first returned before the other was called, where
	// History is a violation for that alone.
	RealTime [][2]int

	keys    []int32            // the numbers of Keys
	longest map[int32]listRead // lists of these and other transactions
}

// Selected is a variable that stands for whether a key matches a predicate.
type Selected struct {
	Var     int          // of Violation.Keys, which has the names of the key and of the predicate
	Matches map[int]bool // by transaction of Violation.History that writes it: whether the key matches then
	Saw     map[int]bool // by one that reads it: whether it matched, as first read
}

// Versions is the order in which transactions wrote a key, as lists or the database
// tell it.
type Versions struct {
	Key  int   // of Violation.Keys, and the variable of that number
	Txns []int // of Violation.History, the first one first
	// List is the read of the list that tells the order, as indexes in the recorded
	// history. Its Txn is -1 where the database tells the order.
	List Place
}

// Mismatch is a contradiction between a history and its certificate: timestamps or a
// serialization order.
type Mismatch struct {
	Kind MismatchKind
	Txn  int    // of the history
	Key  string // empty for Early
	// Read is the transaction that Txn read the key from. Other is the last transaction
	// that wrote the key before, by the certificate. For Overlap it is the one that wrote
	// the key while Txn was open. For Early it is the one before Txn in its session. -1 is
	// the initial transaction.
	Read, Other int
}

// MismatchKind is a way in which a certificate is wrong.
type MismatchKind uint8

const (
	// WrongRead: a transaction does not read what is there by then.
	WrongRead MismatchKind = iota + 1
	// Overlap: two transactions that write the same key are open at a time.
	Overlap
	// Early: a transaction begins before the one before it in its session has
	// committed.
	Early
	// Missing: a transaction that committed is not in the serialization order, or
	// is there twice.
	Missing
)

// String says what is wrong.
func (k MismatchKind) String() string {
	return [...]string{"", "wrong read", "overlapping writers", "session order", "not in the order once"}[k]
}
