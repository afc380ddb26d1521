// Package states explores a program under the model of a database: it visits the states of the
// program and of the database.
//
//	Engine       the search, depth first, that visits each state once: engine.go
//	state        of the sessions and of the database; database.go makes the steps between states
//	choices      what may come next: choices.go, and inside statements points.go
//	keys         sets of states that were visited: visited.go; up to permutations of sessions: canonical.go
//	outcomes     what an execution has come to: outcome.go, errors.go, hang.go, serial_orders.go
//	tasks        what workers share, and processes: task.go, memory.go, region.go
//	executions   step by step: execution.go, events.go
//
// The databases' models are packages of isolation.
package states

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"

	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// Engine is the engine under a database's own concurrency control: it visits every
// state that a program reaches, depth first, and each only once. Two states are the
// same when the database has the same future in both and each session has had the same
// answers. So each outcome comes once: what the sessions saw, how their transactions
// ended, and the values that are left.
//
// A key stands for a state: a hash of 128 bits over a normal form of the database's
// state and the nodes of the sessions (model.Keyer). docs/databases.md compares
// this with sleep sets.
//
// Workers share the sets of states and outcomes, and what a state has left to try.
type Engine struct {
	*work.Worker
	delivery *work.Delivery
	database
	*memory
	Extent
	keys
	path
	restored restored
	attempt
	serialOrders *serialOrders // nil: outcomes need not be those of serial orders
	databaseErrors
	walked
}

// walked is how far an engine has gone.
type walked struct {
	steps   int64
	leftOut bool // a bound of Extent has left something out
}

// keys makes keys of states.
type keys struct {
	keyer model.Keyer
	alike *alike // nil unless sessions are alike
	key   []byte
	ids   []uint64
}

// path leads to the state that is visited.
type path struct {
	schedule []model.Choice // to the first of states
	states   []*state
	depth    int // of the state that is visited, when somebody asks
	oldest   int // states before this one have no choice left
}

// Extent is which executions are explored.
type Extent struct {
	Probe    work.Probe // random executions, after so many states
	Bounded  bool       // there are at most so many deviations from serial runs: bounds.go
	Most     int
	Whole    bool // a switch between transactions is a deviation too
	Switches int  // at most; 0: any number
	Every    bool // no state is left out because it has been visited
	Ways     bool // no execution is left out because another one has its outcome
}

// All begins at the first state.
func (e *Engine) All() (work.Task, error) {
	m, err := e.first()
	if err != nil {
		return nil, err
	}
	e.enable(m)
	return &task{kind: work.WholeCall, m: m}, nil
}

// Do explores what a task stands for: a state, or the choices that one has left.
func (e *Engine) Do(t work.Task) error {
	s := t.(*task)
	if e.alike.misplaced(s.m) {
		return nil
	}
	if e.cut != nil && e.begins(s) {
		return nil
	}
	e.schedule, e.depth, e.oldest = s.schedule, 0, 0
	if len(e.states) == 0 {
		e.states = append(e.states, nil)
	}
	e.states[0] = s.m
	if s.kind == work.WholeCall {
		return e.visit(0)
	}
	return e.goOn(0)
}

// visit explores what follows the state at that depth.
func (e *Engine) visit(depth int) error {
	m := e.states[depth]
	if e.alike.misplaced(m) {
		return nil
	}
	if e.looks.News() {
		return ErrLooked
	}
	if e.cut != nil && depth > 0 && e.crosses(m, depth) {
		return nil
	}
	if e.limit > 0 && e.Count.Explored >= e.limit {
		return errSpent
	}
	if e.Probe.After > 0 && e.Count.Explored >= e.Probe.After {
		if err := e.walk(); err != nil {
			return err
		}
	}
	if e.Enter(len(e.schedule) + depth) {
		e.depth = depth
		if err := e.Attend(); err != nil {
			return err
		}
	}
	if !e.Every && !e.seen.add(e.keyOf(m)) {
		e.Count.Explored--
		return nil
	}
	if len(m.choices) == 0 {
		return e.settle(depth)
	}
	return e.goOn(depth)
}

// ErrLooked ends an exploration when a statement has looked at what is no part of the keys of its
// states: it begins again, with these.
var ErrLooked = errors.New("a statement has looked at what was left out")

// goOn takes the choices that the state at that depth has left.
func (e *Engine) goOn(depth int) error {
	m, n := e.states[depth], e.at(depth+1)
	for m.next < len(m.choices) {
		m.next++
		n.copyFrom(m)
		if !e.admits(m, m.taken(), n) {
			continue
		}
		e.steps++
		if err := e.step(n, m.taken()); err != nil {
			return err
		}
		if err := e.visit(depth + 1); err != nil {
			return err
		}
	}
	e.oldest = min(e.oldest, depth)
	return nil
}

func (e *Engine) at(depth int) *state {
	if depth == len(e.states) {
		e.states = append(e.states, &state{rows: e.states[0].rows.Empty()})
	}
	return e.states[depth]
}

