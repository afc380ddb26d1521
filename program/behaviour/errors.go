package behaviour

import (
	"fmt"
	"strings"
)

// ErrorKind says what is wrong with a client program.
type ErrorKind uint8

const (
	// Misuse of the API, or a declaration that cannot be explored.
	Misuse ErrorKind = iota
	// Nondeterminism: after the same reads a session did something else.
	Nondeterminism
	// Unbounded: more operations than the limit allows.
	Unbounded
	// Stalled: client code did not return to the API for too long.
	Stalled
	// Crashed: the Explore function or a Setup failed before any session ran.
	Crashed
	// Exited: client code was to end the process, by os.Exit or by a panic in a goroutine.
	Exited
)

var errorKinds = [...]string{"misuse", "nondeterminism", "unbounded", "stalled", "crashed", "exited"}

// String returns the kind as it stands in reports.
func (k ErrorKind) String() string { return errorKinds[k] }

// Error is a client program that cannot be explored: what happened, where in
// the user's code, and what to do. It is never a violation.
type Error struct {
	Kind    ErrorKind
	Program string   // the Explore function
	Session string   // the session, "" when none was running
	Message string   // what happened and what to do, with the lines concerned
	At      Location // the user's line, zero when unknown
	Stack   []string // the user's frames, innermost first, where they help
	Printed []string // the last lines that client code has printed, where they may say why
	Limit   string   // the option whose limit ends it, where a higher one may help
}

// Error returns "program: line: message", without the stack.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Program != "" {
		b.WriteString(e.Program + ": ")
	}
	if e.At.File != "" {
		b.WriteString(e.At.String() + ": ")
	}
	if e.Session != "" {
		fmt.Fprintf(&b, "session %q: ", e.Session)
	}
	b.WriteString(e.Message)
	return b.String()
}

// FailureKind says how a history fails.
type FailureKind uint8

const (
	// Assertion: an Assert in a session or an AssertionError of a transaction.
	Assertion FailureKind = iota
	// FinalError: a Final returned an error.
	FinalError
	// InvariantError: an Invariant returned an error.
	InvariantError
	// Panic: client code panicked.
	Panic
	// Hang: a statement waits for ever for its own session.
	Hang
	// Kept: a session ends and keeps a lock that nobody gives up.
	Kept
)

var failureKinds = [...]string{"assertion", "final", "invariant", "panic", "hang", "kept"}

// String returns the kind as it stands in reports.
func (k FailureKind) String() string { return failureKinds[k] }

// Failure is one broken assertion of a complete history.
type Failure struct {
	Kind    FailureKind
	Session int    // index of the session, -1 for an invariant
	Txn     int    // index of the transaction in its session, -1 when outside one
	Name    string // the transaction's, Final's or Invariant's name, "" outside one
	Message string
	At      Location
	Stack   []string // of a panic: the user's frames, innermost first
	// Unasserted is true where the program asserts nothing, and its outcomes have to be serial: see
	// Client.CheckSerial.
	Unasserted bool
}
