package program

import (
	"fmt"
	"iter"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/program/repeat"
)

// run is one execution of client code as a coroutine: of a session, of the
// Finals, of the declarations alone, of the Setups, or of an invariant. It plays
// a script of read values without stopping and then waits, at each further
// external read, for the value.
type run struct {
	client  *Client
	session int  // index of the session's tree, -1 when no session runs
	root    *run // the run whose goroutine this one runs on: itself, or the one that it follows
	program *Program
	body    func(*run) // what to do after the declarations

	path
	coroutine
	recorded
	transactions
	asking
	ending
	evaluated
}

// evaluated is what evaluates the session's statements, if something does.
type evaluated struct {
	backend *Backend
	ends    []func() // what it does away with when the run ends, the last first
	always  []func() // see Session.Always
}

// path is what a run is to do again, and where it has come.
type path struct {
	before *run                                    // of another session that was run in the same call of the Explore function: see follows
	visit  *visit                                  // what is to be run there between two operations
	host   *run                                    // the run whose visit this one is
	store  func(behaviour.VarID) behaviour.ValueID // answers reads at once: the Setup's
	script []behaviour.ValueID                     // the values of the reads
	expect []*behaviour.Node                       // what the tree already says of this path
	after  string                                  // the session that ran just before, when that is tried, and how
	last   *behaviour.Node                         // the node reached
	first  *behaviour.Node                         // the first node that this resumption recorded
	placed behaviour.Loc                           // where the code is, where that is not Go: see Session.Place; 0: the stack says it
}

// coroutine is how a run waits for the value of a read, and goes on.
type coroutine struct {
	yield  func(behaviour.VarID) bool
	next   func() (behaviour.VarID, bool)
	stop   func()
	answer behaviour.ValueID

	interrupt   atomic.Pointer[interrupt] // see Backend.Interruptible
	givenUp     atomic.Bool               // interrupted: nothing more is recorded
	number      uint64                    // from 1, of all in the process
	leaveBehind func()                    // gives up a goroutine that does not end; of runs with a Backend
	repeats     repeat.Run                // its time and randomness
	declared    time.Duration             // the time after the declarations
}

// recorded is what has happened since the last node.
type recorded struct {
	events   []behaviour.Event
	failures []*behaviour.Failure
	dropped  bool          // an assumption does not hold,
	dropAt   behaviour.Loc // which was made here
	joined   bool          // the last read is a locking read after all
	output   printed
}

// transactions are those of a run so far.
type transactions struct {
	tx           *Tx   // the open one; of several, that which the session has used last
	open         []*Tx // those that are open, each on a connection of its own
	conn         int32 // the connection that the session uses
	left         *Tx   // aborted by the latest panic that left a function given to Txn
	txns         int
	calls        int // of Txn and Begin; more than txns when some are left out
	observations int
	past         int32 // see Node.Past
	joins        bool  // the end of a transaction is part of the step before
	autoErr      error // of the last operation in autocommit
}

// asking is the question whether a statement on a table takes a row.
type asking struct {
	evaluate func(behaviour.VarID, behaviour.ValueID) behaviour.Verdict // what the statement on a table makes of a row
	question *question                                                  // that it is asked instead of getting an answer
	judging  bool                                                       // client code answers the question
}

// ending is how far a run has ended, and why. Goroutines of client code may end a run that has a
// Backend, at the same time: the first one's error stays.
type ending struct {
	dead      atomic.Bool // leaving client code: every call of the API leaves again
	cancelled bool        // closed before its end
	ended     bool        // no client code is left to run
	exited    bool        // ended by runtime.Goexit; the coroutine is still there
	err       atomic.Pointer[behaviour.Error]
	panicText string // of a panic outside of a session
}

// runs counts the coroutines of the process.
var runs atomic.Uint64

// newRun makes a coroutine that calls the Explore function afresh and then body.
// It does not run until resume is called.
func (c *Client) newRun(session int, body func(*run)) *run {
	r := &run{client: c, session: session, body: body}
	r.root, r.number = r, runs.Add(1)
	pull := iter.Pull[behaviour.VarID]
	if c.backend.Load() {
		pull = func(seq iter.Seq[behaviour.VarID]) (next func() (behaviour.VarID, bool), stop func()) {
			next, stop, r.leaveBehind = handOver(seq)
			return next, stop
		}
	}
	r.next, r.stop = pull(r.main)
	return r
}

// execute is what the coroutine does, from its beginning to its end.
func (r *run) execute(yield func(behaviour.VarID) bool) {
	if r.host != nil {
		r.visits()
		return
	}
	own := repeat.Begin(0) // for the declarations: the same in all runs
	r.repeating(own)
	defer own.Active(false)
	r.yield = func(x behaviour.VarID) bool {
		own.Active(false)
		defer own.Active(true)
		return yield(x)
	}
	defer r.leave()
	defer r.release()
	if r.guard(r.declare) && r.body != nil {
		r.declared = own.Passed()
		r.body(r)
	}
	r.ended = true
}

// repeating says what becomes of what the run's goroutines do to the process.
func (r *run) repeating(own repeat.Run) {
	r.repeats = own
	own.Exits(r.exits)
	own.Panics(r.loses)
	own.Prints(r.prints)
	if r.client.opts.Recheck >= 0 {
		own.Files(r.uses)
	}
}

