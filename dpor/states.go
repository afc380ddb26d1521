package dpor

import (
	"encoding/binary"
	"errors"

	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program"
)

// states is the engine under a database's own concurrency control: it visits every
// moment that a program reaches, depth first, and each only once. Two moments are
// the same when the database has the same future in both and each session has had
// the same answers; so each outcome comes once: what the sessions saw, how their
// transactions ended, and the values that are left.
//
// A key stands for a moment: a hash of 128 bits over a normal form of the database's
// state and the nodes of the sessions (model.Keyer). docs/databases.md compares
// this with sleep sets.
type states struct {
	*worker
	delivery *delivery
	database
	every bool // in tests: no moment is left out because it has been visited

	keyer    model.Keyer
	seen     map[model.Key]struct{}
	outcomes map[string]struct{}
	moments  []*moment
	key      []byte
	ids      []uint64
}

// all begins at the first moment.
func (e *states) all() (task, error) {
	e.seen, e.outcomes = map[model.Key]struct{}{}, map[string]struct{}{}
	m, err := e.first()
	if err != nil {
		return nil, err
	}
	e.keyer = m.rows.NewKeyer()
	e.enable(m)
	e.moments = append(e.moments[:0], m)
	return everything{}, nil
}

func (e *states) do(task) error { return e.visit(0) }

// visit explores what follows the moment at that depth.
func (e *states) visit(depth int) error {
	m := e.moments[depth]
	if !e.every && !e.fresh(m) {
		return nil
	}
	if e.enter(depth) {
		if err := e.attend(); err != nil {
			return err
		}
	}
	if len(m.choices) == 0 {
		return e.settle(depth)
	}
	n := e.at(depth + 1)
	for _, c := range m.choices {
		m.taken = c
		n.copyFrom(m)
		if err := e.step(n, c); err != nil {
			return err
		}
		if err := e.visit(depth + 1); err != nil {
			return err
		}
	}
	return nil
}

func (e *states) at(depth int) *moment {
	if depth == len(e.moments) {
		e.moments = append(e.moments, &moment{rows: e.moments[0].rows.Empty()})
	}
	return e.moments[depth]
}

// fresh reports whether the moment is visited for the first time.
func (e *states) fresh(m *moment) bool {
	e.ids = e.ids[:0]
	for _, n := range m.nodes {
		e.ids = append(e.ids, uint64(n.ID))
	}
	key := e.keyer.Key(m.rows, e.ids)
	if _, known := e.seen[key]; known {
		return false
	}
	e.seen[key] = struct{}{}
	return true
}

// settle counts the outcome of a complete execution, and hands it on if it is
// wanted.
func (e *states) settle(depth int) error {
	m, d := e.moments[depth], e.delivery
	if !e.novel(m) {
		return nil
	}
	for _, n := range m.nodes {
		if n.Dropped {
			e.count.blocked++
			return nil
		}
	}
	e.count.endStates++
	if d.limit > 0 && d.counted.Add(1) > d.limit {
		e.count.endStates--
		return e.stop(ByMaxHistories)
	}
	e.count.histories++
	failures, err := e.judge(m)
	if err != nil {
		return err
	}
	if len(failures) > 0 {
		e.count.violations++
	} else if !d.list {
		return nil
	}
	if err := d.send(e.found(depth, failures)); err != nil {
		return err
	}
	if len(failures) > 0 && !d.all {
		return e.stop(ByViolation)
	}
	return nil
}

// novel reports whether the outcome is met for the first time.
func (e *states) novel(m *moment) bool {
	e.key = e.key[:0]
	for _, n := range m.nodes {
		e.key = binary.AppendUvarint(e.key, uint64(n.Saw()))
	}
	e.key = appendLeft(e.key, m.rows)
	for x := range m.rows.Len() {
		if v := left(m.rows, x); v != e.prog.Initial(program.VarID(x)) {
			e.key = binary.AppendUvarint(e.key, uint64(x))
			e.key = binary.AppendVarint(e.key, int64(v))
		}
	}
	if _, known := e.outcomes[string(e.key)]; known {
		return false
	}
	e.outcomes[string(e.key)] = struct{}{}
	return true
}

// judge returns the assertions that the outcome breaks.
func (e *states) judge(m *moment) (failures []*program.Failure, err error) {
	for _, n := range m.nodes {
		failures = append(failures, n.Failures...)
	}
	if e.prog.Invariants() == 0 {
		return failures, nil
	}
	broken, err := e.prog.Judge(m.nodes)
	return append(failures, broken...), err
}

// found makes the present execution data of its own.
func (e *states) found(depth int, failures []*program.Failure) *Found {
	m := e.moments[depth]
	f := &Found{Failures: failures, Ends: append([]*program.Node{}, m.nodes...)}
	for _, p := range e.moments[:depth] {
		f.Schedule = append(f.Schedule, p.taken)
	}
	f.Rows = rowsLeft(m.rows)
	for x := range m.rows.Len() {
		f.Values = append(f.Values, left(m.rows, x))
	}
	return f
}

// everything is the only task of this engine: it does not share.
type everything struct{}

func (everything) describe() Subtree { return Subtree{} }
func (everything) depth() int        { return 0 }

func (e *states) split() task { return nil }

func (e *states) remaining() []Subtree { return nil }

// ErrDatabaseCheckpoint is returned for a checkpoint of an exploration under a
// database's model.
var ErrDatabaseCheckpoint = errors.New("an exploration under a database's model has no checkpoints yet")

func (e *states) restore(*Subtree) (task, error) { return nil, ErrDatabaseCheckpoint }

func (e *states) tree() tree { return nil }
