package pg

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/pg/storage"
	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/program/rows"
)

// base is a program's database before any session: a snapshot of an instance that
// has run the schema and the seed, and the rows that they made.
type base struct {
	*instances
	store   *storage.Store
	heap    storage.Heap
	initial map[string]any
	config  *config
	defined string // what is defined in the schema: see engine.Instance.Definitions

	changes changes
	model   *modelled // under a database's model

	remote access.Server // the real server on which the program runs; nil for none
	level  string        // of transactions there that ask for none

	plain func(*server) // gives a run another server; nil but in tests
}

// newBase makes a program's database. What it holds of the engine is given back when
// nothing refers to the base any more.
func newBase(c *config) (*base, error) {
	if c.err != nil {
		return nil, c.err
	}
	if c.server != nil {
		return remoteBase(c)
	}
	e, err := shared.open(os.Stderr)
	if err != nil {
		return nil, err
	}
	b := &base{instances: newInstances(e), store: storage.NewStore(), changes: c.changes, config: c}
	b.shared, b.version = c.modelled, c.version
	if err := b.fill(c); err != nil {
		return nil, errors.Join(err, b.instances.close())
	}
	b.collected()
	return b, nil
}

// collected gives back what b holds of the engine when nothing refers to b any more.
func (b *base) collected() {
	runtime.AddCleanup(b, func(i *instances) { _ = i.close() }, b.instances) // nobody is there to be told
}

// fill runs the schema and the seed.
func (b *base) fill(c *config) error {
	x, err := c.kept.instance(b.engine, c.make)
	if err != nil {
		return err
	}
	err = b.prepare(x, c)
	return errors.Join(err, x.Close())
}

// make runs the schema and the seed.
func (c *config) make(x *engine.Instance) error {
	x.Version(c.version)
	x.NotBefore(c.clock)
	waits := onInstance(x, c.patience)
	waits.made = c.changes.made
	for _, step := range slices.Concat(c.schema, c.seed) {
		if err := waits.blame(step.run(waits)); err != nil {
			return err
		}
	}
	return (script{Script: rows.Script{Name: "sequences", Text: "DISCARD SEQUENCES"}}).run(waits)
}

func (b *base) prepare(x *engine.Instance, c *config) (err error) {
	if err := x.Unfreeze(); err != nil {
		return err
	}
	s := b.store.NewSession("seed", rows.NewMemory().Log())
	if b.initial, err = s.Adopt(x); err != nil {
		return err
	}
	if b.defined, err = x.Definitions(); err != nil {
		return err
	}
	b.heap = s.Heap()
	if c.modelled {
		if b.model, err = newModelled(x, c.level); err != nil {
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

// recording is unwatched, but for statements that are told, and refusals.
type recording struct {
	unwatched
	made    func(rows.Sent)
	refused func(why string)
}

// Refuse tells why a statement is refused.
func (r recording) Refuse(why string) error {
	r.refused(why)
	return r.unwatched.Refuse(why)
}

func (r recording) Statement(sql string) error {
	if r.made != nil {
		r.made(rows.Sent{SQL: sql})
	}
	return nil
}
