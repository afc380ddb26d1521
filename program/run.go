package program

import (
	"bytes"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strconv"
)

// run is one execution of client code as a coroutine: of a session, of the
// Finals, of the declarations alone, of the Setups, or of an invariant. It plays
// a script of read values without stopping and then waits, at each further
// external read, for the value.
type run struct {
	client  *Client
	session int // index of the session's tree, -1 when no session runs
	gid     uint64
	program *Program
	body    func(*run) // what to do after the declarations

	store  func(VarID) ValueID // answers reads at once: the Setup's
	script []ValueID
	expect []*Node // what the tree already says of this path
	last   *Node   // the node reached
	first  *Node   // the first node that this resumption recorded

	yield  func(VarID) bool
	next   func() (VarID, bool)
	stop   func()
	answer ValueID

	events       []Event // since the last node
	failures     []*Failure
	tx           *Tx
	txns         int
	observations int
	panicked     *Tx

	dead      bool // unwinding: every call of the API unwinds again
	cancelled bool // closed before its end
	ended     bool
	err       *Error
}

// unwinding is what the API panics with to leave client code.
type unwinding struct{}

// newRun makes a coroutine that calls the Explore function afresh and then body.
// It does not run until resume is called.
func (c *Client) newRun(session int, body func(*run)) *run {
	r := &run{client: c, session: session, body: body}
	r.next, r.stop = iter.Pull(func(yield func(VarID) bool) {
		r.gid = goroutineID()
		r.yield = yield
		c.coroutines.Store(r.gid, r)
		defer c.coroutines.Delete(r.gid)
		defer func() { r.ended = true }()
		if r.guard(r.declare) && r.body != nil {
			r.body(r)
		}
	})
	return r
}

// resume lets client code run until it waits for a read or ends. It returns the
// error that makes the program unexplorable, if there is one.
func (r *run) resume() error {
	c := r.client
	c.busy(r)
	r.next()
	c.idle()
	if r.err != nil {
		return r.err
	}
	return c.foreign()
}

// close ends a run that is not needed any more. Deferred functions of the
// client run; what they do is not recorded.
func (r *run) close() {
	c := r.client
	c.busy(r)
	r.dead, r.cancelled = true, true
	r.stop()
	c.idle()
}

// declare calls the Explore function.
func (r *run) declare() {
	p := &Program{client: r.client, run: r}
	r.program = p
	r.client.explore(p)
	p.sealed = true
}

// guard calls f and reports whether it returned. A panic of the client's is
// recorded as a failure of the session, or, where no session runs, as an error.
func (r *run) guard(f func()) (ok bool) {
	defer func() {
		if ok && !r.dead {
			return
		}
		ok = false
		v := recover()
		if r.dead {
			return
		}
		r.dead = true
		if v == nil {
			r.err = &Error{Kind: Misuse, Program: r.client.Name, Session: r.name(),
				Message: "client code ended its goroutine (runtime.Goexit; t.FailNow and t.Fatal do that): return from the function instead"}
			r.client.report(r.err)
			return
		}
		r.panicFailure(v)
	}()
	f()
	return true
}

func (r *run) panicFailure(v any) {
	stack, top := userStack(4)
	text := fmt.Sprintf("panic: %v", v)
	if r.session < 0 || !r.program.sealed {
		r.err = &Error{Kind: Crashed, Program: r.client.Name, Message: text + " (outside any session)", At: top, Stack: stack, panicText: text}
		return
	}
	f := &Failure{Kind: Panic, Message: text, At: top, Stack: stack}
	if r.tx == nil && r.panicked != nil {
		f.Name = r.panicked.name
		r.failure(f)
		f.Txn = r.txns - 1
		return
	}
	if r.tx != nil {
		f.Name = r.tx.name
	}
	r.failure(f)
}

// live runs a session's function to its end and records the end.
func (r *run) live(f func()) {
	ok := r.guard(f)
	if r.err != nil || r.cancelled {
		return
	}
	r.dead = false
	r.guard(func() {
		if r.tx != nil && ok {
			r.misuse(r.tx.began, "the session ended with transaction %q open: end it with Commit or Rollback", r.tx.name)
		}
		if r.tx != nil {
			r.abort(r.tx, r.tx.began, "the session failed")
		}
		r.point(&Node{Kind: End, Txn: int32(r.txns)})
	})
}

