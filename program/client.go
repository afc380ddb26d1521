package program

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Options bound what client code may do.
type Options struct {
	// MaxOps bounds the operations of a transaction, the transactions of a
	// session and the observations of a session; 0 means 1000.
	MaxOps int
	// Patience is how long client code may run without returning to the API
	// before it counts as stalled; 0 means 10 seconds.
	Patience time.Duration
}

// Client is a client program ready for exploration: the Explore function with
// its sessions, the behaviour trees recorded so far, and the tables that turn
// variables, values and source lines into integers and back. A Client may be
// explored several times; its trees are kept. Its methods may be called from
// several goroutines; client code itself never runs twice at the same time.
type Client struct {
	Name string // of the Explore function

	explore func(*Program)
	opts    Options
	locs    *locations
	values  *values

	varMu sync.RWMutex
	vars  map[string]VarID
	keys  []string

	shape   *Program // the declarations of the first call
	initial []ValueID

	mu      sync.Mutex // held while client code runs
	trees   []tree
	nodes   int32
	strayMu sync.Mutex
	stray   *Error // misuse noticed outside any run

	coroutines sync.Map // goroutine ID → *run
	running    atomic.Pointer[run]
	since      atomic.Int64 // when running started, Unix nanoseconds
}

// tree is the behaviour tree of one session.
type tree struct {
	root   *Node
	live   *run // waits at live.last, when not nil
	leaves int
}

// NewClient calls the Explore function once, checks what it declares and runs
// its Setups. It returns an [*Error] when the program cannot be explored.
func NewClient(name string, explore func(*Program), opts Options) (*Client, error) {
	if opts.MaxOps <= 0 {
		opts.MaxOps = 1000
	}
	if opts.Patience <= 0 {
		opts.Patience = 10 * time.Second
	}
	c := &Client{
		Name: name, explore: explore, opts: opts,
		locs: newLocations(), values: newValues(), vars: map[string]VarID{},
	}
	done := make(chan error, 1)
	go func() {
		err := error(&Error{Kind: Misuse, Program: name, Message: "the Explore function ended its goroutine: return from it instead"})
		defer func() { done <- err }()
		err = c.prepare()
	}()
	return c, c.await(done)
}

// await waits for client code that runs on a goroutine of its own.
func (c *Client) await(done <-chan error) error {
	tick := time.NewTicker(c.opts.Patience / 10)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-tick.C:
			if err := c.Stalled(); err != nil {
				return err
			}
		}
	}
}

// prepare declares the program and runs its Setups, twice, to notice what
// differs.
func (c *Client) prepare() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.complete(c.newRun(-1, func(r *run) { c.shape = r.program })); err != nil {
		return err
	}
	if len(c.shape.sessions) == 0 {
		return &Error{Kind: Misuse, Program: c.Name, Message: "it declares no session: call p.Session at least once"}
	}
	sessions := len(c.shape.sessions)
	if len(c.shape.finals) > 0 {
		sessions++
	}
	c.trees = make([]tree, sessions)
	first, err := c.setUp()
	if err != nil {
		return err
	}
	again, err := c.setUp()
	if err != nil {
		return err
	}
	for x := range first {
		if first[x] != again[x] {
			return &Error{Kind: Nondeterminism, Program: c.Name, Message: fmt.Sprintf(
				"Setup gives %q the value %s in one run and %s in another: initial values must be the same in every run",
				c.Key(VarID(x)), c.Format(first[x]), c.Format(again[x]))}
		}
	}
	c.initial = first
	return nil
}

// complete runs r, which waits for nothing, to its end.
func (c *Client) complete(r *run) error {
	defer r.close()
	return r.resume()
}

// setUp returns the initial value of every variable known after the Setups.
func (c *Client) setUp() ([]ValueID, error) {
	state := map[VarID]ValueID{}
	r := c.newRun(-1, nil)
	r.body = func(r *run) {
		if !c.sameShape(r) {
			return
		}
		for _, d := range r.program.vars {
			state[d.id] = d.initial
		}
		r.store = func(x VarID) ValueID { return state[x] }
		for _, s := range r.program.setups {
			r.guard(func() {
				err := r.transact("setup", s.loc, s.body, func(error) *Failure { return nil })
				if err != nil {
					r.fail(&Error{Kind: Crashed, Program: c.Name, At: c.Location(s.loc), Message: fmt.Sprintf("Setup returned an error: %v", err)})
				}
				for _, w := range r.last.Writes {
					state[w.Var] = w.Val
				}
			})
		}
	}
	if err := c.complete(r); err != nil {
		return nil, err
	}
	initial := make([]ValueID, len(c.keys))
	for x, v := range state {
		initial[x] = v
	}
	return initial, nil
}

