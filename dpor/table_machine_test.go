package dpor_test

import (
	"maps"
	"slices"

	"github.com/txmc/txmc/isolation/reference"
	"github.com/txmc/txmc/isolation/statement"
	"github.com/txmc/txmc/semantics"
)

// The interpreter of programs with a table that the reference runs on. It reads and
// writes what docs/levels.md says.

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