// unwind leaves client code.
func (r *run) unwind() {
	r.dead = true
	panic(unwinding{})
}

// fail ends the exploration of this program.
func (r *run) fail(err *Error) {
	if r.err == nil {
		r.err = err
	}
	r.unwind()
}

func (r *run) misuse(loc Loc, format string, args ...any) {
	r.fail(&Error{Kind: Misuse, Program: r.client.Name, Session: r.name(), Message: fmt.Sprintf(format, args...), At: r.client.Location(loc)})
}

func (r *run) unbounded(loc Loc, what string) {
	r.fail(&Error{Kind: Unbounded, Program: r.client.Name, Session: r.name(), At: r.client.Location(loc),
		Message: what + ": bound the loop, or raise --max-ops if it is meant to be that long"})
}

func (r *run) name() string {
	if r.session < 0 {
		return ""
	}
	return r.client.SessionName(r.session)
}

// enter guards every call of the API: it must come from the run's own goroutine,
// and from code that is still wanted.
func (r *run) enter(what string) {
	gid := goroutineID()
	if gid != r.gid {
		r.client.strayed(r, what, gid)
	}
	if r.dead {
		panic(unwinding{})
	}
}

func (r *run) begin(name string, loc Loc) *Tx {
	if r.tx != nil {
		r.misuse(loc, "transaction %q begins inside transaction %q (begun at %s): end that one first", name, r.tx.name, r.client.Location(r.tx.began))
	}
	if limit := r.client.opts.MaxOps; r.txns >= limit {
		r.unbounded(loc, fmt.Sprintf("more than %d transactions in one session", limit))
	}
	r.tx = &Tx{run: r, name: name, began: loc}
	r.txns++
	r.panicked = nil
	r.events = append(r.events, Event{Kind: BeginEvent, Loc: loc, Text: name})
	return r.tx
}

func (r *run) commit(tx *Tx, loc Loc) {
	slices.SortFunc(tx.own, func(a, b Write) int { return int(a.Var) - int(b.Var) })
	r.finish(tx, loc, &Node{Kind: Commit, Writes: tx.own})
}

func (r *run) abort(tx *Tx, loc Loc, why string) {
	r.finish(tx, loc, &Node{Kind: Abort, Text: why})
}

func (r *run) finish(tx *Tx, loc Loc, n *Node) {
	tx.done, tx.ended = true, loc
	r.tx = nil
	n.Txn, n.Loc = int32(r.txns-1), loc
	r.point(n)
}

// await returns the value of an external read of x.
func (r *run) await(x VarID, loc Loc) ValueID {
	if r.store != nil {
		return r.store(x)
	}
	r.point(&Node{Kind: Read, Var: x, Loc: loc, Txn: int32(r.txns - 1)})
	if len(r.script) > 0 {
		v := r.script[0]
		r.script = r.script[1:]
		return v
	}
	if !r.yield(x) {
		r.unwind()
	}
	return r.answer
}

// point reaches a node: on a known path it must be the one that the tree has,
// beyond it is recorded.
func (r *run) point(n *Node) {
	if r.store != nil {
		r.last, r.events = n, nil
		return
	}
	n.Session, n.Events, n.Failures, n.parent = int32(r.session), r.events, r.failures, r.last
	r.events = nil
	if len(r.expect) > 0 {
		known := r.expect[0]
		r.expect = r.expect[1:]
		if err := r.differs(known, n); err != nil {
			r.fail(err)
		}
		r.last = known
		r.failures = known.Failures
		return
	}
	n.ID = r.client.nextID()
	if r.last != nil && r.last.Kind == Read {
		n.via = r.answer
	} else if r.last != nil && r.first != nil {
		r.last.next = n
	}
	if r.first == nil {
		r.first = n
	}
	r.last = n
}

// goroutineID is the number that the runtime prints for this goroutine.
func goroutineID() uint64 {
	var buf [40]byte
	b := buf[len("goroutine "):runtime.Stack(buf[:], false)]
	if i := bytes.IndexByte(b, ' '); i > 0 {
		b = b[:i]
	}
	id, _ := strconv.ParseUint(string(b), 10, 64)
	return id
}
