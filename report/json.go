package report

import (
	"fmt"
	"slices"
)

// Schema is the version of the JSON that this package describes. It changes when
// a field gets another meaning or goes; new fields do not change it.
const Schema = 1

// The values of the field "type", which every JSON line starts with.
const (
	TypeResult    = "result"
	TypeViolation = "violation"
	TypeHistory   = "history"
	TypeError     = "error"
)

// Result is the last line for a program and a level.
type Result struct {
	Type    string `json:"type"`          // "result"
	Schema  int    `json:"schema"`        // Schema
	Package string `json:"package"`       // import path
	Program string `json:"program"`       // name of the Explore function
	Iso     string `json:"iso"`           // the level
	Base    string `json:"base"`          // what the search kept to: a level, or none
	Engine  string `json:"engine"`        // the algorithm: swap or serial
	Why     string `json:"why,omitempty"` // what decided for it, if it was not asked for

	Histories  int64 `json:"histories"`  // complete histories that the level allows
	EndStates  int64 `json:"end_states"` // complete histories before the filter
	Explored   int64 `json:"explored"`   // calls of explore
	Blocked    int64 `json:"blocked"`    // calls that led to no complete history
	Violations int64 `json:"violations"` // histories that break an assertion
	// Symmetry is what came of sessions that are alike; none when there are none. With
	// Sets, the numbers above are of histories up to permutations of these sessions.
	Symmetry *Symmetry `json:"symmetry,omitempty"`
	// Outcomes are the distinct outcomes under a database's model: what each session
	// saw, how each transaction ended, and the values that are left. Histories and
	// EndStates are the same number. States are the states that were visited.
	Outcomes int64 `json:"outcomes,omitempty"`
	States   int64 `json:"states,omitempty"`
	// Server, on a real server, is its version. There Outcomes and Explored count outcomes and
	// executions.
	Server string `json:"server,omitempty"`
	// Few counts schedules on a real server, when there are more of them than were asked for. It
	// counts schedules that interrupt sessions that could go on at most Interruptions times. All
	// of these have run. Under a model, Interruptions is the bound that was asked for.
	Few           int64 `json:"few,omitempty"`
	Interruptions int   `json:"interruptions,omitempty"`
	// Causes counts the violations by cause, those with the smallest ones first;
	// only where the search does not stop at the first.
	Causes []Group `json:"causes,omitempty"`

	// Size says how much there is to explore, where a limit came long before the end.
	Size *Size `json:"prospects,omitempty"`

	// Complete is true when every history was explored. Only then does the
	// absence of violations prove anything.
	Complete bool `json:"complete"`
	// Stopped says why not: violation, timeout, interrupt, max-histories, error; interruptions, where all
	// with at most so many were explored, and there are more.
	Stopped string `json:"stopped,omitempty"`
	// Unreached is true when it was stopped before anything was known of it.
	Unreached bool `json:"unreached,omitempty"`
	// Checked is "serializable" where the program asserts nothing, and that was checked instead.
	Checked string `json:"checked,omitempty"`
	// Unchecked says why nothing was checked; "" where something was.
	Unchecked string `json:"unchecked,omitempty"`
	// Instead is given without violations, where the level took the place of those that the code in SQL asks for: what the
	// user does to have these checked.
	Instead string `json:"instead,omitempty"`
	// Note says more about the end, for people.
	Note string `json:"note,omitempty"`
	// Errors are those of the database that the outcomes met, by SQLSTATE.
	Errors []Expected `json:"errors,omitempty"`
	// Ask is given with violations of an axiomatic level, which is a promise: the flags
	// that ask for what a database does there.
	Ask string `json:"ask,omitempty"`

	Seconds   float64 `json:"seconds"`
	PeakBytes uint64  `json:"peak_bytes"` // most memory in use by the Go runtime
}

// Symmetry is what came of sessions that are said to be alike, or found to be.
type Symmetry struct {
	Sets       [][]string `json:"sets,omitempty"`       // names of those that are
	Histories  int64      `json:"histories,omitempty"`  // all that permutations make of those explored
	Violations int64      `json:"violations,omitempty"` // of them
	Off        []string   `json:"off,omitempty"`        // why some are not, in words
}

// Size says how large the whole exploration is, by an estimate, and how it could be
// smaller. At a level of a database there is no estimate.
type Size struct {
	Calls   float64   `json:"calls,omitempty"`   // of explore
	Seconds float64   `json:"seconds,omitempty"` // at the rate so far
	Smaller []Smaller `json:"less,omitempty"`
}

