package innodb

import (
	"testing"

	"github.com/txmc/txmc/isolation/statement"
)

// explorer explores a program in the obvious way: every choice in every state.
type explorer struct {
	t        testing.TB
	outcomes map[string]int // by outcome: executions
	visited  map[Key]bool   // nil: states are visited as often as they are reached
	sane     bool
	stack    []*Machine
	texts    map[Key]string // of outcomes
	keyer    Keyer
	// executions counts the ends of executions, steps the choices taken.
	executions, steps int
}

func explore(t testing.TB, p *statement.Program, o Options, once bool) *explorer {
	t.Helper()
	m, err := NewMachine(p, o)
	if err != nil {
		t.Fatal(err)
	}
	e := &explorer{t: t, outcomes: map[string]int{}, stack: []*Machine{m}, texts: map[Key]string{}, sane: true}
	if once {
		e.visited = map[Key]bool{}
	}
	e.visit(0)
	return e
}

func (e *explorer) visit(depth int) {
	m := e.stack[depth]
	if e.sane {
		e.waits(m)
		if err := m.Check(); err != nil {
			e.t.Fatalf("%v\n%s", err, m.program.source.Text())
		}
	}
	var before Key
	if e.visited != nil {
		if before = m.Key(&e.keyer); e.visited[before] {
			return
		}
		e.visited[before] = true
	}
	var room [8]Choice
	choices := m.Enabled(room[:0])
	if len(choices) == 0 {
		if m.Stuck() {
			e.t.Fatalf("all sessions are blocked\n%s", m.program.source.Text())
		}
		e.executions++
		e.end(m)
		return
	}
	if len(e.stack) == depth+1 {
		e.stack = append(e.stack, &Machine{})
	}
	for _, c := range choices {
		next := e.stack[depth+1]
		next.CopyFrom(m)
		next.Step(c)
		e.steps++
		e.visit(depth + 1)
	}
	if e.visited != nil && m.Key(&e.keyer) != before {
		e.t.Fatalf("a step of a copy has changed the state\n%s", m.program.source.Text())
	}
}

// end counts the outcome of an execution.
func (e *explorer) end(m *Machine) {
	key := m.outcomeKey(&e.keyer)
	text, known := e.texts[key]
	if !known {
		text = m.Outcome()
		e.texts[key] = text
	}
	e.outcomes[text]++
}

// outcomeKey computes the key of the outcome, for a final state: equal keys are
// equal outcomes.
func (m *Machine) outcomeKey(k *Keyer) Key {
	k.Reset(&m.state)
	for i := range m.runs {
		k.Add(int(m.runs[i].past))
	}
	for _, first := range m.state.catalog.first {
		for _, r := range m.state.order[first] {
			if c := &m.state.records[r]; !c.marked {
				k.AddValues(c.newest.row)
			}
		}
	}
	return k.Sum()
}

// waits checks that a session that is blocked waits for another one.
func (e *explorer) waits(m *Machine) {
	for i := range m.runs {
		if _, session, blocked := m.Waiting(i); blocked && (session == i || !m.runs[session].busy && m.runs[session].trx == none) {
			e.t.Fatalf("session %d waits for session %d\n%s", i, session, m.program.source.Text())
		}
	}
}
