package dpor_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/reference"
	"github.com/txmc/txmc/isolation/statement"
	programs "github.com/txmc/txmc/isolation/statement/random"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/semantics"
)

// Tables at axiomatic levels (docs/levels.md): the engines against the reference, which
// reads and writes what the definition says.

// Variables of the reference: a row by its key, and behind these the values of u. Values:
// 0 is no row; a row is 1 and more; a value of u holds the key of its row.
const uniqueVar = 100

func packed(l line) int { return 1 + 1000 + l.V + 10_000*l.U }

func unpacked(n int) line { return line{(n-1)%10_000 - 1000, (n - 1) / 10_000} }

// tableMachine runs one transaction of statements on given answers to its reads.
type tableMachine struct {
	machine
	rows   []int        // that some transaction inserts, ascending
	insert func(id int) // notes one
	local  int
	failed bool // the transaction is in error

	saved   map[int]int // own, at the savepoint
	settled map[int]int // own, at the first savepoint: later writes may be undone
}

// read is the machine's, but a write that may be undone is no event yet, nor is a read of it.
func (m *tableMachine) read(v int, lock bool) bool {
	own, mine := m.own[v]
	n := len(m.steps)
	if !m.machine.read(v, lock) {
		return false
	}
	if s, was := m.settled[v]; m.settled != nil && mine && (!was || s != own) {
		m.steps = m.steps[:n]
	}
	return true
}

func (m *tableMachine) write(v, val int) {
	n := len(m.steps)
	m.machine.write(v, val)
	if m.settled != nil {
		m.steps = m.steps[:n]
	}
}

// settle makes events of the writes that can no longer be undone.
func (m *tableMachine) settle() {
	if m.settled == nil {
		return
	}
	for v, val := range m.own {
		if s, was := m.settled[v]; !was || s != val {
			m.steps = append(m.steps, reference.Step{Write: true, Var: v, Val: val})
		}
	}
}

// withOrder is a history's form in which writes between two reads are in order.
func withOrder(h *reference.History) string {
	g := &reference.History{Final: h.Final}
	for _, logs := range h.Sessions {
		var list []reference.Log
		for _, l := range logs {
			steps := slices.Clone(l.Steps)
			for i := range steps {
				for k := i; k > 0 && steps[k].Write && steps[k-1].Write && steps[k-1].Var > steps[k].Var; k-- {
					steps[k], steps[k-1] = steps[k-1], steps[k]
				}
			}
			list = append(list, reference.Log{Status: l.Status, Steps: steps})
		}
		g.Sessions = append(g.Sessions, list)
	}
	return g.String()
}

// row reads a row. It reports whether there is an answer.
func (m *tableMachine) row(id int, lock bool) (l line, exists, ok bool) {
	if !m.read(id, lock) {
		return l, false, false
	}
	if m.regs.last == 0 {
		return l, false, true
	}
	return unpacked(m.regs.last), true, true
}

// replace writes a row that was old, both nil for none. It reports whether there is an
// answer, and fails the transaction if the value of u is taken.
func (m *tableMachine) replace(id int, old, l *line) (written, ok bool) {
	was, is := 0, 0
	if old != nil {
		was = old.U
	}
	if l != nil {
		is = l.U
	}
	if is != was && is != 0 {
		if !m.read(uniqueVar+is, true) {
			return false, false
		}
		if m.regs.last != 0 {
			m.failed = true
			return false, true
		}
	}
	if is != was && was != 0 {
		m.write(uniqueVar+was, 0)
	}
	if is != was && is != 0 {
		m.write(uniqueVar+is, id)
	}
	if l == nil {
		m.write(id, 0)
	} else {
		m.write(id, packed(*l))
	}
	return true, true
}

// scan reads the rows that a statement without a key looks at, and calls f with those
// that match. It reports whether there are all answers.
func (m *tableMachine) scan(st *statement.Statement, f func(id int, l line) bool) bool {
	for _, id := range m.rows {
		l, exists, ok := m.row(id, false)
		if !ok {
			return false
		}
		if exists && (st.D == statement.All || l.V >= st.D) && !f(id, l) {
			return false
		}
	}
	return true
}