// leave is the last that a coroutine does. When runtime.Goexit ends the coroutine, as
// unwind does, iter.Pull would end the goroutine that resumed it as well. So the
// coroutine hands over as if for a read instead, and close does away with it.
func (r *run) leave() {
	if r.ended {
		return
	}
	if v := recover(); v != nil { // a mistake of this package
		panic(v)
	}
	r.ended, r.exited = true, true
	r.yield(0)
}

// resume lets client code run until it waits for a read or ends. It returns the
// error that makes the program unexplorable, if there is one.
func (r *run) resume() error {
	c := r.client
	defer r.watchAsserts()()
	c.busy(r)
	r.next()
	c.idle()
	given := r.givenUp.Load() || r.before != nil && r.before.givenUp.Load()
	for _, one := range []*run{r.before, r} {
		if one == nil || given { // what client code does then says nothing
			continue
		}
		if err := one.err.Load(); err != nil {
			c.report(err)
		}
	}
	if err := c.Err(); err != nil {
		return err
	}
	if given {
		return errGivenUp
	}
	return nil
}

// close ends a run that is not needed any more. Deferred functions of the
// client run; what they do is not recorded.
func (r *run) close() {
	if r.ended && !r.exited {
		return
	}
	c := r.client
	c.busy(r)
	r.cancelled = true
	r.dead.Store(true)
	done := make(chan struct{})
	go func() { // ended by the coroutine's runtime.Goexit
		defer close(done)
		r.stop()
	}()
	<-done
	c.idle()
}

// declare calls the Explore function.
func (r *run) declare() {
	p := &Program{client: r.client, run: r}
	r.program = p
	r.client.settings.declaring(func() { r.client.explore(p) })
	p.sealed = true
	r.takePrinted()
}

// leftOpen says that the session has ended too early.
func (r *run) leftOpen() string {
	if b := r.backend; b != nil && b.open != nil {
		if why := b.open(); why != "" {
			return "the session ended " + why
		}
	}
	return fmt.Sprintf("the session ended with transaction %q open: end it with Commit or Rollback", r.tx.name)
}

// guard calls f and reports whether it returned. A panic of the client's is
// recorded as a failure of the session, or, where no session runs, as an error.
func (r *run) guard(f func()) (ok bool) {
	defer func() {
		if ok {
			return
		}
		v := recover()
		if r.dead.Swap(true) {
			return
		}
		if v == nil {
			err := &behaviour.Error{Kind: behaviour.Misuse, Program: r.client.Name, Session: r.name(), Message: "client code ended its goroutine: " +
				"return from the function instead of calling runtime.Goexit, t.FailNow, t.Fatal or t.Skip"}
			err.Stack, err.At = r.client.locs.UserStack()
			r.err.Store(err)
			return
		}
		r.panicked(v)
	}()
	f()
	return true
}

// panicked records that client code panicked with v; the stack is still there.
func (r *run) panicked(v any) {
	stack, top := r.client.locs.UserStack()
	text := fmt.Sprintf("panic: %v", v)
	if r.session < 0 || !r.program.sealed {
		r.err.Store(&behaviour.Error{Kind: behaviour.Crashed, Program: r.client.Name, Message: text + " (outside any session)", At: top, Stack: stack})
		r.panicText = text
		return
	}
	f := &behaviour.Failure{Kind: behaviour.Panic, Message: text, At: top, Stack: stack}
	switch {
	case r.tx != nil:
		f.Name = r.tx.name
		r.failure(f)
	case behaviour.OnStack(transactFrame):
		f.Name = r.left.name
		r.failure(f)
		f.Txn = r.left.index
	default:
		r.failure(f)
	}
}

// live runs a session's function to its end and records the end.
func (r *run) live(f func()) {
	ok := false
	defer func() {
		if r.err.Load() != nil || r.cancelled {
			return
		}
		r.dead.Store(false)
		if r.tx != nil && ok {
			r.misuse(r.tx.began, "%s", r.leftOpen())
		}
		if ok {
			r.keepsAtEnd()
		}
		for r.tx != nil {
			r.use(r.tx)
			if r.dropped {
				r.abort(r.tx, r.dropAt, "an assumption does not hold")
			} else {
				r.abort(r.tx, r.failedAt(), "the session failed")
			}
		}
		r.conn = 0
		r.point(&behaviour.Node{Kind: behaviour.End, Txn: int32(r.txns)})
	}()
	ok = r.guard(f)
}

// unwind leaves client code: its deferred functions run, but unlike a panic it
// cannot be recovered.
func (r *run) unwind() {
	r.dead.Store(true)
	runtime.Goexit()
}

// fail ends the exploration of this program.
func (r *run) fail(err *behaviour.Error) {
	r.err.CompareAndSwap(nil, err)
	r.unwind()
}

func (r *run) misuse(loc behaviour.Loc, format string, args ...any) {
	r.fail(&behaviour.Error{Kind: behaviour.Misuse, Program: r.client.Name, Session: r.name(), Message: fmt.Sprintf(format, args...), At: r.client.Location(r.here(loc))})
}

func (r *run) unbounded(loc behaviour.Loc, what string) {
	r.fail(&behaviour.Error{Kind: behaviour.Unbounded, Program: r.client.Name, Session: r.name(), At: r.client.Location(r.here(loc)),
		Message: what + ": bound the loop"})
}

func (r *run) name() string {
	if r.session < 0 {
		return ""
	}
	return r.client.SessionName(r.session)
}
