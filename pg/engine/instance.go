// An instance: one server process, spoken to in the frontend/backend protocol.

package engine

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/txmc/txmc/pg/engine/emscripten"
	"github.com/txmc/txmc/pg/engine/vfs"
)

// Instance is one server. It is used by one goroutine at a time.
type Instance struct {
	engine    *Engine
	proc      *emscripten.Process
	clock     *Clock
	random    *rand.ChaCha8
	canceller canceller
	hooks     Hooks
	cat       catalog
	call      Call
	fresh     fresh
	streams
	coroutine
	executing
}

// streams are what an instance and its client send each other.
type streams struct {
	in     []byte
	out    bytes.Buffer
	log    bytes.Buffer
	copies bool // a statement may read from its client
}

// coroutine runs the server, which waits where it asks for input or a hook waits.
type coroutine struct {
	resume func() (struct{}, bool)
	stop   func()
	yield  func(struct{}) bool
	result error
	broken error
	depth  int // calls of the server under way
}

// executing is what is known of the statements and the transaction under way.
type executing struct {
	injecting   int                  // insertions of Call.Insert under way: hooks are not called
	referential int                  // checks of foreign keys under way
	locked      map[rowAt]bool       // by the running transaction
	executions  map[uint32]execution // by the number of the snapshot; of the running transaction
	snapshots   uint32               // snapshots that were numbered
	kept        uint32               // the number of the transaction's snapshot, where it has one; 0 before it is taken
	number      uint32
	process     uint32 // as which the session is known to others; 0: by number
	redefined   bool   // definitions of tables
	told        bool   // hooks are being told of an error
	version     int    // as which the server answers; 0 is its own
}

// Seed makes random bytes inside (random(), gen_random_uuid()) depend on the seed and what was asked since.
func (x *Instance) Seed(seed uint64) { x.random.Seed(randomKey(seed)) }

// SetTime sets the clock inside.
func (x *Instance) SetTime(t time.Time) { x.clock.now = t }

// NotBefore sets the clock inside, unless it is later.
func (x *Instance) NotBefore(t time.Time) {
	if t.After(x.clock.now) {
		x.clock.now = t
	}
}

// Hook gives the instance's user tables to h; nil gives them back to PostgreSQL.
func (x *Instance) Hook(h Hooks) { x.hooks = h }

// ErrProtocol says that bytes are not whole messages of the protocol.
var ErrProtocol = errors.New("not a message of PostgreSQL's protocol")

// CrashError says that the server's process ended in the middle of a message. Only Reset helps.
type CrashError struct {
	Reason error
	Log    string
}

// Error says that the server has crashed, and why.
func (e *CrashError) Error() string {
	return fmt.Sprintf("PostgreSQL crashed: %v\n%s", e.Reason, e.Log)
}

// Brief says why in one line.
func (e *CrashError) Brief() string {
	line, _, _ := strings.Cut(e.Reason.Error(), "\n")
	return line
}

// Unwrap returns the reason.
func (e *CrashError) Unwrap() error { return e.Reason }

func (x *Instance) config(fs *vfs.FS) emscripten.Config {
	x.clock, x.random = newClock(), newRandom(0)
	return emscripten.Config{FS: fs, Clock: x.clock, Random: x.random, Env: environment, Executable: serverPath,
		Log: func(b []byte) { x.logged(b) }, Owner: x}
}

// maxLog bounds what is kept of the server's log.
const maxLog = 64 << 10

func (x *Instance) logged(b []byte) {
	if x.log.Len() > maxLog {
		x.log.Next(maxLog / 2)
	}
	x.log.Write(b)
}

func (e *Engine) newInstance() *Instance {
	x := &Instance{engine: e, cat: newCatalog(), executing: executing{locked: map[rowAt]bool{}, executions: map[uint32]execution{}}}
	x.call.x = x
	return x
}

func (e *Engine) bootInstance() (*Instance, error) {
	x := e.newInstance()
	if err := e.boot(x); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// Close ends the server.
func (x *Instance) Close() error {
	x.abandon()
	if x.proc == nil {
		return nil
	}
	return x.proc.Close()
}

// Exchange gives the server whole messages of the frontend and gives back what it answers.
// When the server waits for more in the middle of a statement (COPY FROM STDIN), Exchange returns what there
// is and Hungry reports true; the next Exchange goes on with the statement.
func (x *Instance) Exchange(in []byte) ([]byte, error) {
	if x.broken != nil {
		return nil, x.broken
	}
	x.out.Reset()
	var err error
	switch {
	case x.resume != nil:
		x.in = in
		err = x.proceed()
	case len(in) > 0 && in[0] == 0:
		err = x.startup(in)
	default:
		err = x.messages(in)
	}
	return bytes.Clone(x.out.Bytes()), err
}

// Written is what the server has sent since Exchange was called. It is valid until more is.
func (x *Instance) Written() []byte { return x.out.Bytes() }

// Hungry reports whether a statement waits for more messages.
func (x *Instance) Hungry() bool { return x.resume != nil }

// errExited says that a hook ended its goroutine in the middle of a statement.
var errExited = errors.New("a hook ended the goroutine")

// guard runs a piece of the server; what it does not survive breaks the instance.
func (x *Instance) guard(f func() error) (err error) {
	x.depth++
	x.begin()
	err = errExited
	defer func() {
		x.end()
		x.depth--
		if r := recover(); r != nil {
			e, ok := r.(error)
			if !ok {
				e = fmt.Errorf("%v", r)
			}
			err = e
		}
		if err != nil {
			x.broken = &CrashError{err, x.log.String()}
			err = x.broken
		}
	}()
	return f()
}

func (x *Instance) exchange(in []byte) error {
	x.in = in
	if !x.copies {
		return x.guard(x.serve)
	}
	x.resume, x.stop = iter.Pull(func(yield func(struct{}) bool) {
		x.yield = yield
		x.result = x.guard(x.serve)
		x.yield = nil
	})
	return x.proceed()
}

// proceed runs the suspended statement until it ends or waits again.
func (x *Instance) proceed() error {
	if _, waits := x.resume(); waits {
		return nil
	}
	x.resume, x.stop = nil, nil
	return x.result
}

var errAbandoned = errors.New("the statement was abandoned")

// abandon ends a statement that waits for more.
func (x *Instance) abandon() {
	if x.stop != nil {
		x.stop()
		x.resume, x.stop = nil, nil
	}
}

// read is the server's read from its client.
func (x *Instance) read(p *emscripten.Process, at, size uint32) uint64 {
	for len(x.in) == 0 && x.yield != nil {
		if !x.yield(struct{}{}) {
			panic(errAbandoned)
		}
	}
	n := copy(p.Bytes(at, size), x.in)
	x.in = x.in[n:]
	return uint64(n)
}

// serve runs the server's main loop until it has dealt with all messages.
func (x *Instance) serve() error {
	for {
		rest, err := x.proc.Call("pq_buffer_remaining_data")
		if err != nil {
			return err
		}
		if len(x.in) == 0 && int32(rest) <= 0 {
			break
		}
		if err := x.loopOnce(); err != nil {
			return err
		}
	}
	if _, err := x.proc.Call("PostgresSendReadyForQueryIfNecessary"); err != nil {
		return err
	}
	_, err := x.proc.Call("pgl_pq_flush")
	return err
}

// loopOnce is one turn of the main loop.
func (x *Instance) loopOnce() error {
	sp := x.proc.Must("emscripten_stack_get_current")
	_, err := x.proc.Call("PostgresMainLoopOnce")
	return x.recoverServer(sp, err, func() {})
}
