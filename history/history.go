// Package history is the data of recorded histories: what the clients of a real
// database did. A history is a stream of transactions: one of millions never is in
// memory as a whole. It decides nothing.
package history

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Txn is a transaction as it was recorded. Those of a session come in its order;
// sessions may be interleaved as they like.
type Txn struct {
	Session string
	ID      string // as the file names it; "" if it does not
	Fate    Fate
	Ops     []Op // in the order in which they were made

	// Timed: the database has told when the transaction began and committed.
	Timed         bool
	Start, Commit int64

	// Real is when the client called it and had its answer.
	Real Interval

	// File and Line, counted from 1, or Byte, counted from 0, are where it stands.
	File string
	Line int
	Byte int64
}

// Interval is when a client called a transaction and when it returned, in nanoseconds of the
// clients' clocks, or as numbers of events where the history tells an order and no times.
type Interval struct {
	Known            bool
	Events           bool // events are counted
	Called, Returned int64
}

// Never is when a transaction returned of whose end the client has not heard.
const Never = math.MaxInt64

// Where says where a transaction was read from.
func (t *Txn) Where() string {
	switch {
	case t.File == "" && t.ID == "":
		return "a transaction of session " + t.Session
	case t.File == "":
		return "transaction " + t.ID
	case t.Line > 0:
		return fmt.Sprintf("%s:%d", t.File, t.Line)
	}
	return fmt.Sprintf("%s: byte %d", t.File, t.Byte)
}

// Fate is what became of a transaction.
type Fate uint8

const (
	// Committed: its writes count.
	Committed Fate = iota
	// Aborted: it had no effect.
	Aborted
	// Unknown: nobody has heard. It counts if one that counts read from it.
	Unknown
)

// String returns committed, aborted or unknown.
func (f Fate) String() string { return [...]string{"committed", "aborted", "unknown"}[f] }

// Op is an operation on a key.
type Op struct {
	Kind  Kind
	Key   string
	Value Value   // of Read, Write and Append
	List  []Value // of ReadList: all elements, the first one first
	Where *Where  // of Predicate
}

// Kind is what an operation does.
type Kind uint8

const (
	// Read reads Value; its Initial is the value before all writes.
	Read Kind = iota
	// Write writes Value, which replaces what was there.
	Write
	// Append appends Value to a list.
	Append
	// ReadList reads a list.
	ReadList
	// Predicate reads everything that matches Where. Its items are read besides, by
	// Reads of their own.
	Predicate
)

// Value is a number, a text or another scalar; the zero Value is the number 0.
type Value struct {
	Num  int64
	Text string
	Kind ValueKind
}

// ValueKind tells numbers, texts and initial values apart.
type ValueKind uint8

const (
	// Number: Num.
	Number ValueKind = iota
	// Text: Text.
	Text
	// Initial: what a key has before anybody writes it.
	Initial
	// Literal: Text is the value as JSON writes it: a number that is not a whole one of 64
	// bits, in one form for equal numbers, or true or false.
	Literal
)

// String is the value as the own format writes it.
func (v Value) String() string {
	switch v.Kind {
	case Text:
		return strconv.Quote(v.Text)
	case Initial:
		return "initial"
	case Literal:
		return v.Text
	}
	return strconv.FormatInt(v.Num, 10)
}

// Any is the value as JSON has it: a number, a text, true or false, or nil for an initial value.
func (v Value) Any() any {
	switch v.Kind {
	case Number:
		return v.Num
	case Text:
		return v.Text
	case Literal:
		return json.RawMessage(v.Text)
	}
	return nil
}

// Where is what a predicate read asks for, and what it saw: of each key one
// version, or the initial one where Saw has none.
type Where struct {
	// Name names the predicate, where facts tell which versions match; "" where
	// Matches does.
	Name string
	// Matches are the versions that match; all others do not.
	Matches []Version
	Saw     []Version
	Result  []Version
	// Snapshot tells which deletions of facts it saw: those whose numbers are below the
	// first one, and are none of the others. Where Saw has no version of a key, it is
	// the deleted one if the deletion was seen. nil where deletions have no numbers.
	Snapshot []int64
}

// Version is a value of a key.
type Version struct {
	Key   string
	Value Value
}

// Fact is what a database tells of a whole history: the order of the versions of
// a key, or of all transactions, or which versions match a predicate.
type Fact struct {
	Versions []Value   // of Key, oldest first
	Key      string    //
	Serial   []string  // IDs of transactions, the first one first
	Where    string    // the name of a predicate
	Matches  []Version // those that match Where; several facts add up
	Deleted  []Deletion
}

// Deletion is a version that stands for a key that is there no longer.
type Deletion struct {
	Version
	At int64 // a number, of the transaction say, to which snapshots refer
}

// Sink takes a history. The Txn is valid during the call only.
type Sink struct {
	Txn  func(*Txn) error
	Fact func(Fact) error // may be nil: then facts are left out
}

// PutFact gives a fact to the sink, or drops it where facts are left out.
func (s Sink) PutFact(f Fact) error {
	if s.Fact == nil {
		return nil
	}
	return s.Fact(f)
}

// FileError says what is wrong with a file as a whole.
type FileError struct {
	File string
	Err  error
}

// Error names the file and says what is wrong.
func (e *FileError) Error() string { return e.File + ": " + e.Err.Error() }

// Unwrap returns what is wrong.
func (e *FileError) Unwrap() error { return e.Err }

// Errorf returns a [FileError] whose text is made as by [fmt.Errorf].
func Errorf(file, format string, args ...any) error {
	return &FileError{file, fmt.Errorf(format, args...)}
}

// Error says where a file is not what its format asks for.
type Error struct {
	File string
	Line int   // counted from 1; 0 when the place is Byte
	Byte int64 // counted from 0
	Want string
}

// Error names file, place and what was expected.
func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Want)
	}
	return fmt.Sprintf("%s: byte %d: %s", e.File, e.Byte, e.Want)
}
