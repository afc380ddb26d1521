package program

import (
	"strings"

	"github.com/txmc/txmc/program/behaviour"
)

// A client that looks for the version of a row which it has read, finds it changed, fails and leaves nothing has been refused,
// as it is where the database ends its transaction: optimistic locking.

// Failed records that what the session has done has failed: whoever has asked for it has an error. It is for clients that look in an
// UPDATE for the version of a row that they have read. Where the last UPDATE of the session has found no row, and nothing that it
// has changed is left, it is no part of serial orders: see [Program.Serializable].
func (s *Session) Failed() {
	r := s.enter("Failed")
	r.happens(behaviour.Event{Kind: behaviour.GaveUpEvent, Loc: r.caller()})
}

// leaving is what a session leaves.
type leaving struct {
	changes   bool // of the transaction that is open
	committed bool // some
	update    bool // the last statement that changes rows is an UPDATE
	found     bool // and has found one
	failed    bool // it has, in the end
}

// statement notes that a statement begins.
func (l *leaving) statement(text string) {
	switch verb(text) {
	case "update":
		l.update, l.found = true, false
	case "insert", "delete", "with", "merge", "replace":
		l.update = false
	}
}

// verb is a statement's first word in lower case, behind comments.
func verb(text string) string {
	for {
		text = strings.TrimSpace(text)
		switch {
		case strings.HasPrefix(text, "--"):
			_, text, _ = strings.Cut(text, "\n")
		case strings.HasPrefix(text, "/*"):
			_, text, _ = strings.Cut(text, "*/")
		default:
			word, _, _ := strings.Cut(strings.ReplaceAll(text, "\n", " "), " ")
			return strings.ToLower(word)
		}
	}
}

// asks notes what is asked of the storage, and whether that has changed something.
func (l *leaving) asks(changes bool) {
	l.changes, l.found = l.changes || changes, l.found || changes
}

// ends notes that a transaction may end.
func (l *leaving) ends(kind behaviour.Kind) {
	switch kind {
	case behaviour.Commit:
		l.committed, l.changes = l.committed || l.changes, false
	case behaviour.Abort:
		l.changes = false
	}
}

// nothing reports whether the session has left nothing, as an UPDATE found no row.
func (l *leaving) nothing() bool {
	return l.failed && l.update && !l.found && !l.committed && !l.changes
}
