// What random SQL programs can observe, by definition: a small evaluator of the
// statements says which variables they read and write (see the package storage),
// and isolation/reference which histories a level allows. Nothing here is shared
// with the engine, the storage or the exploration.

package mysql_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/reference"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/semantics"
)

// record is a row: u is the unique value, or the parent.
type record struct{ u, v int }

// brute numbers the variables and values of a program. Value 0 is nil.
type brute struct {
	program randomProgram
	names   map[string]int
	values  map[any]int
	list    []any
	initial map[int]int
}

func newBrute(p randomProgram) *brute {
	b := &brute{program: p, names: map[string]int{}, values: map[any]int{nil: 0}, list: []any{nil}, initial: map[int]int{}}
	for name, v := range map[string]any{
		"p/1": record{1, 0}, "p/2": record{2, 1}, "c/1": record{1, 0}, "p/1 key": true, "p/2 key": true, "c/1 key": true,
		"p(u)/1": 1, "p(u)/2": 2,
	} {
		b.initial[b.variable(name)] = b.value(v)
	}
	return b
}

func (b *brute) variable(name string) int {
	if _, ok := b.names[name]; !ok {
		b.names[name] = len(b.names)
	}
	return b.names[name]
}

func (b *brute) value(v any) int {
	if _, ok := b.values[v]; !ok {
		b.values[v] = len(b.list)
		b.list = append(b.list, v)
	}
	return b.values[v]
}

// ids are the rows that can be in a table.
func (b *brute) ids(table string) []int {
	ids := map[int]bool{1: true, 2: table == "p", 3: false}
	for _, session := range b.program {
		for _, tx := range session {
			for _, s := range tx {
				if s.table == table && (strings.HasPrefix(kinds[s.kind], "INSERT") || s.kind == "replace") {
					ids[s.id] = true
				}
			}
		}
	}
	maps.DeleteFunc(ids, func(_ int, in bool) bool { return !in })
	return slices.Sorted(maps.Keys(ids))
}

// write is a write that the open transaction has made.
type write struct {
	name  string
	value any
}

// evaluator runs a session's transactions.
type evaluator struct {
	*brute
	seen    strings.Builder
	last    int
	answers []int // to the reads of the running transaction

	steps  []reference.Step
	own    []write
	locked map[string]any // read by locking reads
}

// asks ends an evaluation for want of an answer.
type asks int

// refused ends a statement by an error.
type refused string

// read reads a variable: the transaction's own write, what it has locked, or the
// next answer.
func (e *evaluator) read(name string, lock bool) any {
	if v, ok := e.written(name); ok {
		return v
	}
	if v, ok := e.locked[name]; ok {
		return v
	}
	x := e.variable(name)
	if len(e.answers) == 0 {
		panic(asks(x))
	}
	v := e.answers[0]
	e.answers = e.answers[1:]
	e.steps = append(e.steps, reference.Step{Var: x, Val: v, Lock: lock})
	if lock {
		e.locked[name] = e.list[v]
	}
	return e.list[v]
}

func (e *evaluator) written(name string) (any, bool) {
	for _, w := range slices.Backward(e.own) {
		if w.name == name {
			return w.value, true
		}
	}
	return nil, false
}

func (e *evaluator) write(name string, v any) { e.own = append(e.own, write{name, v}) }

func row(table string, id int) string { return fmt.Sprintf("%s/%d", table, id) }
func key(table string, id int) string { return fmt.Sprintf("%s/%d key", table, id) }
func unique(u int) string             { return fmt.Sprintf("p(u)/%d", u) }

// held is a row of the result of a scan.
type held struct {
	id int
	record
}

// see reads a row; what is locked is as it was then.
func (e *evaluator) see(table string, id int) (held, bool) {
	r, ok := e.read(row(table, id), false).(record)
	return held{id, r}, ok
}

// lock locks a row.
func (e *evaluator) lock(table string, id int) (held, bool) {
	r, ok := e.read(row(table, id), true).(record)
	return held{id, r}, ok
}

