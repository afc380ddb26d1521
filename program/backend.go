package program

import (
	"errors"
	"fmt"
	"iter"
	"sync/atomic"

	"github.com/txmc/txmc/program/behaviour"
)

// ErrEnded is returned by a Backend whose run has ended, because it is not wanted
// any more or has failed. What asked has to give up, without effect.
var ErrEnded = errors.New("txmc: this run of the session has been ended")

// Backend is the database's side of a session. A database may evaluate its statements
// itself, below a driver that client code calls. It reads and writes by a Backend.
// There is one Backend for each connection of a run of a session: see Connection. It is
// valid until the session's function returns.
//
// Its methods may be called from any goroutine, as drivers read answers on
// goroutines of their own, but never from two at a time, but for Wanted and FailHere.
//
// In a Final everything happens in the Final's transaction: Begin, Commit and
// Abort do nothing there.
type Backend struct {
	run   *run
	conn  int32 // the connection, from 0
	tx    *Tx   // open, or nil
	final bool
	at    behaviour.Loc
	begun behaviour.Loc // where the next transaction's BEGIN is; 0: where its first statement is
	names string        // full name of the function after which the next transaction is named

	occasion occasion // of the next write
	relayed  int      // messages since the transaction has begun, or the one before has ended

	refused atomic.Int32                        // operations after the run has ended
	open    func() string                       // see OpenAtEnd
	keeps   func() (behaviour.Location, string) // see KeepsAtEnd
}

// UseBackend declares that sessions read and write by a [Backend].
func (p *Program) UseBackend() {
	loc := p.declaring("UseBackend")
	if p.client.opts.Database && p.client.storage.Load() == nil {
		p.run.misuse(loc, "a database that evaluates statements itself cannot be explored under the model of another one: ask for an axiomatic level")
	}
	p.client.backend.Store(true)
	if p.client.shape != nil && !p.client.shape.backend {
		p.run.misuse(loc, "a database is declared in one call of the Explore function and not in another: declare it in every call")
	}
	p.backend = true
}

// Backend returns the backend of this run of the session.
func (s *Session) Backend() *Backend {
	r := s.enter("Backend")
	if r.backend == nil {
		r.backend = &Backend{run: r}
	}
	return r.backend
}

// Backend returns a backend that reads and writes in this transaction, which is
// a Final's or a Setup's.
func (tx *Tx) Backend() *Backend {
	loc := tx.enter("Backend")
	if tx.run.session >= 0 && tx.run.session < len(tx.run.program.sessions) {
		tx.run.misuse(loc, "Backend of a transaction in a session: ask the Session")
	}
	return &Backend{run: tx.run, tx: tx, final: true}
}

// Session returns the name of the session; "final" of a Final.
func (b *Backend) Session() string { return b.run.name() }

// Index returns the index of the session; the Finals' is one more than the last.
func (b *Backend) Index() int { return b.run.session }

// Final reports whether everything happens in a Final's or a Setup's transaction.
func (b *Backend) Final() bool { return b.final }

// Open reports whether a transaction is open.
func (b *Backend) Open() bool { return b.tx != nil }

// Wanted returns ErrEnded when the run has ended.
func (b *Backend) Wanted() error { return b.do(func(*run) {}) }

// Here chooses the line of what the Backend does next: the innermost line of the
// application on this goroutine's stack. Lines of this module, of the standard library,
// and of modules that the application requires do not count. When this is a goroutine
// of a driver's, the session's own is looked at, which waits.
func (b *Backend) Here() {
	r := b.run
	if at := r.application(); at != 0 {
		b.at = at
	}
	if b.tx == nil && b.begun != 0 && r.placed == 0 {
		b.names = behaviour.LiteralCalledBy(b.functions(), r.client.Location(b.begun).Func)
	}
}

// application is the innermost line of the application on this goroutine's stack, and on the run's
// where that has none; 0 for none.
func (r *run) application() behaviour.Loc {
	if r.placed != 0 {
		return r.placed
	}
	if at := r.client.locs.Application(behaviour.Stack()); at != 0 || r.own() {
		return at
	}
	return r.client.applicationAt(r)
}

// Place is the line of the application that Here has found last.
func (b *Backend) Place() behaviour.Location { return b.run.client.Location(b.at) }