func (e *Engine) keyOf(m *state) model.Key {
	if e.keyer == nil {
		e.keyer = m.rows.NewKeyer()
	}
	if e.alike != nil {
		return e.leastKey(m)
	}
	e.ids = e.ids[:0]
	for _, n := range m.nodes {
		e.ids = append(e.ids, uint64(n.ID))
	}
	e.addSwitched(m, m.last)
	if m.fair {
		e.ids = append(e.ids, 1<<63)
	}
	return e.keyer.Key(m.rows, e.ids)
}

// settle counts the outcome of a complete execution, and hands it on if it is
// wanted.
func (e *Engine) settle(depth int) error {
	m, d := e.states[depth], e.delivery
	outcome, orbit := e.outcomeOf(m)
	if !e.outcomes.add(outcome) && !e.Ways {
		return nil
	}
	for _, n := range m.nodes {
		if n.Dropped {
			e.Count.Blocked++
			return nil
		}
	}
	if d.Limit > 0 && d.Counted.Add(1) > d.Limit {
		e.outcomes.remove(outcome) // it is met again when somebody goes on
		e.seen.remove(e.keyOf(m))
		e.depth = depth
		e.Leave()
		return e.Stop(work.ByMaxHistories)
	}
	e.Count.EndStates++
	e.Count.Histories++
	e.Count.Permuted += orbit
	e.tally(m.nodes)
	failures, err := e.judge(m)
	if err != nil {
		return err
	}
	if len(failures) > 0 {
		e.Count.Violations++
		e.Count.PermutedViolations += orbit
	} else if !d.List {
		return nil
	}
	found := e.found(depth, failures)
	found.Orbit = orbit
	if err := d.Send(found); err != nil {
		return err
	}
	if len(failures) > 0 && !d.All {
		return e.Stop(work.ByViolation)
	}
	return nil
}

// outcomeOf is a hash of what the sessions saw and of the values that are left, and how many
// outcomes permutations of sessions make of this one.
func (e *Engine) outcomeOf(m *state) (k model.Key, orbit int64) {
	e.key = e.key[:0]
	if orbit = 1; e.alike != nil {
		orbit = e.appendSaw(m.nodes)
	} else {
		for _, n := range m.nodes {
			e.key = binary.AppendUvarint(e.key, uint64(n.Saw()))
			if n.Kind != behaviour.End { // it waits for ever
				e.key = binary.AppendUvarint(e.key, uint64(n.ID))
			}
		}
	}
	e.key = appendLeft(e.key, m.rows)
	for x := range m.rows.Len() {
		if v := left(m.rows, x); changed(e.prog, x, v) {
			e.key = binary.AppendUvarint(e.key, uint64(x))
			e.key = binary.AppendVarint(e.key, int64(v))
		}
	}
	sum := sha256.Sum256(e.key)
	return model.Key{binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])}, orbit
}

// changed reports whether the value that is left of a row says something. A row that was
// never there says nothing: it may be known here and not elsewhere.
func changed(prog *program.Client, x int, v behaviour.ValueID) bool {
	at := prog.Initial(behaviour.VarID(x))
	return v != at && (v != behaviour.NoRow || at != 0)
}

// judge returns the assertions that the outcome breaks.
func (e *Engine) judge(m *state) (failures []*behaviour.Failure, err error) {
	for _, n := range m.nodes {
		failures = append(failures, n.Failures...)
	}
	if e.stuck(m) >= 0 { // no session has an outcome that an invariant could judge
		return append(failures, e.hang(m)), nil
	}
	if e.prog.Invariants() > 0 {
		broken, err := e.invariants(m.nodes)
		if err != nil {
			return nil, err
		}
		failures = append(failures, broken...)
	}
	if e.serialOrders == nil {
		return failures, nil
	}
	broken, err := e.serialOrders.judge(e.prog, m.nodes, rowsLeft(m.rows), e.valuesLeft(m))
	if broken != nil {
		failures = append(failures, broken)
	}
	return failures, err
}

// valuesLeft are the values that are left, by variable.
func (e *Engine) valuesLeft(m *state) (list []behaviour.ValueID) {
	for x := range m.rows.Len() {
		list = append(list, left(m.rows, x))
	}
	return list
}

// found makes the present execution data of its own.
func (e *Engine) found(depth int, failures []*behaviour.Failure) *work.Found {
	m := e.states[depth]
	f := &work.Found{Failures: failures, Ends: append([]*behaviour.Node{}, m.nodes...), Schedule: e.scheduleTo(depth)}
	f.Rows, f.Values = rowsLeft(m.rows), e.valuesLeft(m)
	return f
}

// scheduleTo is the schedule that leads to the state at that depth.
func (e *Engine) scheduleTo(depth int) []model.Choice {
	schedule := append([]model.Choice{}, e.schedule...)
	for _, m := range e.states[:depth] {
		schedule = append(schedule, m.taken())
	}
	return schedule
}

// Tree is nil: the number of states is not estimated.
func (e *Engine) Tree() work.Tree { return nil }
