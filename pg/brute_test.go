// What random SQL programs can observe, by definition: which variables PostgreSQL's
// statements read and write (see the package storage).

package pg_test

import (
	"fmt"
	"maps"
	"slices"

	"github.com/txmc/txmc/dpor/sqltest/brute"
)

type (
	statement = brute.Statement
	record    = brute.Record
	held      = brute.Held
)

// evaluator runs a session's transactions.
type evaluator struct{ *brute.Evaluator }

// ids are the rows that can be in a table.
func (e *evaluator) ids(table string) []int {
	ids, more := map[int]bool{1: true, 2: table == "p"}, 0
	for _, s := range e.Program.Statements() {
		switch {
		case table == "p" && s.Kind == "move" || table == "c" && s.Kind == "copy":
			ids[s.U] = true
		case table == "c" && s.Kind == "next":
			more++
		case s.Table == table && language.Inserts(s):
			ids[s.ID] = true
		}
	}
	for i := range more {
		for id := range maps.Clone(ids) {
			ids[id+1] = true
		}
		ids[i+1] = true
	}
	maps.DeleteFunc(ids, func(_ int, in bool) bool { return !in })
	return slices.Sorted(maps.Keys(ids))
}

// scan reads the rows that keep may let through, then lets it decide.
func (e *evaluator) scan(table string, ids []int, keep func(held) bool) (rows []held) {
	for _, id := range ids {
		if r, ok := e.Read(brute.Row(table, id), false).(record); ok && keep(held{ID: id, Record: r}) {
			rows = append(rows, held{ID: id, Record: r})
		}
	}
	return rows
}

// newest locks rows, and keeps those that are still there and let through.
func (e *evaluator) newest(table string, rows []held, keep func(held) bool) (list []held) {
	for _, h := range rows {
		if r, ok := e.Read(brute.Row(table, h.ID), true).(record); ok && keep(held{ID: h.ID, Record: r}) {
			list = append(list, held{ID: h.ID, Record: r})
		}
	}
	return list
}

// rows are the rows that a statement is about, as it sees them at first.
func (e *evaluator) rows(s statement) ([]held, func(held) bool) {
	all, some := e.ids(s.Table), []int{}
	keep := func(held) bool { return true }
	switch s.Kind {
	case "count":
		some = all
	case "range":
		for _, id := range all {
			if id >= s.ID {
				some = append(some, id)
			}
		}
	case "raise", "clear":
		some = all
		keep = func(h held) bool { return h.V >= s.V }
	case "unique":
		return e.byUnique(s.U), nil
	default:
		if s.Kind == "least" {
			keep = func(h held) bool { return h.V <= s.V }
		}
		if slices.Contains(all, s.ID) {
			some = []int{s.ID}
		}
	}
	return e.scan(s.Table, some, keep), keep
}

// byUnique finds rows by the unique value: who has it, and own changes.
func (e *evaluator) byUnique(u int) []held {
	holder, _ := e.Read(brute.Unique(u), false).(int)
	var ids []int
	for _, id := range e.ids("p") {
		if _, own := e.Written(brute.Row("p", id)); own || id == holder {
			ids = append(ids, id)
		}
	}
	return e.scan("p", ids, func(h held) bool { return h.U == u })
}

// run evaluates a statement and returns what it answers.
func (e *evaluator) run(s statement) string {
	if language.Inserts(s) {
		return e.add(s)
	}
	if s.Kind == "join" {
		return e.join()
	}
	rows, keep := e.rows(s)
	switch s.Kind {
	case "get", "range", "unique":
		return e.Show(rows)
	case "count":
		sum := 0
		for _, h := range rows {
			sum += h.V
		}
		return e.Show([]held{{ID: len(rows), Record: record{V: sum}}})
	}
	seen := rows
	rows = e.newest(s.Table, rows, keep)
	if s.Kind == "lock" || s.Kind == "share" {
		return e.Show(rows)
	}
	for i := range rows {
		rows[i].V = e.change(s, rows[i])
	}
	for _, h := range rows {
		e.refers(s, h)
	}
	switch {
	case s.Kind == "old" && len(rows) > 0: // the subquery sees what the statement has seen at first
		return e.Show(seen)
	case s.Kind == "bump", s.Kind == "old":
		return e.Show(rows)
	}
	return fmt.Sprint("n", len(rows))
}