// functions yields the application's functions that are being called in the session,
// innermost first.
func (b *Backend) functions() iter.Seq[string] {
	if b.run.own() {
		return b.run.client.locs.ApplicationFunctions(behaviour.Stack())
	}
	return func(yield func(string) bool) {
		for at := range b.run.client.applicationFrames(b.run) {
			if !yield(at.Func) {
				return
			}
		}
	}
}

// Begins says that the line of Here is a BEGIN's, and that the next transaction begins
// there. With false it says that the transaction begins at its first statement.
func (b *Backend) Begins(yes bool) {
	b.begun, b.names = 0, ""
	if yes {
		b.begun = b.at
	}
}

// Function is the name, without its package, of the function that the next transaction
// is named after. This is the function that has begun the transaction. When that
// function calls a function literal in the transaction, it is the function in which the
// literal stands.
func (b *Backend) Function() string {
	if at := b.run.placed; at != 0 {
		return b.run.client.Location(at).Func
	}
	at := b.at
	if b.begun != 0 {
		at = b.begun
	}
	full := b.names
	if full == "" {
		full = b.run.client.Location(at).Func
	}
	return behaviour.FunctionName(full)
}

// Begin begins a transaction.
func (b *Backend) Begin(name string) error {
	return b.do(func(r *run) {
		b.relayed = 0
		if at := b.at; !b.final {
			if b.begun != 0 {
				at = b.begun
			}
			alone := b.begun == 0
			r.conn = b.conn
			b.tx = r.begin(name, at, func(tx *Tx) { tx.alone = alone })
			b.Begins(false)
		}
	})
}

// Statement notes the statement that what follows belongs to.
func (b *Backend) Statement(text string) error {
	return b.do(func(r *run) {
		b.uses()
		b.occasion.statements++
		r.events = append(r.events, behaviour.Event{Kind: behaviour.StatementEvent, Loc: b.at, Text: text})
	})
}

// Read returns the value of key: the transaction's own last write, or one that
// the isolation level allows; nil when nobody wrote it.
func (b *Backend) Read(key string) (any, error) { return b.read(key, false) }

// Lock is a locking read, as SELECT ... FOR UPDATE: see [Tx.ReadForUpdate].
func (b *Backend) Lock(key string) (any, error) { return b.read(key, true) }

// Join makes the transaction's last read a locking read, if it was a read of key and nothing
// has been read since. It reports whether it did. The answer to the read tells the database
// whether to call it.
func (b *Backend) Join(key string) (ok bool) {
	_ = b.do(func(r *run) { // an error ends the run, which notices by itself
		n := r.last
		ok = b.tx != nil && r.store == nil && n != nil && n.Kind == behaviour.Read && n.Var == r.client.variable(key) && n.Txn == int32(b.tx.index)
		if ok && !n.Lock {
			r.joined = true
			r.client.locks.Store(true)
		}
	})
	return ok
}

func (b *Backend) read(key string, lock bool) (v any, err error) {
	err = b.operation(func(r *run) error {
		x := r.client.variable(key)
		if own, ok := b.tx.written(x); ok {
			v = r.client.values.Get(own)
			return nil
		}
		id := r.await(x, lock, b.at)
		if v = r.client.values.Get(id); v != nil {
			b.occasion.saw(x, id)
		}
		return nil
	})
	return v, err
}

// Write writes a copy of v under key. The write is an operation of the history
// only when the transaction commits: until then it may be undone.
func (b *Backend) Write(key string, v any) error {
	return b.operation(func(r *run) error {
		b.occasion.writes++
		if b.tx.apart || b.setUp() {
			b.tx.write(r.client.variable(key), v, b.at)
			return nil
		}
		n := len(r.events)
		b.tx.write(r.client.variable(key), v, b.at)
		r.events[n].Kind = behaviour.ChangeEvent
		return nil
	})
}

// setUp reports whether the transaction is a Setup's, which cannot be undone.
func (b *Backend) setUp() bool { return b.run.session < 0 }

// Commit ends the transaction and makes its writes visible. In database mode it may
// fail with a [*behaviour.DBError]; then the transaction has been rolled back.
func (b *Backend) Commit() error {
	var failed error
	ended := b.do(func(r *run) {
		b.uses()
		tx := b.end()
		if tx == nil {
			return
		}
		for _, w := range tx.own {
			r.events = append(r.events, behaviour.Event{Kind: behaviour.WriteEvent, Var: w.Var, Val: w.Val, Loc: b.at})
		}
		failed = r.commit(tx, b.at)
	})
	return errors.Join(ended, failed)
}

