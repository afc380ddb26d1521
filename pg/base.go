package pg

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/txmc/txmc/pg/storage"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/rows"
)

// base is a program's database before any session: a snapshot of an instance that
// has run the schema and the seed, and the rows that they made.
type base struct {
	*instances
	store   *storage.Store
	heap    storage.Heap
	initial map[string]any
	defined string // what is defined in the schema: see engine.Instance.Definitions

	model *modelled // under a database's model

	plain func(*server) // gives a run another server; nil but in tests
}

// newBase makes a program's database. What it holds of the engine is given back when
// nothing refers to the base any more.
func newBase(c *config) (*base, error) {
	if c.err != nil {
		return nil, c.err
	}
	e, err := shared.open(os.Stderr)
	if err != nil {
		return nil, err
	}
	b := &base{instances: newInstances(e), store: storage.NewStore()}
	b.shared = c.modelled
	if err := b.fill(c); err != nil {
		return nil, errors.Join(err, b.instances.close())
	}
	runtime.AddCleanup(b, func(i *instances) { _ = i.close() }, b.instances) // nobody is there to be told
	return b, nil
}

// fill runs the schema and the seed.
func (b *base) fill(c *config) error {
	x, err := b.engine.Instance()
	if err != nil {
		return err
	}
	err = b.take(&patient{Instance: x, limit: c.patience}, slices.Concat(c.schema, c.seed), c)
	return errors.Join(err, x.Close())
}

func (b *base) take(x *patient, steps []step, c *config) (err error) {
	for _, step := range steps {
		if err := x.blame(step.run(x)); err != nil {
			return err
		}
	}
	if err := x.Unfreeze(); err != nil {
		return err
	}
	s := b.store.NewSession("seed", rows.NewMemory().Log())
	if b.initial, err = s.Adopt(x.Instance); err != nil {
		return err
	}
	if b.defined, err = x.Definitions(); err != nil {
		return err
	}
	b.heap = s.Heap()
	if c.modelled {
		if b.model, err = newModelled(x.Instance, c.level); err != nil {
			return err
		}
	}
	b.snapshot, err = x.Snapshot()
	return err
}

// unwatched runs scripts, which are of no history.
type unwatched struct{}

func (unwatched) Statement(string) error { return nil }
func (unwatched) Refuse(m string) error  { return fmt.Errorf("%s", m) }

// setUp writes the initial rows.
func (b *base) setUp(tx *program.Tx) error {
	rows.SetUp(tx, b.initial)
	return nil
}
