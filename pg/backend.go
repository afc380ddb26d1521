package pg

import (
	"errors"
	"fmt"
	"hash/fnv"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/pg/wire"
	"github.com/txmc/txmc/program/rows"
)

// Backend is a server process of one client. It has an instance of PostgreSQL while it needs
// one. An idle backend gives its instance away when others want it. In the next one that it
// gets, what the client has set and prepared is repeated (see pool.go and state.go).
type Backend struct {
	image *Image
	owner string
	seed  uint64
	log   backendLog
	store func(owner string) backing // makes the storage of an instance
	hub   *wire.Hub

	mu sync.Mutex // held while the backend answers
	serving
	state state
	ended bool
	direct
	limits
}

// serving is the instance of PostgreSQL that a backend has, while it has one.
type serving struct {
	x         *engine.Instance
	running   atomic.Pointer[engine.Instance] // x, for Cancel
	from      *base                           // of which x is an instance
	backing   backing
	instances int    // that it has had
	random    uint64 // the seed of the present one
	text      string // the last statement
}

// backendLog is the log of a backend's transactions.
type backendLog interface {
	// Open reports whether a transaction is open.
	Open() bool
	// Refuse is told why a server would do something else.
	Refuse(why string) error
}

// backing is what stands behind the tables of a backend's instance.
type backing interface {
	engine.StatementHooks
	// Contents is how many contents of rows have come to the instance.
	Contents() int
	// tookNumber reports whether a sequence has given a number since it was last asked.
	tookNumber() bool
	// statement is called when the client sends a statement.
	statement()
}

// Backend starts a backend. The owner's name tells rows without a primary key apart. Its
// random numbers depend on the seed and on its name; its clock is the machine's.
func (i *Image) Backend(owner string, seed uint64, log rows.Log, others Others) *Backend {
	return i.backend(owner, seed, log, func(owner string) backing {
		base := i.base.Load()
		s := base.store.NewSession(owner, log)
		s.On(base.heap)
		return &hooks{Session: s, others: others, numbers: map[engine.OID]int{}}
	})
}

func (i *Image) backend(owner string, seed uint64, log backendLog, store func(owner string) backing) *Backend {
	b := &Backend{image: i, owner: owner, seed: seed, log: log, store: store, state: newState()}
	b.hub = wire.NewHub(b, b)
	return b
}

// Statement is called when the client sends a statement.
func (b *Backend) Statement(text string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text = text
	if b.x != nil {
		b.backing.statement()
	}
	return nil
}

// Runs is the statement that the backend answers, for its log.
func (b *Backend) Runs() string { return wire.Shorten(rows.Short(b.text)) }

// Refuse is why the client's connection ends.
func (b *Backend) Refuse(message string) error { return errors.New(message) }

// Dial opens the client's connection. Its Read runs the backend.
func (b *Backend) Dial() net.Conn { return b.hub.Dial() }

// Cancel ends the statement that runs.
func (b *Backend) Cancel() {
	if x := b.running.Load(); x != nil {
		x.Cancel()
	}
}

// Close ends the backend. No statement runs then.
func (b *Backend) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	defer b.image.gate.exit(b)
	x := b.x
	if x == nil {
		return nil
	}
	b.let(nil)
	if b.from != b.image.base.Load() || b.direct.on {
		b.image.pool.leave(b)
		b.image.gate.disown(b)
		return x.Close()
	}
	return b.image.pool.release(b, x, b.from.snapshot)
}

// errBackendEnded is met by a client whose backend has ended.
var errBackendEnded = errors.New("the backend has ended")

// Exchange lets the backend answer.
func (b *Backend) Exchange(messages []byte) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.image.gate.enter(b); err != nil {
		return nil, err
	}
	defer b.exits()
	if err := b.need(); err != nil {
		return nil, err
	}
	if b.direct.on {
		defer b.timed()()
		return b.redefine(messages)
	}
	if t, ok := b.log.(Turns); ok {
		t.Works(true)
		defer t.Works(false)
	}
	if b.backing.Contents() > maxContents && !b.x.Hungry() && !b.log.Open() && b.state.begins(messages) {
		if err := b.renew(); err != nil {
			return nil, err
		}
	}
	defer b.timed()()
	sent := messages
	if b.defines(messages) {
		err := b.leaveHooks()
		if err == nil {
			return b.redefine(messages)
		}
		sent = refusing(messages, err)
	}
	b.x.SetTime(time.Now())
	out, err := b.x.Exchange(sent)
	if err != nil {
		return out, errors.Join(err, b.log.Refuse(fellOver(err)))
	}
	status := wire.Status(out)
	b.state.after(messages, out, status)
	b.direct.note(messages, b.state.synced)
	if messages[0] == 0 && status == 'I' {
		if err := b.shuffle(); err != nil {
			return nil, err
		}
	}
	if b.backing.tookNumber() {
		b.state.numbered = true
	}
	if (status == 'I' || status == 'T') && b.x.Redefined() {
		switch defined, err := b.x.Definitions(); {
		case err != nil: // the client has left, and had it cancelled
			return nil, errors.Join(err, ErrRedefined)
		case defined != b.from.defined:
			return nil, errors.Join(ErrRedefined, b.log.Refuse(ErrRedefined.Error()))
		}
	}
	return out, nil
}