// find locks a row if there is one.
func (e *evaluator) find(table string, id int) (held, bool) {
	_, own := e.written(row(table, id))
	_, locked := e.locked[row(table, id)]
	if !own && !locked && e.read(key(table, id), false) == nil {
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
func (e *evaluator) point(s statement) bool { return slices.Contains(e.ids(s.table), s.id) }

func all(held) bool { return true }

// run evaluates a statement and returns what it answers.
func (e *evaluator) run(s statement) string {
	var rows []held
	collect := func(h held) { rows = append(rows, h) }
	enough := func(h held) bool { return h.v >= s.v }
	switch s.kind {
	case "insert", "nothing", "upsert", "replace":
		return e.insert(s)
	case "get":
		if h, ok := e.pointRow(s, e.see); ok {
			collect(h)
		}
		return e.show(rows)
	case "lock":
		if h, ok := e.pointRow(s, e.find); ok {
			collect(h)
		}
		return e.show(rows)
	case "share":
		e.scan(s.table, e.ids(s.table), true, enough, collect)
		return e.show(rows)
	case "range":
		from := slices.DeleteFunc(e.ids(s.table), func(id int) bool { return id < s.id })
		e.scan(s.table, from, false, all, collect)
		return e.show(rows)
	case "count":
		e.scan(s.table, e.ids(s.table), false, all, collect)
		sum := 0
		for _, h := range rows {
			sum += h.v
		}
		return e.show([]held{{len(rows), record{0, sum}}})
	case "unique":
		if id, ok := e.read(unique(s.u), false).(int); ok && slices.Contains(e.ids("p"), id) {
			if h, ok := e.see("p", id); ok && h.u == s.u {
				collect(h)
			}
		}
		return e.show(rows)
	}
	n := 0
	change := func(h held) { n += e.change(s, h) }
	if s.kind == "raise" || s.kind == "clear" {
		e.scan(s.table, e.ids(s.table), true, enough, change)
	} else if h, ok := e.pointRow(s, e.find); ok {
		change(h)
	}
	return fmt.Sprint("n", n)
}

func (e *evaluator) pointRow(s statement, get func(string, int) (held, bool)) (held, bool) {
	if !e.point(s) {
		return held{}, false
	}
	return get(s.table, s.id)
}

func (e *evaluator) show(rows []held) string {
	answer := "r"
	for _, h := range rows {
		e.last = h.v
		answer += fmt.Sprintf("(%d,%d)", h.id, h.v)
	}
	return answer
}

// change updates or deletes a row, and returns how many it has changed.
func (e *evaluator) change(s statement, h held) int {
	r := h.record
	switch s.kind {
	case "set":
		r.v = s.v
	case "last":
		r.v = e.last + 1
	case "add":
		r.v++
	case "raise":
		r.v += 10
	case "rename":
		r.u = s.u
	case "delete", "clear":
		if s.table == "p" {
			e.orphans(h.id)
		}
		e.remove(s.table, h)
		return 1
	}
	if r == h.record {
		return 0
	}
	if s.table == "p" && r.u != h.u {
		if e.read(unique(r.u), true) != nil {
			panic(refused("e1062"))
		}
		e.write(unique(h.u), nil)
		e.write(unique(r.u), h.id)
	}
	e.write(row(s.table, h.id), r)
	return 1
}

// remove deletes a row.
func (e *evaluator) remove(table string, h held) {
	e.write(key(table, h.id), nil)
	if table == "p" {
		e.write(unique(h.u), nil)
	}
	e.write(row(table, h.id), nil)
}

// insert inserts a row, or does what the statement wants when its keys are taken.
func (e *evaluator) insert(s statement) string {
	if s.table == "c" {
		e.parent(s.u)
	}
	n := 1
	for {
		other, taken := e.taken(s)
		switch {
		case !taken && s.table == "c":
			e.write(key("c", s.id), true)
			e.write(row("c", s.id), record{s.u, s.v})
			return fmt.Sprint("n", n)
		case !taken:
			e.write(key("p", s.id), true)
			e.write(unique(s.u), s.id)
			e.write(row("p", s.id), record{s.u, s.v})
			return fmt.Sprint("n", n)
		case s.kind == "insert":
			panic(refused("e1062"))
		case s.kind == "nothing":
			return "n0"
		}
		h, _ := e.lock("p", other) // the axiom rules out that there is none
		if s.kind == "upsert" {
			if s.v == 0 {
				return "n0"
			}
			e.write(row("p", other), record{h.u, h.v + s.v})
			return "n2"
		}
		e.orphans(other)
		e.remove("p", h)
		n++
	}
}

// taken is the row that has one of the keys of a row that is inserted.
func (e *evaluator) taken(s statement) (id int, taken bool) {
	if e.read(key(s.table, s.id), true) != nil {
		return s.id, true
	}
	if s.table == "c" {
		return 0, false
	}
	id, taken = e.read(unique(s.u), true).(int)
	return id, taken
}

// parent refuses a row without the one that it refers to.
func (e *evaluator) parent(id int) {
	if !slices.Contains(e.ids("p"), id) {
		panic(refused("e1452"))
	}
	if v, own := e.written(row("p", id)); own {
		if v == nil {
			panic(refused("e1452"))
		}
		return
	}
	if v, locked := e.locked[row("p", id)]; locked {
		if v == nil {
			panic(refused("e1452"))
		}
		return
	}
	if e.read(key("p", id), true) == nil {
		panic(refused("e1452"))
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
		found = found || ok && h.u == id
	}
	if found {
		panic(refused("e1451"))
	}
}

// everRefers reports whether a row of c can refer to a row of p.
func (e *evaluator) everRefers(child, parent int) bool {
	if child == 1 && parent == 1 {
		return true
	}
	for _, session := range e.program {
		for _, tx := range session {
			for _, s := range tx {
				if s.table == "c" && s.kind == "insert" && s.id == child && s.u == parent {
					return true
				}
			}
		}
	}
	return false
}

// transaction runs a transaction with the answers to its reads.
func (e *evaluator) transaction(tx []statement, answers []int) (run reference.Run) {
	e.answers, e.steps, e.own, e.locked = answers, nil, nil, map[string]any{}
	run.Status = semantics.Pending
	defer func() {
		run.Steps = e.steps
		if x := recover(); x != nil {
			run.Asks = int(x.(asks))
		}
	}()
	run.Status = e.body(tx)
	if run.Status == semantics.Committed {
		for _, w := range e.own {
			e.steps = append(e.steps, reference.Step{Write: true, Var: e.variable(w.name), Val: e.value(w.value)})
		}
	}
	return run
}

func (e *evaluator) body(tx []statement) semantics.Status {
	for _, s := range tx {
		before := len(e.own)
		failed := e.attempt(s)
		switch {
		case failed && !s.guarded:
			return semantics.Aborted
		case failed || s.undone:
			e.own = e.own[:before]
		}
	}
	return semantics.Committed
}

// attempt runs a statement and reports whether it fails.
func (e *evaluator) attempt(s statement) (failed bool) {
	defer func() {
		switch why := recover().(type) {
		case nil:
		case refused:
			e.seen.WriteString(string(why) + " ")
			failed = true
		default:
			panic(why)
		}
	}()
	e.seen.WriteString(e.run(s) + " ")
	return false
}

// replay runs the transactions of a session that have logs.
func (b *brute) replay(s int, logs []reference.Log) *evaluator {
	e := &evaluator{brute: b}
	for i, l := range logs {
		var answers []int
		for _, step := range l.Steps {
			if !step.Write {
				answers = append(answers, step.Val)
			}
		}
		e.transaction(b.program[s][i], answers)
	}
	return e
}

// outcomes are what the sessions can observe at a level; nil when there are too many
// histories to list.
func (b *brute) outcomes(level isolation.Level, limit int) map[string]bool {
	p := &reference.Program{Sessions: len(b.program), Final: -1, Initial: func(x int) int { return b.initial[x] },
		Run: func(s int, before []reference.Log, answers []int) reference.Run {
			if len(before) == len(b.program[s]) {
				return reference.Run{None: true}
			}
			return b.replay(s, before).transaction(b.program[s][len(before)], answers)
		}}
	histories := p.Histories(limit, func(h *reference.History) bool { return h.Satisfies(level) })
	if histories == nil {
		return nil
	}
	set := map[string]bool{}
	for _, h := range histories {
		o := ""
		for s, logs := range h.Sessions {
			o += fmt.Sprintf("%d=%s ", s, b.replay(s, logs).seen.String())
		}
		set[o] = true
	}
	return set
}

// At all levels the outcomes of random programs are those of the definition.
func TestRandomPrograms(t *testing.T) {
	const limit = 20000
	forPrograms(t, *programs, func(t *testing.T, p randomProgram, c *program.Client) {
		b := newBrute(p)
		for _, level := range allLevels {
			want := b.outcomes(level, limit)
			if want == nil {
				t.Skip("too many histories")
			}
			got := exploreAt(t, c, level)
			compare(t, level.String(), got.outcomes, want)
		}
	})
}

// compare compares sets of outcomes.
func compare(t *testing.T, what string, got map[string]int, want map[string]bool) {
	t.Helper()
	for o := range want {
		if got[o] == 0 {
			t.Errorf("%s: not explored: %s", what, o)
		}
	}
	for o := range got {
		if !want[o] {
			t.Errorf("%s: not allowed: %s", what, o)
		}
	}
}