// newest locks a row that matches and reads it again.
func (m *tableMachine) newest(st *statement.Statement, id int) (l line, matches, ok bool) {
	l, exists, ok := m.row(id, true)
	return l, exists && (st.D == statement.All || l.V >= st.D), ok
}

func (m *tableMachine) do(st *statement.Statement) bool {
	lock := st.Lock != ""
	switch st.Op {
	case statement.Save:
		m.saved = maps.Clone(m.own)
		if m.settled == nil {
			m.settled = m.saved
		}
		return true
	case statement.BackTo:
		m.own = maps.Clone(m.saved)
		return true
	case statement.Get:
		l, _, ok := m.row(st.ID, lock)
		m.local = l.V
		return ok
	case statement.Scan, statement.Agg:
		sum := 0
		defer func() { m.local = sum }()
		return m.scan(st, func(id int, l line) bool {
			if lock {
				again, matches, ok := m.newest(st, id)
				if l = again; !ok || !matches {
					return ok
				}
			}
			sum += l.V
			return true
		})
	case statement.UpdPred, statement.DelPred:
		return m.scan(st, func(id int, _ line) bool {
			if m.failed {
				return true
			}
			l, matches, ok := m.newest(st, id)
			if !ok || !matches {
				return ok
			}
			return m.change(st, id, l)
		})
	case statement.Insert:
		return m.add(st)
	}
	l, exists, ok := m.row(st.ID, true)
	if !ok || !exists {
		return ok
	}
	return m.change(st, st.ID, l)
}

// change updates or deletes a row.
func (m *tableMachine) change(st *statement.Statement, id int, old line) bool {
	l := old
	switch st.Op {
	case statement.DelKey, statement.DelPred:
		_, ok := m.replace(id, &old, nil)
		return ok
	case statement.UpdLocal:
		l.V = m.local + st.C
	case statement.UpdU:
		l.U = st.U
	default:
		l.V += st.C
	}
	_, ok := m.replace(id, &old, &l)
	return ok
}

func (m *tableMachine) add(st *statement.Statement) bool {
	m.insert(st.ID)
	old, exists, ok := m.row(st.ID, true)
	switch {
	case !ok:
		return false
	case exists && st.Conflict == statement.DoUpdate:
		return m.change(st, st.ID, old)
	}
	taken := exists
	if !exists && st.U != 0 {
		if !m.read(uniqueVar+st.U, true) {
			return false
		}
		taken = m.regs.last != 0
	}
	switch {
	case taken && st.Conflict == statement.DoNothing:
		return true
	case taken:
		m.failed = true
		return true
	}
	if st.U != 0 {
		m.write(uniqueVar+st.U, st.ID)
	}
	m.write(st.ID, packed(line{st.C, st.U}))
	return true
}

// transaction runs a transaction of the client.
func (m *tableMachine) transaction(t *statement.Transaction) {
	m.own = map[int]int{}
	for i := range t.Stmts {
		st := &t.Stmts[i]
		if st.Op == statement.Quit {
			if m.local < st.C {
				m.status = semantics.Aborted
				return
			}
			continue
		}
		before := m.local
		if !m.do(st) {
			return // pending
		}
		if m.failed || t.Auto {
			m.local = before
		}
		if m.failed {
			m.status = semantics.Aborted
			return
		}
	}
	if m.status = semantics.Aborted; !t.Rollback {
		m.status = semantics.Committed
		m.settle()
	}
}

