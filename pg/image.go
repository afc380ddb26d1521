package pg

import (
	"errors"
	"sync/atomic"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/pg/storage"
)

// Image is a database with its schema and its initial rows. It serves any number of backends,
// each on the transactions of a log of its own.
type Image struct {
	base atomic.Pointer[base]
	pool pool
	gate gate

	fork    func() (*Backend, func(), error) // nil: clients cannot change the schema
	renewed func()
}

// NewImage runs the schema and the seed.
func NewImage(opts ...Option) (*Image, error) {
	c := &config{}
	for _, o := range opts {
		o(c)
	}
	b, err := newBase(c)
	if err != nil {
		return nil, err
	}
	i := &Image{pool: pool{most: MaxInstances, used: map[*Backend]int64{}}}
	i.base.Store(b)
	return i, nil
}

// Initial returns the initial values of the variables that stand for rows.
func (i *Image) Initial() map[string]any { return i.base.Load().initial }

// Forget drops what the image knows of rows and contents that nobody can read any more. It
// asks which variables and which contents, by [rows.Content.Key], are in use.
func (i *Image) Forget(variable, content func(string) bool) {
	i.base.Load().store.Forget(variable, content)
}

// Close gives back what no backend has.
func (i *Image) Close() error { return i.pool.close() }

// Others are what the backends of a server share besides rows.
type Others interface {
	// Next takes the next number of a sequence, counted from 0 in the order in which
	// they are taken.
	Next(sequence uint32) int
	// Advise locks or unlocks an advisory lock for the backend's transaction or
	// session, and reports whether it could.
	Advise(a engine.Advisory) bool
}

// ErrRedefined is why a connection ends whose statement has changed the schema: other
// backends would not see it.
var ErrRedefined = errors.New("a statement has changed the schema in a way that other connections do not see")

// hooks are the storage of a backend, whose sequences and advisory locks are shared.
type hooks struct {
	*storage.Session
	sleeping
	others   Others
	numbers  map[engine.OID]int // that sequences of the instance have given
	numbered bool               // a sequence has given a number since the last statement
}

// Snapshot, Executes and Utility tell what is not needed here.
func (s *hooks) Snapshot(*engine.Call, uint32, bool, bool) {}
func (s *hooks) Executes(*engine.Call)                     {}
func (s *hooks) Utility(*engine.Call, string)              {}

// Set and LockTable leave a sequence that a client sets, and locks on tables, to its own
// instance: at axiomatic levels nobody else is concerned.
func (s *hooks) Set(*engine.Call, engine.OID, engine.Setting)               {}
func (s *hooks) LockTable(*engine.Call, engine.OID, engine.TableMode, bool) {}

// Next leaves out the numbers that others have taken.
func (s *hooks) Next(_ *engine.Call, sequence engine.OID) (set *engine.Setting, skip int) {
	s.numbered = true
	n := s.others.Next(uint32(sequence))
	skip = n - s.numbers[sequence]
	s.numbers[sequence] = n + 1
	return nil, skip
}

func (s *hooks) tookNumber() (is bool) {
	is, s.numbered = s.numbered, false
	return is
}

func (s *hooks) statement() {}

// Advise is the others'.
func (s *hooks) Advise(_ *engine.Call, a engine.Advisory) bool { return s.others.Advise(a) }

// Instances is how many instances of PostgreSQL the backends have.
func (i *Image) Instances() int {
	i.pool.mu.Lock()
	defer i.pool.mu.Unlock()
	return len(i.pool.used) + len(i.pool.free)
}