// Contents is how many contents of rows have come to the backend's instance.
func (b *Backend) Contents() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.x == nil {
		return 0
	}
	return b.backing.Contents()
}

// maxContents is how many contents of rows an instance keeps before it is renewed.
const maxContents = 2000

// idle reports whether the backend could do without its instance: no transaction is
// open, and what the client has set is known.
func (b *Backend) idle() bool {
	return b.x != nil && !b.direct.on && !b.x.Hungry() && !b.log.Open() && b.state.repeatable()
}

// renew goes back to the begin of the instance, whose heap has grown.
func (b *Backend) renew() error {
	x := b.x
	if err := x.Reset(b.from.snapshot); err != nil {
		return err
	}
	return b.adopt(x)
}

// need makes sure that there is an instance.
func (b *Backend) need() error {
	base := b.image.base.Load()
	switch {
	case b.ended:
		return errBackendEnded
	case b.x != nil && (b.from == base || b.direct.on):
		b.image.pool.touch(b)
		return nil
	case b.x != nil:
		if err := b.forsake(); err != nil {
			return err
		}
	}
	x, err := b.image.pool.acquire(b, func() (*engine.Instance, error) {
		return base.engine.InstanceFrom(base.snapshot)
	}, base.snapshot)
	if err != nil {
		return err
	}
	b.from = base
	return b.adopt(x)
}

// adopt makes an instance the backend's, and repeats what the client has set and prepared.
func (b *Backend) adopt(x *engine.Instance) error {
	owner := b.owner
	if b.instances > 0 {
		owner = fmt.Sprintf("%s.%d", b.owner, b.instances)
	}
	b.instances++
	b.backing = b.store(owner)
	if s, ok := b.backing.(sleeper); ok {
		s.sleeps(b.sleep, b.signals)
	}
	x.Hook(b.backing)
	b.random = seedOf(b.seed, owner)
	x.Seed(b.random)
	x.Number(uint32(b.random >> 33))
	x.Process(b.process)
	x.Version(b.from.version)
	b.let(x)
	for _, m := range b.state.again() {
		out, err := x.Exchange(m)
		if err != nil {
			return err
		}
		if wire.Failed(out) && m[0] == 'P' { // it needs what the schema no longer has
			b.state.drop(wire.Name(m))
			if _, err := x.Exchange(wire.Sync); err != nil {
				return err
			}
			continue
		}
		if wire.Failed(out) {
			return fmt.Errorf("what the client has set or prepared cannot be repeated: %q", out)
		}
		if m[0] == 0 {
			if err := b.shuffle(); err != nil {
				return err
			}
		}
	}
	return nil
}

// shuffle lets random() begin anew, after the client's hello: the schema may have used it.
func (b *Backend) shuffle() error {
	_, err := b.x.Exchange(wire.Query(setSeed(b.random)))
	return err
}

// seedOf makes the random numbers of each instance its own, and the same in each run.
func seedOf(seed uint64, owner string) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s", seed, owner)
	return h.Sum64()
}

// setSeed is the statement that makes random() depend on a seed, whatever was asked before.
func setSeed(seed uint64) string {
	const fraction = 1 << 53
	return fmt.Sprintf("SELECT pg_catalog.setseed(%v)", float64(seed%fraction)/fraction)
}

func (b *Backend) let(x *engine.Instance) {
	b.x = x
	b.running.Store(x)
}

// give gives the instance away if the backend is idle. It is called by another one.
func (b *Backend) give() *engine.Instance {
	if !b.mu.TryLock() {
		return nil
	}
	defer b.mu.Unlock()
	if !b.idle() || b.from != b.image.base.Load() {
		return nil
	}
	x := b.x
	b.let(nil)
	return x
}
