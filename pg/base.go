package pg

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/txmc/txmc/pg/storage"
	"github.com/txmc/txmc/program"
)

// base is a program's database before any session: a snapshot of an instance that
// has run the schema and the seed, and the rows that they made.
type base struct {
	*instances
	store   *storage.Store
	heap    storage.Heap
	initial map[string]any
	defined string // what is defined in the schema: see engine.Instance.Definitions
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
	if err := b.fill(slices.Concat(c.schema, c.seed), c.patience); err != nil {
		return nil, errors.Join(err, b.instances.close())
	}
	runtime.AddCleanup(b, func(i *instances) { _ = i.close() }, b.instances) // nobody is there to be told
	return b, nil
}

// fill runs the schema and the seed.
func (b *base) fill(steps []step, patience time.Duration) error {
	x, err := b.engine.Instance()
	if err != nil {
		return err
	}
	err = b.take(&patient{Instance: x, limit: patience}, steps)
	return errors.Join(err, x.Close())
}

func (b *base) take(x *patient, steps []step) (err error) {
	for _, step := range steps {
		if err := x.blame(step.run(x)); err != nil {
			return err
		}
	}
	if err := x.Unfreeze(); err != nil {
		return err
	}
	s := b.store.NewSession("seed", storage.NewMemory().Log())
	if b.initial, err = s.Adopt(x.Instance); err != nil {
		return err
	}
	if b.defined, err = x.Definitions(); err != nil {
		return err
	}
	b.heap = s.Heap()
	b.snapshot, err = x.Snapshot()
	return err
}

// unwatched runs scripts, which are of no history.
type unwatched struct{}

func (unwatched) Statement(string) error { return nil }
func (unwatched) Refuse(m string) error  { return fmt.Errorf("%s", m) }

// setUp writes the initial rows.
func (b *base) setUp(tx *program.Tx) error {
	keys := make([]string, 0, len(b.initial))
	for k := range b.initial {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, strings.Compare)
	for _, k := range keys {
		tx.Write(k, b.initial[k])
	}
	return nil
}
