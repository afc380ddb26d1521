package rows

import (
	"fmt"

	"github.com/txmc/txmc/program"
)

// History is a Backend of a session as a Log. Its transactions are named after the
// functions of the client that begin them.
type History struct {
	*program.Backend
	text      string // of the statement that runs
	statement string // the same, until it is noted
	last      string // statement that was noted
	control   bool   // the last statement has to do with no rows
}

// NewHistory returns the log of a run of a session, or of a Final.
func NewHistory(b *program.Backend) *History { return &History{Backend: b} }

// Statement notes where the client's code runs a statement. Call it on the goroutine
// that waits for the answer.
func (h *History) Statement(text string) error {
	if err := h.Wanted(); err != nil {
		return err
	}
	h.Here()
	h.control = Control(text) || First(text) == "set"
	switch {
	case Begins(text):
		h.Begins(true)
	case ends(text):
		h.Begins(false)
	}
	h.text, h.statement = text, text
	if h.Open() {
		return h.note()
	}
	return nil
}

// Begin begins a transaction, named after the function that runs it.
func (h *History) Begin() error {
	name := h.Function()
	if name == "" {
		name = "transaction"
	}
	if err := h.Backend.Begin(name); err != nil {
		return err
	}
	return h.note()
}

// note tells the history which statement runs.
func (h *History) note() error {
	if h.statement == "" || Control(h.statement) {
		return nil
	}
	text := Short(h.statement)
	h.statement, h.last = "", text
	return h.Backend.Statement(text)
}

// Control reports whether the last statement has to do with no rows: it begins or ends a
// transaction or a savepoint, or sets a variable.
func (h *History) Control() bool { return h.control }

// Again says by which statement a row has become known.
func (h *History) Again(table string, row Content) error { return h.Backend.Again(h.last, table, row) }

// Read reads what the level allows; a Final sees the final state.
func (h *History) Read(key string) (any, error) {
	if h.Final() {
		return h.Lock(key)
	}
	return h.Backend.Read(key)
}

// Fits ends the exploration when a row is too large.
func (h *History) Fits(key string, bytes int) error {
	if most := h.MaxValueBytes(); bytes > most {
		return h.Fail("the row %s takes %d bytes and cannot be stored, the limit is %d: store less", key, bytes, most)
	}
	return nil
}

// Refuse ends the exploration: the statement that runs is not evaluated as a server does it. The
// error names it, with the line of the client that has sent it. What the client makes of the
// answer counts no more.
func (h *History) Refuse(why string) error {
	if text := cut(Short(h.text)); text != "" {
		why = fmt.Sprintf("the statement %q: %s", text, why)
	}
	return h.FailHere("%s", why)
}

// cut cuts a statement for a message.
func cut(text string) string {
	const most = 160
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

// Mark returns what goes back to the point where the transaction is.
func (h *History) Mark() func() error {
	at := h.Save()
	return func() error { return h.Restore(at) }
}

// String names the session, for the debugger.
func (h *History) String() string { return fmt.Sprintf("log of %s", h.Session()) }
