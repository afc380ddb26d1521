package report

import "strings"

// StepTable is what a page shows of a violation whose sessions talk SQL, or that was found
// under a database's model: its rows, in words.
type StepTable struct {
	Rows []StepRow `json:"rows"`
	// Steps is the number of steps that can be played.
	Steps int `json:"steps"`
	// Title is the level, by the database's words, and Why what would have prevented the
	// violation; both under a database's model.
	Title string `json:"title,omitempty"`
	Why   string `json:"why,omitempty"`
}

// StepRow is a row of a page.
type StepRow struct {
	Step        int    `json:"step"` // that shows it, from 1
	Session     string `json:"session"`
	Connection  int    `json:"connection,omitempty"`  // see Operation
	Transaction string `json:"transaction,omitempty"` // its ID
	Name        string `json:"name,omitempty"`        // of the transaction
	// Kind is begin, statement, read, write, delete, undo, commit, abort or observe; under
	// a database's model ran, waits, goes on, row, commit or abort; and prints.
	Kind   string `json:"kind"`
	Event  int    `json:"event,omitempty"` // of the transaction, from 1
	Text   string `json:"text"`
	Full   string `json:"full,omitempty"`
	From   string `json:"from,omitempty"`   // of a read, as in Event
	Misses string `json:"misses,omitempty"` // short name of the newer writer
	At     string `json:"at,omitempty"`
}

// StepTable returns the table of a violation; nil where a page shows its events.
func (v *Violation) StepTable() *StepTable {
	switch {
	case len(v.Schedule) > 0:
		return v.executionTable()
	case v.History.spoken():
		t := &StepTable{Steps: len(v.steps())}
		for _, r := range v.tableRows() {
			t.Rows = append(t.Rows, r.forPage())
		}
		return t
	}
	return nil
}

// forPage is the row for a page. The text has no indentation: the kind says it.
func (r *row) forPage() StepRow {
	return StepRow{
		Step: max(1, r.step), Session: r.session, Transaction: r.txn, Name: r.name, Kind: r.kind(), Event: r.event,
		Text: strings.TrimSpace(r.op), Full: r.full, From: r.from, Misses: r.misses, At: r.at,
	}
}

// kind is what the row is of.
func (r *row) kind() string {
	words := strings.Fields(r.op + " .")
	switch {
	case r.statement:
		return "statement"
	case words[0] == "prints":
		return "prints"
	case r.txn == "":
		return "observe"
	case words[0] == "lock":
		return "read"
	}
	return strings.TrimSuffix(words[0], ":")
}

// executionTable has the rows of an execution under a database's model.
func (v *Violation) executionTable() *StepTable {
	t := &StepTable{Why: v.prevented(), Title: v.levels()}
	for i := range v.Schedule {
		s := &v.Schedule[i]
		t.prints(v, i)
		r := StepRow{Step: s.Step, Session: s.Session, Connection: s.Connection, Transaction: s.Transaction, Name: s.Name, Kind: s.What, Text: s.Text(), At: s.At}
		if s.Error == "" && s.What != StepWaits {
			r.Kind = map[string]string{OpCommit: "commit", OpRollback: "abort"}[s.Op]
		}
		if r.Kind == "" {
			r.Kind = s.What
		}
		t.Rows = append(t.Rows, r)
		for _, row := range s.Rows {
			t.Rows = append(t.Rows, StepRow{Step: s.Step, Session: s.Session, Connection: s.Connection, Transaction: s.Transaction, Name: s.Name, Kind: "row", Text: row})
		}
		t.Steps = s.Step
	}
	t.prints(v, len(v.Schedule))
	return t
}

// prints adds what is printed once so many operations have run.
func (t *StepTable) prints(v *Violation, operations int) {
	for i := range v.Printed {
		if p := &v.Printed[i]; p.Operations == operations {
			t.Rows = append(t.Rows, StepRow{Step: max(1, t.Steps), Session: p.Session, Kind: "prints", Text: p.folded(), Full: p.Text})
		}
	}
}
