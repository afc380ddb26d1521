// What random SQL programs can observe, by definition: a small evaluator of the
// statements says which variables they read and write (see the package storage),
// and isolation/reference which histories a level allows. Nothing here is shared
// with the engine, the storage or the exploration.

package pg_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/reference"
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
	ids, more := map[int]bool{1: true, 2: table == "p"}, 0
	for _, s := range b.program.statements() {
		switch {
		case table == "p" && s.kind == "move" || table == "c" && s.kind == "copy":
			ids[s.u] = true
		case table == "c" && s.kind == "next":
			more++
		case s.table == table && strings.HasPrefix(kinds[s.kind], "INSERT"):
			ids[s.id] = true
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

// statements are all of a program.
func (p randomProgram) statements() (all []statement) {
	for _, session := range p {
		for _, tx := range session {
			all = append(all, tx...)
		}
	}
	return all
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

// scan reads the rows that keep may let through, then lets it decide.
func (e *evaluator) scan(table string, ids []int, keep func(held) bool) (rows []held) {
	for _, id := range ids {
		if r, ok := e.read(row(table, id), false).(record); ok && keep(held{id, r}) {
			rows = append(rows, held{id, r})
		}
	}
	return rows
}

// newest locks rows, and keeps those that are still there and let through.
func (e *evaluator) newest(table string, rows []held, keep func(held) bool) (list []held) {
	for _, h := range rows {
		if r, ok := e.read(row(table, h.id), true).(record); ok && keep(held{h.id, r}) {
			list = append(list, held{h.id, r})
		}
	}
	return list
}

// rows are the rows that a statement is about, as it sees them at first.
func (e *evaluator) rows(s statement) ([]held, func(held) bool) {
	all, some := e.ids(s.table), []int{}
	keep := func(held) bool { return true }
	switch s.kind {
	case "count":
		some = all
	case "range":
		for _, id := range all {
			if id >= s.id {
				some = append(some, id)
			}
		}
	case "raise", "clear":
		some = all
		keep = func(h held) bool { return h.v >= s.v }
	case "unique":
		return e.byUnique(s.u), nil
	default:
		if s.kind == "least" {
			keep = func(h held) bool { return h.v <= s.v }
		}
		if slices.Contains(all, s.id) {
			some = []int{s.id}
		}
	}
	return e.scan(s.table, some, keep), keep
}

// byUnique finds rows by the unique value: who has it, and own changes.
func (e *evaluator) byUnique(u int) []held {
	holder, _ := e.read(unique(u), false).(int)
	var ids []int
	for _, id := range e.ids("p") {
		if _, own := e.written(row("p", id)); own || id == holder {
			ids = append(ids, id)
		}
	}
	return e.scan("p", ids, func(h held) bool { return h.u == u })
}

// run evaluates a statement and returns what it answers.
func (e *evaluator) run(s statement) string {
	if strings.HasPrefix(kinds[s.kind], "INSERT") {
		return e.add(s)
	}
	if s.kind == "join" {
		return e.join()
	}
	rows, keep := e.rows(s)
	switch s.kind {
	case "get", "range", "unique":
		return e.show(rows)
	case "count":
		sum := 0
		for _, h := range rows {
			sum += h.v
		}
		return e.show([]held{{len(rows), record{0, sum}}})
	}
	seen := rows
	rows = e.newest(s.table, rows, keep)
	if s.kind == "lock" || s.kind == "share" {
		return e.show(rows)
	}
	for i := range rows {
		rows[i].v = e.change(s, rows[i])
	}
	for _, h := range rows {
		e.refers(s, h)
	}
	switch {
	case s.kind == "old" && len(rows) > 0: // the subquery sees what the statement has seen at first
		return e.show(seen)
	case s.kind == "bump", s.kind == "old":
		return e.show(rows)
	}
	return fmt.Sprint("n", len(rows))
}

// add evaluates a statement that inserts.
func (e *evaluator) add(s statement) string {
	switch s.kind {
	case "absent":
		if e.read(row("p", s.id), false) != nil {
			return "n0"
		}
	case "copy":
		r, ok := e.read(row("p", s.id), false).(record)
		if !ok {
			return "n0"
		}
		s.id, s.u, s.v = s.u, s.id, r.v
	case "next":
		most := 0
		for _, h := range e.scan("c", e.ids("c"), func(held) bool { return true }) {
			most = max(most, h.id)
		}
		s.id = most + 1
	case "nothing":
		if e.read(key("p", s.id), true) != nil || e.read(unique(s.u), true) != nil {
			return "n0"
		}
	case "upsert":
		if e.read(key("p", s.id), true) != nil {
			return e.merge(s.id, s.v)
		}
	case "merge":
		if id, ok := e.read(unique(s.u), true).(int); ok {
			return e.merge(id, s.v)
		}
	}
	return e.insert(s)
}

// merge adds to the row that is there. That it is, the axiom of locking reads says.
func (e *evaluator) merge(id, v int) string {
	r, _ := e.read(row("p", id), true).(record)
	e.write(row("p", id), record{r.u, r.v + v})
	return "n1"
}

// join reads the rows of c, and of p those that they refer to, each once.
func (e *evaluator) join() string {
	var rows []held
	parents := map[int]any{}
	for _, h := range e.scan("c", e.ids("c"), func(held) bool { return true }) {
		if _, known := parents[h.u]; !known {
			parents[h.u] = e.read(row("p", h.u), false)
		}
		if r, ok := parents[h.u].(record); ok {
			rows = append(rows, held{h.id, r})
		}
	}
	return e.show(rows)
}

func (e *evaluator) show(rows []held) string {
	answer := "r"
	for _, h := range rows {
		e.last = h.v
		answer += fmt.Sprintf("(%d,%d)", h.id, h.v)
	}
	return answer
}

// change updates or deletes a row, and returns its new value.
func (e *evaluator) change(s statement, h held) int {
	r := h.record
	switch s.kind {
	case "set":
		r.v = s.v
	case "last":
		r.v = e.last + 1
	case "add", "bump", "old", "least":
		r.v++
	case "raise":
		r.v += 10
	case "adopt":
		r.u = s.u
	case "rename":
		if r.u != s.u {
			e.write(unique(r.u), nil)
			r.u = s.u
			e.claim(unique(s.u), h.id, "p_u_key")
		}
	case "delete", "clear":
		e.remove(s.table, h)
		return 0
	case "move":
		if s.u != h.id {
			e.remove("p", h)
			e.insert(statement{table: "p", id: s.u, u: r.u, v: r.v})
			return r.v
		}
	}
	e.write(row(s.table, h.id), r)
	return r.v
}

// remove writes that a row is gone.
func (e *evaluator) remove(table string, h held) {
	e.write(row(table, h.id), nil)
	e.write(key(table, h.id), nil)
	if table == "p" {
		e.write(unique(h.u), nil)
	}
}

// claim writes a key that nobody may have.
func (e *evaluator) claim(name string, v any, constraint string) {
	taken := e.read(name, true) != nil
	e.write(name, v)
	if taken {
		panic(refused("23505" + constraint))
	}
}

func (e *evaluator) insert(s statement) string {
	id := key(s.table, s.id)
	if s.table == "c" {
		e.claim(id, true, "c_pkey")
		e.write(row("c", s.id), record{s.u, s.v})
		if e.read(key("p", s.u), true) == nil {
			panic(refused("23503c_p_fkey"))
		}
		return "n1"
	}
	taken := e.read(id, true) != nil
	e.write(id, true)
	if taken { // the value is looked at too
		e.read(unique(s.u), true)
		panic(refused("23505p_pkey"))
	}
	e.claim(unique(s.u), s.id, "p_u_key")
	e.write(row("p", s.id), record{s.u, s.v})
	return "n1"
}

// refers refuses what a foreign key forbids: to do away with a row that others refer
// to, and to refer to one that is not there.
func (e *evaluator) refers(s statement, h held) {
	switch {
	case s.kind == "adopt" && s.u != h.u && e.read(key("p", s.u), true) == nil:
		panic(refused("23503c_p_fkey"))
	case s.table == "p" && (s.kind == "delete" || s.kind == "clear" || s.kind == "move" && s.u != h.id):
		var found bool
		for _, child := range e.ids("c") {
			r, ok := e.read(row("c", child), true).(record)
			found = found || ok && r.u == h.id
		}
		if found {
			panic(refused("23503c_p_fkey"))
		}
	}
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

// histories lists the complete histories of a level; nil when there are too many.
func (b *brute) histories(level isolation.Level, limit int) map[string]*reference.History {
	p := &reference.Program{Sessions: len(b.program), Final: -1, Initial: func(x int) int { return b.initial[x] },
		Run: func(s int, before []reference.Log, answers []int) reference.Run {
			if len(before) == len(b.program[s]) {
				return reference.Run{None: true}
			}
			return b.replay(s, before).transaction(b.program[s][len(before)], answers)
		}}
	return p.Histories(limit, func(h *reference.History) bool { return h.Satisfies(level) })
}

// outcomes are what the sessions can observe in some histories.
func (b *brute) outcomes(histories map[string]*reference.History) map[string]bool {
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

// At all levels the outcomes of random programs are those of the definition. The
// histories of a level are those of a weaker one that satisfy it.
func TestRandomPrograms(t *testing.T) {
	const limit = 3000
	sizes := map[isolation.Level]int{}
	forPrograms(t, *programs, func(t *testing.T, p trial) bool {
		b := newBrute(p.randomProgram)
		histories := b.histories(allLevels[0], limit)
		if histories == nil {
			return false
		}
		want := map[isolation.Level]map[string]bool{}
		for _, level := range allLevels {
			maps.DeleteFunc(histories, func(_ string, h *reference.History) bool { return !h.Satisfies(level) })
			want[level] = b.outcomes(histories)
			sizes[level] += len(histories)
		}
		for _, level := range p.levels {
			compare(t, level.String(), p.explore(t, level).outcomes, want[level])
		}
		return true
	})
	t.Logf("histories by level: %v", sizes)
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