// Abort ends the transaction without effect; why goes to reports.
func (b *Backend) Abort(why string) error {
	return b.do(func(r *run) {
		b.uses()
		if tx := b.end(); tx != nil {
			r.abort(tx, b.at, why)
		}
	})
}

// end is the open transaction, which is to end; nil in a Final.
func (b *Backend) end() *Tx {
	if b.final {
		return nil
	}
	tx := b.tx
	b.tx = nil
	return tx
}

// Savepoint is a point of a transaction to which it can be rolled back.
type Savepoint []behaviour.Write

// Save returns the point at which the open transaction is.
func (b *Backend) Save() Savepoint { return append(Savepoint{}, b.tx.own...) }

// Restore undoes the writes that the open transaction has made since s. What it
// has read and locked since stays.
func (b *Backend) Restore(s Savepoint) error {
	return b.do(func(r *run) {
		b.tx.own = append([]behaviour.Write{}, s...)
		r.events = append(r.events, behaviour.Event{Kind: behaviour.UndoEvent, Loc: b.at})
	})
}

// Fail ends the exploration with a message that says what cannot be explored and
// what to do.
func (b *Backend) Fail(format string, args ...any) error {
	return b.do(func(r *run) { r.misuse(b.at, format, args...) })
}

// FailHere is Fail at the line that Here would find, where another goroutine may be in a
// statement of its own.
func (b *Backend) FailHere(format string, args ...any) error {
	at := b.run.application()
	return b.do(func(r *run) { r.misuse(at, format, args...) })
}

// MaxValueBytes is the most that the encoding of a value may take: see Options.
func (b *Backend) MaxValueBytes() int { return b.run.client.opts.MaxValueBytes }

// Interruptible gives a function f that makes the database end what it is doing, by an
// error. It is called when the run is given up because it takes too long. statement
// returns the statement that the database evaluates, and "" while there is none. Both may
// be called from any goroutine at any time.
func (b *Backend) Interruptible(statement func() string, f func()) {
	b.run.interrupt.Store(&interrupt{statement, f})
}

// OpenAtEnd gives what to say, other than that a transaction is open, where the session
// ends with one open: "" for nothing else.
func (b *Backend) OpenAtEnd(f func() string) { b.open = f }

// Over reports whether the run has been given up: its code only returns.
func (b *Backend) Over() bool { return b.run.dead.Load() || b.run.givenUp.Load() }

// AtEnd calls f when the run ends, before what was given to AtEnd earlier.
func (b *Backend) AtEnd(f func()) { b.run.ends = append(b.run.ends, f) }

// release does away with what the run leaves behind.
func (r *run) release() {
	for len(r.ends) > 0 {
		f := r.ends[len(r.ends)-1]
		r.ends = r.ends[:len(r.ends)-1]
		f()
	}
}

// operation is do for reads and writes, which are counted.
func (b *Backend) operation(f func(*run) error) error {
	var err error
	ended := b.do(func(r *run) {
		if b.tx == nil {
			r.misuse(b.at, "a read or write outside a transaction")
		}
		b.uses()
		b.tx.ops++
		if limit := r.client.opts.MaxOps; b.tx.ops > limit {
			r.unbounded(b.at, fmt.Sprintf("transaction %q has more than %d operations", b.tx.name, limit))
		}
		err = f(r)
	})
	return errors.Join(ended, err)
}

// do calls f, on a goroutine of its own: when f ends the run, client code goes on
// with ErrEnded. It cannot be ended where it is, as a driver may hold locks there
// that the client's deferred functions need.
func (b *Backend) do(f func(*run)) error {
	r := b.run
	if r.dead.Load() || r.givenUp.Load() {
		b.refuse()
		return ErrEnded
	}
	done := make(chan bool)
	go func() {
		returned := false
		defer func() { done <- returned }()
		f(r)
		returned = true
	}()
	if !<-done {
		return ErrEnded
	}
	return nil
}

// refuse counts what client code tries after its run has ended. Code that tries
// for ever is left where it is.
func (b *Backend) refuse() {
	const patience = 1000
	if b.refused.Add(1) > patience {
		b.run.leaveBehind()
		select {}
	}
}

// written is the transaction's own last write of x.
func (tx *Tx) written(x behaviour.VarID) (behaviour.ValueID, bool) {
	for _, w := range tx.own {
		if w.Var == x {
			return w.Val, true
		}
	}
	return 0, false
}