// Smaller is a smaller exploration.
type Smaller struct {
	What    string  `json:"what"`             // is different, in words
	Calls   float64 `json:"calls,omitempty"`  // of explore, by an estimate
	States  int64   `json:"states,omitempty"` // at a level of a database, where it was explored to its end
	Seconds float64 `json:"seconds"`
}

// Expected is an error of the database that code has to expect.
type Expected struct {
	Code     string `json:"code"` // SQLSTATE, or MySQL's number
	Message  string `json:"message"`
	Commit   bool   `json:"commit,omitempty"` // COMMIT returns it
	Outcomes int64  `json:"outcomes"`         // in which it is met
	// Transactions are those that meet it, as the program names them.
	Transactions []string `json:"transactions,omitempty"`
}

// Violation is a history that breaks assertions, with an order of its
// transactions that leads there.
type Violation struct {
	Type     string    `json:"type"`   // "violation"
	Schema   int       `json:"schema"` // Schema
	Package  string    `json:"package"`
	Program  string    `json:"program"`
	Iso      string    `json:"iso"`
	Failures []Failure `json:"failures"`
	History  History   `json:"history"`
	// Order lists the transactions' IDs in an order that extends session order
	// and write-read. Unlike the history it depends on the exploration.
	Order []string `json:"order"`
	// Explanation says why stronger levels forbid it.
	Explanation *Explanation `json:"explanation,omitempty"`
	Selection                // its fields stand in the line itself

	// Under a database's model History has no transactions and Order is empty. There
	// Schedule is what happened, and Left are the values that are left.
	Execution
	// Observed is what each session has observed, in words, under a database's model; those
	// that have observed nothing are left out.
	Observed []Assigned `json:"observed,omitempty"`
	// Choices lead to it. "run SESSION" makes the session's next step. "next N" lets
	// the woken statement at that place go on, where timing allows it. "victim SESSION"
	// chooses the victim.
	Choices []string `json:"choices,omitempty"`
	// Confirmation is what becomes of it on a real server, where that was asked.
	Confirmation *Confirmation `json:"confirmation,omitempty"`
	// Clock is when the clock of the database began, in the form of RFC 3339, where the program says it.
	Clock string `json:"clock,omitempty"`
	Commands
}

// Unasserted reports whether the program asserts nothing, and its outcomes had to be serializable.
func (v *Violation) Unasserted() bool {
	return slices.ContainsFunc(v.Failures, func(f Failure) bool { return f.Unasserted })
}

// Commands run a saved violation again.
type Commands struct {
	Replay   string `json:"replay,omitempty"`
	OnServer string `json:"replay_on_server,omitempty"` // on a real server, where one can have it
}

// Execution is what happened under a database's model.
type Execution struct {
	Schedule []Operation `json:"schedule,omitempty"`
	Left     []Assigned  `json:"left,omitempty"`
	Printed  []Printed   `json:"printed,omitempty"` // by client code; at all levels
}

// Listed is one history of a listing.
type Listed struct {
	Type      string `json:"type"`   // "history"
	Schema    int    `json:"schema"` // Schema
	Package   string `json:"package"`
	Program   string `json:"program"`
	Iso       string `json:"iso"`
	History          // its fields stand in the line itself
	Execution        // under a database's model
}

// Failure is one broken assertion of a history.
type Failure struct {
	Kind        string   `json:"kind"`                  // assertion, final, invariant, panic
	Name        string   `json:"name,omitempty"`        // of the transaction, Final or Invariant
	Session     string   `json:"session,omitempty"`     // none for an invariant
	Transaction string   `json:"transaction,omitempty"` // its ID; none outside transactions
	Message     string   `json:"message"`
	At          string   `json:"at,omitempty"`    // file:line
	Stack       []string `json:"stack,omitempty"` // of a panic, innermost first
	// Unasserted is true where the program asserts nothing, and its outcomes have to be serializable.
	Unasserted bool `json:"unasserted,omitempty"`
}

// Error is a program that cannot be explored, or one that ended by itself. It is
// not a violation.
type Error struct {
	Type    string   `json:"type"`   // "error"
	Schema  int      `json:"schema"` // Schema
	Package string   `json:"package"`
	Program string   `json:"program,omitempty"`
	Iso     string   `json:"iso,omitempty"` // none when it happened before the search
	Kind    string   `json:"kind"`          // misuse, nondeterminism, unbounded, stalled, crashed, internal, exited
	Session string   `json:"session,omitempty"`
	Message string   `json:"message"`
	At      string   `json:"at,omitempty"`
	Stack   []string `json:"stack,omitempty"`
	Printed []string `json:"printed,omitempty"` // the last lines that client code has printed, where they may say why
}

