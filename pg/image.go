package pg

import (
	"errors"
	"net"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/pg/storage"
	"github.com/txmc/txmc/pg/wire"
	"github.com/txmc/txmc/program/rows"
)

// Image is a database with its schema and its initial rows, of which any number of
// backends can be served, each on the transactions of a log of its own.
type Image struct{ base *base }

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
	return &Image{b}, nil
}

// Initial returns the initial values of the variables that stand for rows.
func (i *Image) Initial() map[string]any { return i.base.initial }

// Others are what the backends of a server share besides rows.
type Others interface {
	// Next takes the next number of a sequence, counted from 0 in the order in which
	// they are taken.
	Next(sequence uint32) int
	// Advise locks or unlocks an advisory lock for the backend's transaction or
	// session, and reports whether it could.
	Advise(a engine.Advisory) bool
}

// Backend is a server process of one client.
type Backend struct {
	x       *engine.Instance
	hub     *wire.Hub
	defined string
}

// Backend starts a backend. The owner's name tells rows without a primary key apart.
func (i *Image) Backend(owner string, log rows.Log, others Others) (*Backend, error) {
	x, err := i.base.engine.InstanceFrom(i.base.snapshot)
	if err != nil {
		return nil, err
	}
	s := i.base.store.NewSession(owner, log)
	s.On(i.base.heap)
	x.Hook(&hooks{s, others, map[engine.OID]int{}})
	b := &Backend{x: x, defined: i.base.defined}
	b.hub = wire.NewHub(b, unwatched{})
	return b, nil
}

// Dial opens the client's connection. Its Read runs the backend.
func (b *Backend) Dial() net.Conn { return b.hub.Dial() }

// Cancel ends the statement that runs.
func (b *Backend) Cancel() { b.x.Cancel() }

// Close ends the backend.
func (b *Backend) Close() error { return b.x.Close() }

// ErrRedefined is why a connection ends whose statement has changed the schema: other
// backends would not see it.
var ErrRedefined = errors.New("a statement has changed tables, indexes, constraints or triggers: give the schema when the server starts")

// Exchange lets the backend answer.
func (b *Backend) Exchange(messages []byte) ([]byte, error) {
	out, err := b.x.Exchange(messages)
	if status := wire.Status(out); err != nil || status != 'I' && status != 'T' || !b.x.Redefined() {
		return out, err
	}
	if defined, err := b.x.Definitions(); err != nil || defined != b.defined {
		return nil, errors.Join(err, ErrRedefined)
	}
	return out, nil
}

// hooks are the storage of a backend, whose sequences and advisory locks are shared.
type hooks struct {
	*storage.Session
	others  Others
	numbers map[engine.OID]int // that sequences of the instance have given
}

// Snapshot, Executes and Utility tell what is not needed here.
func (s *hooks) Snapshot(*engine.Call, uint32, bool, bool) {}
func (s *hooks) Executes(*engine.Call)                     {}
func (s *hooks) Utility(*engine.Call, string)              {}

// Next leaves out the numbers that others have taken.
func (s *hooks) Next(_ *engine.Call, sequence engine.OID) (skip int) {
	n := s.others.Next(uint32(sequence))
	skip = n - s.numbers[sequence]
	s.numbers[sequence] = n + 1
	return skip
}

// Advise is the others'.
func (s *hooks) Advise(_ *engine.Call, a engine.Advisory) bool { return s.others.Advise(a) }
