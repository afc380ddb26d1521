package access

import "slices"

// This is what an executor asks of a storage that locks ranges of the indexes that it
// scans, as InnoDB does. The executor opens cursors, goes from row to row, and writes
// rows that it has found. Values of columns are numbers in the order of the values.

// Engine is a kind of storage.
type Engine uint8

// The kinds.
const (
	Heap  Engine = iota // versions in physical order, as PostgreSQL has them
	Trees               // rows in a clustered index, as InnoDB has them
)

// The kinds of requests to a storage of Trees, beside Nothing, Save, Release, Back and
// Next. Back to the depth 0 undoes the statement.
const (
	Read    Kind = iota + Back + 1 // all rows of the Range that the transaction's view has
	Open                           // opens a cursor on the Range, and goes to its first row
	Step                           // goes to the cursor's next row
	Put                            // inserts Row
	Write                          // replaces the row with the Key by Row, or deletes it: see Gone
	Finish                         // ends the statement
	Restock                        // gives the number that the sequence has given last back
)

// Range is a range of an index: from Low, or what Low begins, to High, or what High begins.
type Range struct {
	Span
	Descending bool
	Among      bool // it is one of several ranges of its scan
	Acts       bool // a foreign key that does something looks for what references a row
	Exclusive  bool // locks are exclusive, else shared
	// Semi: a locked row is judged by its last committed version, where the level has that.
	Semi bool
	// Pushed: the end of the range is known before the row is looked up. Covering: the
	// executor needs the index's columns only.
	Pushed, Covering bool
	// Judges: the executor judges an entry of the index before its row is looked up.
	Judges bool
	Wait   Wait
}

// Span is the entries of an index that a range has.
type Span struct {
	Low, High []int // nil: from the first, to the last
	// LowOpen and HighOpen leave out what Low, or High, begins. Exact: the range is what Low begins.
	LowOpen, HighOpen, Exact bool
}

// Wait is what a locking read does where it would wait.
type Wait uint8

// The policies.
const (
	ForLock Wait = iota // it waits
	NoWait              // the statement fails
	Skip                // the row is left out
)

// Judgement is what the executor makes of the row on which a cursor stands.
type Judgement uint8

// The judgements.
const (
	Wanted   Judgement = iota
	Unwanted           // the statement does not want it
	Again              // it was a committed version, and is wanted: the row is locked now
)

func (r *Range) same(o *Range) bool {
	if r == nil || o == nil {
		return r == o
	}
	return equal(r.Low, o.Low) && equal(r.High, o.High) && r.LowOpen == o.LowOpen && r.HighOpen == o.HighOpen && r.Exact == o.Exact &&
		r.Descending == o.Descending && r.Among == o.Among && r.Acts == o.Acts && r.Exclusive == o.Exclusive && r.Semi == o.Semi && r.Pushed == o.Pushed && r.Covering == o.Covering && r.Judges == o.Judges && r.Wait == o.Wait
}

// equal tells nil from what is empty.
func equal(a, b []int) bool { return (a == nil) == (b == nil) && slices.Equal(a, b) }

// Tree is an index of a table: numbers of columns of a Row.
type Tree struct {
	Columns []int
	Unique  bool
}

// Reference is a foreign key from an index of a table to one of another: how many of
// their first columns are equal. Acts: when the other row goes or changes, the executor
// does something about it, so that the storage does not look.
type Reference struct {
	Table, Tree   int
	Parent, Other int
	Columns       int
	Acts          bool
}