// History is a set of transactions with the write-read relation. Equal
// histories have equal JSON.
type History struct {
	// Transactions start with the initial one, "init", which writes the keys
	// that the others touch, by key. The others follow in the order in which
	// their sessions are declared and in session order; the Finals are the
	// session "final", the last.
	Transactions []Transaction `json:"transactions"`
	// WR has an edge for each key that a transaction reads from another, in the
	// order of the reads.
	WR []Edge `json:"wr"`
	// Observations are what the sessions observed, session by session.
	Observations []Observation `json:"observations,omitempty"`
}

// Transaction is a transaction log.
type Transaction struct {
	ID      string  `json:"id"`              // session/index, or "init"
	Session string  `json:"session"`         // "init" for the initial one
	Index   int     `json:"index"`           // position in its session, from 1; 0 for the initial one
	Name    string  `json:"name"`            // as the program names it
	Status  string  `json:"status"`          // committed, aborted
	Error   string  `json:"error,omitempty"` // of an aborted one
	At      string  `json:"at,omitempty"`    // where it begins
	Events  []Event `json:"events"`          // in program order
	// Statements are those of a session that talks SQL; the events are theirs.
	Statements []Statement `json:"statements,omitempty"`
}

// Event is a read or a write.
type Event struct {
	Op  string `json:"op"` // read, write
	Key string `json:"key"`
	// Value is a JSON number, bool, string or null; what JSON cannot say is the
	// string that Text is.
	Value any `json:"value"`
	// Text is the value as Go prints it, where that is not how JSON writes it.
	Text string `json:"text,omitempty"`
	// From is, of a read, the ID of the transaction it reads from, or "own" when
	// it returns the transaction's own write.
	From string `json:"from,omitempty"`
	Lock bool   `json:"lock,omitempty"` // a locking read
	At   string `json:"at,omitempty"`
}

// Edge is a pair of the write-read relation: To reads Key from From.
type Edge struct {
	From string `json:"from"`
	To   string `json:"to"`
	Key  string `json:"key"`
}

// Observation is a value that a session recorded.
type Observation struct {
	Session string `json:"session"`
	Name    string `json:"name"`
	Value   any    `json:"value"` // as in Event
	Text    string `json:"text,omitempty"`
	At      string `json:"at,omitempty"`
	Place
}

// Place is where in its session something stands that is no operation.
type Place struct {
	// After is the ID of the session's last transaction begun before, if any.
	After string `json:"after,omitempty"`
	// Open is true when that transaction had not ended; Events is the number of
	// its events that came before.
	Open   bool `json:"open,omitempty"`
	Events int  `json:"events,omitempty"`
}

// TypeFinding is the field "type" of a [Finding].
const TypeFinding = "finding"

// Finding is a place in the code that keeps a program from being explored, or
// seems to.
type Finding struct {
	Type    string `json:"type"`   // "finding"
	Schema  int    `json:"schema"` // Schema
	Package string `json:"package"`
	Check   string `json:"check"`   // name of the check
	At      string `json:"at"`      // file:line, the file as seen from the current directory
	Column  int    `json:"column"`  // in bytes, from 1
	What    string `json:"what"`    // what the code does
	Effect  string `json:"effect"`  // what that does to exploration
	Instead string `json:"instead"` // how to write it instead
}

// String is a finding for people: its first line is one as go vet prints it.
func (f *Finding) String() string {
	return fmt.Sprintf("%s:%d: %s (%s)\n\t%s\n\tinstead: %s\n", f.At, f.Column, f.What, f.Check, f.Effect, f.Instead)
}

// TypeProgress is the type of a [Progress].
const TypeProgress = "progress"

// Progress says how far an exploration has come, now and then. The share that is
// done is estimated, and is likely to be in its range; 0, and 0 to 1, while nothing
// is known.
type Progress struct {
	Type       string  `json:"type"`   // "progress"
	Schema     int     `json:"schema"` // Schema
	Package    string  `json:"package"`
	Program    string  `json:"program"`
	Iso        string  `json:"iso"`
	Histories  int64   `json:"histories"`
	EndStates  int64   `json:"end_states"`
	Explored   int64   `json:"explored"`
	Violations int64   `json:"violations"`
	Seconds    float64 `json:"seconds"`
	Round      int     `json:"round,omitempty"` // of a program in SQL, counted from 1
	Share      float64 `json:"share"`           // of the calls of explore
	ShareLeast float64 `json:"share_least"`
	ShareMost  float64 `json:"share_most"`
}

// Group is how many violations have a cause.
type Group struct {
	Cause      string `json:"cause"`
	Violations int64  `json:"violations"`
}

// Met reports whether an outcome met an error of the database.
func (r *Result) Met(code string) bool {
	return slices.ContainsFunc(r.Errors, func(e Expected) bool { return e.Code == code })
}
