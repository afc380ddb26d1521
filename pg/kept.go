package pg

import (
	"errors"
	"fmt"
	"net"
	"os"
	"sync"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/program/rows"
)

// Kept is a database as its schema and seed have left it. The first program that is declared with it makes them.
// Those that follow begin there: what makes them, such as the start of an application, runs once.
type Kept struct {
	mu       sync.Mutex
	engine   *engine.Engine
	snapshot *engine.Snapshot

	copying sync.Mutex
	image   *Image // of copies
}

// Keep makes the schema and the seed once for all programs that are declared with k, of the same options.
func Keep(k *Kept) Option { return func(c *config) { c.kept = k } }

// instance is an instance with the schema and the seed, which make makes.
func (k *Kept) instance(e *engine.Engine, make func(*engine.Instance) error) (*engine.Instance, error) {
	if k == nil {
		return made(e, make)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.snapshot != nil && k.engine == e {
		return e.InstanceFrom(k.snapshot)
	}
	x, err := made(e, make)
	if err != nil {
		return nil, err
	}
	s, err := x.Snapshot()
	if err != nil {
		return nil, errors.Join(err, x.Close())
	}
	if _, err := shared.open(os.Stderr); err != nil { // which stays open with the snapshot
		return nil, errors.Join(err, s.Close(), x.Close())
	}
	k.engine, k.snapshot = e, s
	return x, nil
}

// Close gives the database back. No program uses it then.
func (k *Kept) Close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.snapshot == nil {
		return nil
	}
	var err error
	if k.image != nil {
		err = k.image.Close()
	}
	err = errors.Join(err, k.snapshot.Close())
	k.snapshot = nil
	shared.close()
	return err
}

// made is a new instance, on which make has run.
func made(e *engine.Engine, make func(*engine.Instance) error) (*engine.Instance, error) {
	x, err := e.Instance()
	if err != nil {
		return nil, err
	}
	if err := make(x); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// Use calls f with a function that opens connections to a copy of the database, which is there until f returns. Each connection is
// a session of a server's, and sees what others have committed; none waits. Use reports whether the database has been made; else
// it does not call f.
func (k *Kept) Use(f func(dial func() (net.Conn, error)) error) (made bool, err error) {
	if made, err = k.copied(); err != nil || !made {
		return made, err
	}
	memory, others := rows.NewMemory(), &alone{numbers: map[uint32]int{}}
	memory.Fill(k.image.Initial())
	var list []*Backend
	err = f(func() (net.Conn, error) {
		b := k.image.Backend(fmt.Sprintf("copy %d", len(list)), 0, memory.Log(), others)
		list = append(list, b)
		return b.Dial(), nil
	})
	for _, b := range list {
		err = errors.Join(err, b.Close())
	}
	return true, err
}

// copied makes the image of copies, once.
func (k *Kept) copied() (made bool, err error) {
	k.mu.Lock()
	made = k.snapshot != nil
	k.mu.Unlock()
	k.copying.Lock()
	defer k.copying.Unlock()
	if made && k.image == nil {
		k.image, err = NewImage(Keep(k))
	}
	return made, err
}

// alone is what the connections of a copy share.
type alone struct{ numbers map[uint32]int }

// Next is the next number of a sequence.
func (a *alone) Next(sequence uint32) int {
	a.numbers[sequence]++
	return a.numbers[sequence] - 1
}

// Advise gives every lock: nobody else is there.
func (a *alone) Advise(engine.Advisory) bool { return true }
