package rows

import (
	"fmt"
	"strings"

	"github.com/txmc/txmc/program"
)

// History is a Backend of a session as a Log. Its transactions are named after the
// functions of the client that begin them.
type History struct {
	*program.Backend
	statement string // that runs, until it is noted
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
	first := word(withoutComment(text))
	h.control = control(withoutComment(text)) || first == "set"
	switch first {
	case "begin", "start":
		h.Begins(true)
	case "commit", "rollback":
		h.Begins(false)
	}
	h.statement = text
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
	if h.statement == "" || control(h.statement) {
		return nil
	}
	text := strings.Join(strings.Fields(withoutComment(h.statement)), " ")
	h.statement, h.last = "", text
	return h.Backend.Statement(text)
}

// withoutComment is a statement without the lines of comment before it.
func withoutComment(sql string) string {
	for {
		sql = strings.TrimLeft(sql, " \t\r\n")
		if !strings.HasPrefix(sql, "--") {
			return sql
		}
		_, sql, _ = strings.Cut(sql, "\n")
	}
}

// control reports whether a statement only begins or ends a transaction.
func control(sql string) bool {
	switch word(sql) {
	case "begin", "start", "commit", "end", "rollback", "abort", "savepoint", "release":
		return true
	}
	return false
}

// Control reports whether the last statement has to do with no rows: it begins or ends a
// transaction or a savepoint, or sets a variable.
func (h *History) Control() bool { return h.control }

// word is the first word of a statement, in lower case.
func word(sql string) string {
	word, _, _ := strings.Cut(strings.TrimLeft(strings.ToLower(sql), " \t\r\n"), " ")
	return strings.TrimRight(word, "; \r\n")
}

// Again says by which statement a row has become known.
func (h *History) Again(table string, row Content) error { return h.Backend.Again(h.last, table, row) }

// Read reads what the level allows; a Final sees the final state.
func (h *History) Read(key string) (any, error) {
	if h.Final() {
		return h.Lock(key)
	}
	return h.Backend.Read(key)
}

// Mark returns what goes back to the point where the transaction is.
func (h *History) Mark() func() error {
	at := h.Save()
	return func() error { return h.Restore(at) }
}

// String names the session, for the debugger.
func (h *History) String() string { return fmt.Sprintf("log of %s", h.Session()) }