// add evaluates a statement that inserts.
func (e *evaluator) add(s statement) string {
	switch s.Kind {
	case "absent":
		if e.Read(brute.Row("p", s.ID), false) != nil {
			return "n0"
		}
	case "copy":
		r, ok := e.Read(brute.Row("p", s.ID), false).(record)
		if !ok {
			return "n0"
		}
		s.ID, s.U, s.V = s.U, s.ID, r.V
	case "next":
		most := 0
		for _, h := range e.scan("c", e.ids("c"), func(held) bool { return true }) {
			most = max(most, h.ID)
		}
		s.ID = most + 1
	case "nothing":
		if e.Read(brute.Key("p", s.ID), true) != nil || e.Read(brute.Unique(s.U), true) != nil {
			return "n0"
		}
	case "upsert":
		if e.Read(brute.Key("p", s.ID), true) != nil {
			return e.merge(s.ID, s.V)
		}
	case "merge":
		if id, ok := e.Read(brute.Unique(s.U), true).(int); ok {
			return e.merge(id, s.V)
		}
	}
	return e.insert(s)
}

// merge adds to the row that is there. That it is, the axiom of locking reads says.
func (e *evaluator) merge(id, v int) string {
	r, _ := e.Read(brute.Row("p", id), true).(record)
	e.Write(brute.Row("p", id), record{U: r.U, V: r.V + v})
	return "n1"
}

// join reads the rows of c, and of p those that they refer to, each once.
func (e *evaluator) join() string {
	var rows []held
	parents := map[int]any{}
	for _, h := range e.scan("c", e.ids("c"), func(held) bool { return true }) {
		if _, known := parents[h.U]; !known {
			parents[h.U] = e.Read(brute.Row("p", h.U), false)
		}
		if r, ok := parents[h.U].(record); ok {
			rows = append(rows, held{ID: h.ID, Record: r})
		}
	}
	return e.Show(rows)
}

// change updates or deletes a row, and returns its new value.
func (e *evaluator) change(s statement, h held) int {
	r := h.Record
	switch s.Kind {
	case "set":
		r.V = s.V
	case "last":
		r.V = e.Last + 1
	case "add", "bump", "old", "least":
		r.V++
	case "raise":
		r.V += 10
	case "adopt":
		r.U = s.U
	case "rename":
		if r.U != s.U {
			e.Write(brute.Unique(r.U), nil)
			r.U = s.U
			e.claim(brute.Unique(s.U), h.ID, "p_u_key")
		}
	case "delete", "clear":
		e.remove(s.Table, h)
		return 0
	case "move":
		if s.U != h.ID {
			e.remove("p", h)
			e.insert(statement{Table: "p", ID: s.U, U: r.U, V: r.V})
			return r.V
		}
	}
	e.Write(brute.Row(s.Table, h.ID), r)
	return r.V
}

// remove writes that a row is gone.
func (e *evaluator) remove(table string, h held) {
	e.Write(brute.Row(table, h.ID), nil)
	e.Write(brute.Key(table, h.ID), nil)
	if table == "p" {
		e.Write(brute.Unique(h.U), nil)
	}
}

// claim writes a key that nobody may have.
func (e *evaluator) claim(name string, v any, constraint string) {
	taken := e.Read(name, true) != nil
	e.Write(name, v)
	if taken {
		e.Refuse("23505" + constraint)
	}
}

func (e *evaluator) insert(s statement) string {
	id := brute.Key(s.Table, s.ID)
	if s.Table == "c" {
		e.claim(id, true, "c_pkey")
		e.Write(brute.Row("c", s.ID), record{U: s.U, V: s.V})
		if e.Read(brute.Key("p", s.U), true) == nil {
			e.Refuse("23503c_p_fkey")
		}
		return "n1"
	}
	taken := e.Read(id, true) != nil
	e.Write(id, true)
	if taken { // the value is looked at too
		e.Read(brute.Unique(s.U), true)
		e.Refuse("23505p_pkey")
	}
	e.claim(brute.Unique(s.U), s.ID, "p_u_key")
	e.Write(brute.Row("p", s.ID), record{U: s.U, V: s.V})
	return "n1"
}

// refers refuses what a foreign key forbids: to do away with a row that others refer
// to, and to refer to one that is not there.
func (e *evaluator) refers(s statement, h held) {
	switch {
	case s.Kind == "adopt" && s.U != h.U && e.Read(brute.Key("p", s.U), true) == nil:
		e.Refuse("23503c_p_fkey")
	case s.Table == "p" && (s.Kind == "delete" || s.Kind == "clear" || s.Kind == "move" && s.U != h.ID):
		var found bool
		for _, child := range e.ids("c") {
			r, ok := e.Read(brute.Row("c", child), true).(record)
			found = found || ok && r.U == h.ID
		}
		if found {
			e.Refuse("23503c_p_fkey")
		}
	}
}