// tableBehaviour is what a program does, for the reference. rows are those that some
// transaction inserts: note is told of them.
func tableBehaviour(p *statement.Program, rows []int, note func(id int)) *reference.Program {
	b := &reference.Program{Sessions: len(p.Sessions), Final: -1}
	b.Initial = func(x int) int {
		for _, r := range p.Rows {
			if x == r.ID {
				return packed(line{r.V, r.U})
			}
			if r.U != 0 && x == uniqueVar+r.U {
				return r.ID
			}
		}
		return 0
	}
	b.Run = func(s int, before []reference.Log, answers []int) reference.Run {
		if len(before) == len(p.Sessions[s]) {
			return reference.Run{None: true}
		}
		m := &tableMachine{rows: rows, insert: note}
		for i, l := range before { // what it has read makes its local variable
			past := &tableMachine{rows: rows, insert: note, local: m.local}
			for _, step := range l.Steps {
				if !step.Write && !step.Own {
					past.answers = append(past.answers, step.Val)
				}
			}
			past.transaction(&p.Sessions[s][i])
			m.local = past.local
		}
		m.answers = answers
		m.transaction(&p.Sessions[s][len(before)])
		return reference.Run{Log: reference.Log{Status: m.status, Steps: m.steps}, Asks: m.asks}
	}
	return b
}

// tableHistories are the histories of a program by the definition; nil if they are many.
func tableHistories(p *statement.Program, limit int) map[string]*reference.History {
	inserted := map[int]bool{}
	for _, r := range p.Rows {
		inserted[r.ID] = true
	}
	for {
		rows := slices.Sorted(maps.Keys(inserted))
		all := tableBehaviour(p, rows, func(id int) { inserted[id] = true }).Histories(limit, nil)
		if all == nil || len(rows) == len(inserted) {
			return all
		}
	}
}

// exploredHistories are those that the engine lists.
func exploredHistories(t *testing.T, p *statement.Program, level isolation.Level) map[string]bool {
	t.Helper()
	c, err := program.NewClient("ExploreTest", withTable(p), program.Options{Recheck: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Park()
	x := dpor.Explore(context.Background(), c, dpor.Options{Level: level, Base: level.Base(), List: true, All: true, Workers: 1})
	out := map[string]bool{}
	for f, err := range x.Histories() {
		if err != nil {
			t.Fatalf("%v\n%s", err, p.Text())
		}
		h, err := reference.Of(f.History, func(x program.VarID) int {
			n := 0
			if _, err := fmt.Sscanf(c.Key(x), "t(u)/%d", &n); err == nil {
				return uniqueVar + n
			}
			fmt.Sscanf(c.Key(x), "t/%d", &n)
			return n
		}, func(v program.ValueID) int {
			switch v := c.Value(v).(type) {
			case line:
				return packed(v)
			case int:
				return v
			}
			return 0
		})
		if err != nil {
			t.Fatal(err)
		}
		out[withOrder(h)] = true
	}
	return out
}

// TestTableAxioms: on random programs with a table, the engines list exactly the
// histories of the reference at all six levels.
func TestTableAxioms(t *testing.T) {
	t.Parallel()
	done, total, saves := 0, 0, 0
	for k := int64(seed()) * 1_000_000; done < *tablesFlag/2; k++ {
		p := programs.Program(k, programs.Features{DB: statement.PostgreSQL, Level: statement.ReadCommitted, Budget: 150, Save: k%2 == 0})
		if !axiomatic(p) {
			continue
		}
		all := tableHistories(p, 400)
		if all == nil {
			continue
		}
		done++
		if strings.Contains(p.Text(), "ROLLBACK TO") {
			saves++
		}
		for _, level := range isolation.Levels() {
			want := map[string]bool{}
			for _, h := range all {
				if h.Relations().Satisfies(level) {
					want[withOrder(h)] = true
				}
			}
			total += len(want)
			if got := exploredHistories(t, p, level); !maps.Equal(got, want) {
				t.Fatalf("seed %d at %v: got %d\n%s\nwant %d\n%s\nof\n%s", k, level, len(got), sorted(got), len(want), sorted(want), p.Text())
			}
		}
	}
	t.Logf("%d programs, %d with ROLLBACK TO, %d histories", done, saves, total)
}

// axiomatic makes a program one that means the same on a database and at an axiomatic
// level: what a client does after an error, and locks that do not wait, are left out.
func axiomatic(p *statement.Program) bool {
	for _, txns := range p.Sessions {
		for i := range txns {
			txns[i].GoOn = false
			for k := range txns[i].Stmts {
				txns[i].Stmts[k].Wait = ""
			}
		}
	}
	return known(p)
}