// sameShape compares the declarations of r with those of the first call.
func (c *Client) sameShape(r *run) bool {
	was, is := c.shape, r.program
	differ := func(what string, a, b Loc) bool {
		r.err = &Error{Kind: Nondeterminism, Program: c.Name, At: c.Location(b), Message: fmt.Sprintf(
			"the Explore function declares another %s in one call (%s) than in the next (%s): its declarations must be the same in every call",
			what, place(c.Location(a)), place(c.Location(b)))}
		return false
	}
	if len(was.sessions) != len(is.sessions) || len(was.finals) != len(is.finals) ||
		len(was.invariants) != len(is.invariants) || len(was.vars) != len(is.vars) || len(was.setups) != len(is.setups) {
		return differ("number of variables, sessions, finals or invariants", 0, 0)
	}
	for i, d := range is.vars {
		if o := was.vars[i]; o.id != d.id || o.initial != d.initial {
			return differ(fmt.Sprintf("variable (%q = %s, then %q = %s)", o.key, c.Format(o.initial), d.key, c.Format(d.initial)), o.loc, d.loc)
		}
	}
	for i, d := range is.sessions {
		if o := was.sessions[i]; o.name != d.name {
			return differ(fmt.Sprintf("session (%q, then %q)", o.name, d.name), o.loc, d.loc)
		}
	}
	for i, d := range is.finals {
		if o := was.finals[i]; o.name != d.name {
			return differ(fmt.Sprintf("Final (%q, then %q)", o.name, d.name), o.loc, d.loc)
		}
	}
	for i, d := range is.invariants {
		if o := was.invariants[i]; o.name != d.name {
			return differ(fmt.Sprintf("Invariant (%q, then %q)", o.name, d.name), o.loc, d.loc)
		}
	}
	return true
}

// Sessions returns the number of sessions; the Finals, if there are any, are one
// more session, the last.
func (c *Client) Sessions() int { return len(c.trees) }

// Final returns the index of the session that the Finals form, or -1.
func (c *Client) Final() int {
	if len(c.shape.finals) == 0 {
		return -1
	}
	return len(c.trees) - 1
}

// SessionName returns the name of session i; "final" for the Finals.
func (c *Client) SessionName(i int) string {
	if i < len(c.shape.sessions) {
		return c.shape.sessions[i].name
	}
	return "final"
}

// Initial returns the value that x has before any session runs.
func (c *Client) Initial(x VarID) ValueID {
	if int(x) < len(c.initial) {
		return c.initial[x]
	}
	return 0
}

// Key returns the key of x.
func (c *Client) Key(x VarID) string {
	c.varMu.RLock()
	defer c.varMu.RUnlock()
	return c.keys[x]
}

// Value returns a copy of the Go value that v stands for.
func (c *Client) Value(v ValueID) any { return c.values.get(v) }

// Format renders the value that v stands for: strings quoted, the rest as by
// %+v.
func (c *Client) Format(v ValueID) string { return c.values.format(v) }

func (c *Client) variable(key string) VarID {
	c.varMu.RLock()
	x, ok := c.vars[key]
	c.varMu.RUnlock()
	if ok {
		return x
	}
	c.varMu.Lock()
	defer c.varMu.Unlock()
	if x, ok := c.vars[key]; ok {
		return x
	}
	x = VarID(len(c.keys))
	c.keys = append(c.keys, key)
	c.vars[key] = x
	return x
}

func (c *Client) nextID() int32 {
	c.nodes++
	return c.nodes - 1
}

// strayed reports a call of the API of r from goroutine gid, which is not its
// own, and stops that goroutine.
func (c *Client) strayed(r *run, what string, gid uint64) {
	err := &Error{Kind: Misuse, Program: c.Name, Session: r.name(), At: c.Location(c.caller()), Message: what +
		" called from outside the session's own goroutine (a go statement, or a Tx or Session kept from another run): " +
		"a session is sequential code; use one Session for each concurrent client"}
	c.report(err)
	if other, ok := c.coroutines.Load(gid); ok {
		other.(*run).fail(err)
	}
	exitGoroutine()
}

// report keeps an error that no run can return.
func (c *Client) report(err *Error) {
	c.strayMu.Lock()
	defer c.strayMu.Unlock()
	if c.stray == nil {
		c.stray = err
	}
}

func (c *Client) foreign() error {
	c.strayMu.Lock()
	defer c.strayMu.Unlock()
	if c.stray == nil {
		return nil
	}
	return c.stray
}

// Err returns the first misuse that was noticed outside any run, such as a call
// from a stray goroutine, or nil.
func (c *Client) Err() error { return c.foreign() }

// Park ends the coroutines that wait for a next read. They are started again on
// demand. Call it at the end of an exploration; otherwise they leak.
func (c *Client) Park() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.trees {
		c.retire(i)
	}
}

func (c *Client) retire(session int) {
	if r := c.trees[session].live; r != nil {
		c.trees[session].live = nil
		r.close()
	}
}
