// What random SQL programs can observe, by definition: which variables MySQL's
// statements read and write (see the package storage).

package mysql_test

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
	ids := map[int]bool{1: true, 2: table == "p", 3: false}
	for _, s := range e.Program.Statements() {
		if s.Table == table && language.Inserts(s) {
			ids[s.ID] = true
		}
	}
	maps.DeleteFunc(ids, func(_ int, in bool) bool { return !in })
	return slices.Sorted(maps.Keys(ids))
}

// see reads a row; what is locked is as it was then.
func (e *evaluator) see(table string, id int) (held, bool) {
	r, ok := e.Read(brute.Row(table, id), false).(record)
	return held{ID: id, Record: r}, ok
}

// lock locks a row.
func (e *evaluator) lock(table string, id int) (held, bool) {
	r, ok := e.Read(brute.Row(table, id), true).(record)
	return held{ID: id, Record: r}, ok
}

// find locks a row if there is one.
func (e *evaluator) find(table string, id int) (held, bool) {
	_, own := e.Written(brute.Row(table, id))
	_, locked := e.Locked(brute.Row(table, id))
	if !own && !locked && e.Read(brute.Key(table, id), false) == nil {
		return held{}, false
	}
	return e.lock(table, id)
}

// scan lists rows that fulfil a condition; a locking one locks them.
func (e *evaluator) scan(table string, ids []int, locking bool, keep func(held) bool, each func(held)) {
	for _, id := range ids {
		h, ok := e.see(table, id)
		if !ok || !keep(h) {
			continue
		}
		if locking {
			if h, ok = e.lock(table, id); !ok || !keep(h) {
				continue
			}
		}
		each(h)
	}
}

// point is whether a row of that number can be there.
func (e *evaluator) point(s statement) bool { return slices.Contains(e.ids(s.Table), s.ID) }

func all(held) bool { return true }

// run evaluates a statement and returns what it answers.
func (e *evaluator) run(s statement) string {
	var rows []held
	collect := func(h held) { rows = append(rows, h) }
	enough := func(h held) bool { return h.V >= s.V }
	switch s.Kind {
	case "insert", "nothing", "upsert", "replace":
		return e.insert(s)
	case "get":
		if h, ok := e.pointRow(s, e.see); ok {
			collect(h)
		}
		return e.Show(rows)
	case "lock":
		if h, ok := e.pointRow(s, e.find); ok {
			collect(h)
		}
		return e.Show(rows)
	case "share":
		e.scan(s.Table, e.ids(s.Table), true, enough, collect)
		return e.Show(rows)
	case "range":
		from := slices.DeleteFunc(e.ids(s.Table), func(id int) bool { return id < s.ID })
		e.scan(s.Table, from, false, all, collect)
		return e.Show(rows)
	case "count":
		e.scan(s.Table, e.ids(s.Table), false, all, collect)
		sum := 0
		for _, h := range rows {
			sum += h.V
		}
		return e.Show([]held{{ID: len(rows), Record: record{V: sum}}})
	case "unique":
		if id, ok := e.Read(brute.Unique(s.U), false).(int); ok && slices.Contains(e.ids("p"), id) {
			if h, ok := e.see("p", id); ok && h.U == s.U {
				collect(h)
			}
		}
		return e.Show(rows)
	}
	n := 0
	change := func(h held) { n += e.change(s, h) }
	if s.Kind == "raise" || s.Kind == "clear" {
		e.scan(s.Table, e.ids(s.Table), true, enough, change)
	} else if h, ok := e.pointRow(s, e.find); ok {
		change(h)
	}
	return fmt.Sprint("n", n)
}

func (e *evaluator) pointRow(s statement, get func(string, int) (held, bool)) (held, bool) {
	if !e.point(s) {
		return held{}, false
	}
	return get(s.Table, s.ID)
}

