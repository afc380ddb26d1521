package dpor

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program"
)

// states is the engine under a database's own concurrency control: it visits every
// moment that a program reaches, depth first, and each only once. Two moments are the
// same when the database has the same future in both and each session has had the same
// answers. So each outcome comes once: what the sessions saw, how their transactions
// ended, and the values that are left.
//
// A key stands for a moment: a hash of 128 bits over a normal form of the database's
// state and the nodes of the sessions (model.Keyer). docs/databases.md compares
// this with sleep sets.
//
// Workers share the sets of moments and outcomes, and what a moment has left to try.
type states struct {
	*worker
	delivery *delivery
	database
	*memory
	extent
	keys
	path
	trail trail
	attempt
	serially *serially // nil: outcomes need not be those of serial orders
	errorsMet
	steps int64
}

// keys makes keys of moments.
type keys struct {
	keyer model.Keyer
	alike *alike // nil unless sessions are alike
	key   []byte
	ids   []uint64
}

// path leads to the moment that is visited.
type path struct {
	way     []model.Choice // to the first of moments
	moments []*moment
	depth   int // of the moment that is visited, when somebody asks
	oldest  int // moments before this one have no choice left
}

// extent is which executions are explored.
type extent struct {
	probe    probe // random executions, after so many states
	near     near
	whole    bool // see Options.Whole
	switches int  // at most; 0: any number
	every    bool // no moment is left out because it has been visited
	ways     bool // no execution is left out because another one has its outcome
}

func (o *Options) extent() extent {
	return extent{near: near{bounded: o.Near, most: o.Deviations}, whole: o.Whole, switches: o.Switches, every: o.everyPath || o.Ways, ways: o.Ways}
}

// memory is what all workers know of the moments that were met.
type memory struct{ seen, outcomes visited }

// all begins at the first moment.
func (e *states) all() (task, error) {
	m, err := e.first()
	if err != nil {
		return nil, err
	}
	e.enable(m)
	return &stretch{kind: wholeCall, m: m}, nil
}

// do explores what a task stands for: a moment, or the choices that one has left.
func (e *states) do(t task) error {
	s := t.(*stretch)
	if e.alike.misplaced(s.m) {
		return nil
	}
	if e.cut != nil && e.begins(s) {
		return nil
	}
	e.way, e.depth, e.oldest = s.way, 0, 0
	if len(e.moments) == 0 {
		e.moments = append(e.moments, nil)
	}
	e.moments[0] = s.m
	if s.kind == wholeCall {
		return e.visit(0)
	}
	return e.goOn(0)
}

// visit explores what follows the moment at that depth.
func (e *states) visit(depth int) error {
	m := e.moments[depth]
	if e.alike.misplaced(m) {
		return nil
	}
	if e.cut != nil && depth > 0 && e.crosses(m, depth) {
		return nil
	}
	if e.limit > 0 && e.count.explored >= e.limit {
		return errSpent
	}
	if e.probe.after > 0 && e.count.explored >= e.probe.after {
		if err := e.walk(); err != nil {
			return err
		}
	}
	if e.enter(len(e.way) + depth) {
		e.depth = depth
		if err := e.attend(); err != nil {
			return err
		}
	}
	if !e.every && !e.seen.add(e.keyOf(m)) {
		e.count.explored--
		return nil
	}
	if len(m.choices) == 0 {
		return e.settle(depth)
	}
	return e.goOn(depth)
}

// goOn takes the choices that the moment at that depth has left.
func (e *states) goOn(depth int) error {
	m, n := e.moments[depth], e.at(depth+1)
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

func (e *states) at(depth int) *moment {
	if depth == len(e.moments) {
		e.moments = append(e.moments, &moment{rows: e.moments[0].rows.Empty()})
	}
	return e.moments[depth]
}

func (e *states) keyOf(m *moment) model.Key {
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
func (e *states) settle(depth int) error {
	m, d := e.moments[depth], e.delivery
	outcome, orbit := e.outcomeOf(m)
	if !e.outcomes.add(outcome) && !e.ways {
		return nil
	}
	for _, n := range m.nodes {
		if n.Dropped {
			e.count.blocked++
			return nil
		}
	}
	if d.limit > 0 && d.counted.Add(1) > d.limit {
		e.outcomes.remove(outcome) // it is met again when somebody goes on
		e.seen.remove(e.keyOf(m))
		e.depth = depth
		e.leave()
		return e.stop(ByMaxHistories)
	}
	e.count.endStates++
	e.count.histories++
	e.count.permuted += orbit
	e.tally(m.nodes)
	failures, err := e.judge(m)
	if err != nil {
		return err
	}
	if len(failures) > 0 {
		e.count.violations++
		e.count.permutedViolations += orbit
	} else if !d.list {
		return nil
	}
	found := e.found(depth, failures)
	found.Orbit = orbit
	if err := d.send(found); err != nil {
		return err
	}
	if len(failures) > 0 && !d.all {
		return e.stop(ByViolation)
	}
	return nil
}

// outcomeOf is a hash of what the sessions saw and of the values that are left, and how many
// outcomes permutations of sessions make of this one.
func (e *states) outcomeOf(m *moment) (k model.Key, orbit int64) {
	e.key = e.key[:0]
	if orbit = 1; e.alike != nil {
		orbit = e.appendSaw(m.nodes)
	} else {
		for _, n := range m.nodes {
			e.key = binary.AppendUvarint(e.key, uint64(n.Saw()))
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
func changed(prog *program.Client, x int, v program.ValueID) bool {
	at := prog.Initial(program.VarID(x))
	return v != at && (v != program.NoRow || at != 0)
}

// judge returns the assertions that the outcome breaks.
func (e *states) judge(m *moment) (failures []*program.Failure, err error) {
	for _, n := range m.nodes {
		failures = append(failures, n.Failures...)
	}
	if e.prog.Invariants() > 0 {
		broken, err := e.invariants(m.nodes)
		if err != nil {
			return nil, err
		}
		failures = append(failures, broken...)
	}
	if e.serially == nil {
		return failures, nil
	}
	broken, err := e.serially.judge(e.prog, m.nodes, rowsLeft(m.rows), e.valuesLeft(m))
	if broken != nil {
		failures = append(failures, broken)
	}
	return failures, err
}

// valuesLeft are the values that are left, by variable.
func (e *states) valuesLeft(m *moment) (list []program.ValueID) {
	for x := range m.rows.Len() {
		list = append(list, left(m.rows, x))
	}
	return list
}

// found makes the present execution data of its own.
func (e *states) found(depth int, failures []*program.Failure) *Found {
	m := e.moments[depth]
	f := &Found{Failures: failures, Ends: append([]*program.Node{}, m.nodes...), Schedule: e.wayTo(depth)}
	f.Rows, f.Values = rowsLeft(m.rows), e.valuesLeft(m)
	return f
}

// wayTo is the way to the moment at that depth.
func (e *states) wayTo(depth int) []model.Choice {
	way := append([]model.Choice{}, e.way...)
	for _, m := range e.moments[:depth] {
		way = append(way, m.taken())
	}
	return way
}

func (e *states) tree() tree { return nil }