// change updates or deletes a row, and returns how many it has changed.
func (e *evaluator) change(s statement, h held) int {
	r := h.Record
	switch s.Kind {
	case "set":
		r.V = s.V
	case "last":
		r.V = e.Last + 1
	case "add":
		r.V++
	case "raise":
		r.V += 10
	case "rename":
		r.U = s.U
	case "delete", "clear":
		if s.Table == "p" {
			e.orphans(h.ID)
		}
		e.remove(s.Table, h)
		return 1
	}
	if r == h.Record {
		return 0
	}
	if s.Table == "p" && r.U != h.U {
		if e.Read(brute.Unique(r.U), true) != nil {
			e.Refuse("e1062")
		}
		e.Write(brute.Unique(h.U), nil)
		e.Write(brute.Unique(r.U), h.ID)
	}
	e.Write(brute.Row(s.Table, h.ID), r)
	return 1
}

// remove deletes a row.
func (e *evaluator) remove(table string, h held) {
	e.Write(brute.Key(table, h.ID), nil)
	if table == "p" {
		e.Write(brute.Unique(h.U), nil)
	}
	e.Write(brute.Row(table, h.ID), nil)
}

// insert inserts a row, or does what the statement wants when its keys are taken.
func (e *evaluator) insert(s statement) string {
	if s.Table == "c" {
		e.parent(s.U)
	}
	n := 1
	for {
		other, taken := e.taken(s)
		switch {
		case !taken && s.Table == "c":
			e.Write(brute.Key("c", s.ID), true)
			e.Write(brute.Row("c", s.ID), record{U: s.U, V: s.V})
			return fmt.Sprint("n", n)
		case !taken:
			e.Write(brute.Key("p", s.ID), true)
			e.Write(brute.Unique(s.U), s.ID)
			e.Write(brute.Row("p", s.ID), record{U: s.U, V: s.V})
			return fmt.Sprint("n", n)
		case s.Kind == "insert":
			e.Refuse("e1062")
		case s.Kind == "nothing":
			return "n0"
		}
		h, ok := e.lock("p", other)
		if !ok || other != s.ID && h.U != s.U {
			e.Refuse("a key without its row") // which no level allows: such a history is not kept
		}
		if s.Kind == "upsert" {
			if s.V == 0 {
				return "n0"
			}
			e.Write(brute.Row("p", other), record{U: h.U, V: h.V + s.V})
			return "n2"
		}
		e.orphans(other)
		e.remove("p", h)
		n++
	}
}

// taken is the row that has one of the keys of a row that is inserted.
func (e *evaluator) taken(s statement) (id int, taken bool) {
	if e.Read(brute.Key(s.Table, s.ID), true) != nil {
		return s.ID, true
	}
	if s.Table == "c" {
		return 0, false
	}
	id, taken = e.Read(brute.Unique(s.U), true).(int)
	return id, taken
}

// parent refuses a row without the one that it refers to.
func (e *evaluator) parent(id int) {
	if !slices.Contains(e.ids("p"), id) {
		e.Refuse("e1452")
	}
	if v, own := e.Written(brute.Row("p", id)); own {
		if v == nil {
			e.Refuse("e1452")
		}
		return
	}
	if v, locked := e.Locked(brute.Row("p", id)); locked {
		if v == nil {
			e.Refuse("e1452")
		}
		return
	}
	if e.Read(brute.Key("p", id), true) == nil {
		e.Refuse("e1452")
	}
}

// orphans refuses to delete a row that others refer to: those that ever have.
func (e *evaluator) orphans(id int) {
	found := false
	for _, child := range e.ids("c") {
		if !e.everRefers(child, id) {
			continue
		}
		h, ok := e.lock("c", child)
		found = found || ok && h.U == id
	}
	if found {
		e.Refuse("e1451")
	}
}

// everRefers reports whether a row of c can refer to a row of p.
func (e *evaluator) everRefers(child, parent int) bool {
	if child == 1 && parent == 1 {
		return true
	}
	for _, s := range e.Program.Statements() {
		if s.Table == "c" && s.Kind == "insert" && s.ID == child && s.U == parent {
			return true
		}
	}
	return false
}
