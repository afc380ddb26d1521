package program

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/program/watched"
)

// Options bound what client code may do.
type Options struct {
	// MaxOps bounds the operations of a transaction, the transactions of a
	// session and the observations of a session; 0 means 1000.
	MaxOps int
	// Patience is how long client code may run without returning to the API
	// before it counts as stalled; 0 means 10 seconds.
	Patience time.Duration
	// MaxTreeBytes bounds the memory of the behaviour trees, in bytes, not
	// counting values; 0 means 256 MiB. What does not fit is run again on demand.
	MaxTreeBytes int64

	// MaxValueBytes bounds the encoding of a stored value; 0 means 1 MiB.
	MaxValueBytes int

	// Recheck is how many new behaviours of a session pass between two that are
	// run again to see whether they repeat; the first ones are in any case. 0 means
	// DefaultRecheck; with less than 0 none is. A session that is run along a known
	// path again, as after an eviction, is compared with it in any case.
	Recheck int

	// Watched are package-level variables that client code must not change after
	// the program is declared.
	Watched []watched.Variable

	// Dir is the directory from which the user looks at source files; "" shows them by
	// their last element.
	Dir string

	// Database turns database mode on: every operation of a transaction waits for
	// the answer of a database. See Client.Database.
	Database bool
	// Level, of database mode, is that of a Backend's transactions that ask for none.
	Level string
	// Levels, of database mode, are those of transactions by their names, whatever they
	// ask for; of the name "" for all that have none there. See Client.DatabaseWith.
	Levels map[string]string

	Serving
	Keeping
}

// Serving says which server's answers a program gets.
type Serving struct {
	// Server is the real database server on which the program runs, nil for none: see
	// Client.OnServer.
	Server access.Server
	// Version is the version of the database that answers where there is no server, for programs that choose
	// none: of PostgreSQL, or the number of an access.Product. 0: the newest PostgreSQL, or MariaDB 10.11.
	Version int
	// Clock is when the clock of the database begins, for programs that ask; zero: they choose.
	Clock time.Time
}

// Keeping says what a client keeps beside what its sessions do.
type Keeping struct {
	// Prints lets client code print. Otherwise what its sessions print is kept with what they do, in
	// builds with the overlay of package repeat.
	Prints bool
	// Shown keeps what clients see of the answers of their database, to compare two.
	Shown bool
}

// Client is a client program ready for exploration: the Explore function with
// its sessions, the behaviour trees recorded so far, and the tables that turn
// variables, values and source lines into integers and back. A Client may be
// explored several times; its trees are kept. Its methods may be called from
// several goroutines; client code itself never runs twice at the same time.
//
// After the first error, whatever it is, no more client code runs: Root, Child
// and Judge return that error.
type Client struct {
	Name string // of the Explore function
	declared
	opts Options
	numbered
	schema

	forest
	backends
	repeated
	watch
	begun
	kept
	asserting
}

// declared is the program as its Explore function declares it.
type declared struct {
	explore func(*Program)
	without []Part              // see Client.Without
	shape   *Program            // the declarations of the first call
	initial []behaviour.ValueID // by variable, after the Setups
}

// numbered is what exploration knows by numbers only.
type numbered struct {
	locs   *behaviour.Locations
	values *behaviour.Values
	variables
}

// variables are those that the program has touched, by key and by number.
type variables struct {
	varMu sync.RWMutex
	vars  map[string]behaviour.VarID
	keys  []string
}

// schema is what is known of tables.
type schema struct {
	tables []*table
	rows   map[behaviour.VarID]row // the variables that are rows of tables
	orders orders                  // of the strings that are keys or in unique columns
}

// forest is what is known of the sessions' behaviours.
type forest struct {
	turn      chan struct{} // full while client code runs; guards trees and nodes
	trees     []tree
	nodes     int64
	evaluated []Recording // what statements have made of rows, in order
	evictions atomic.Int32

	printedBytes atomic.Int64 // that nodes have kept

	symmetries atomic.Int32  // values of type Symmetry that were made: each has a number
	copies     atomic.Uint64 // values of type Copies, likewise
}

// backends is what belongs to a Backend, if there is one.
type backends struct {
	backend  atomic.Bool // a Backend reads and writes: see UseBackend
	storage  atomic.Pointer[access.Database]
	model    atomic.Pointer[string] // see HasModel
	pasts    pasts
	attached attachments
	needed   atomic.Pointer[Needed]    // see Needs
	starts   atomic.Pointer[time.Time] // see Program.Begins
	anew     atomic.Pointer[news]      // see Backend.Again

	newcomers newcomers
}

// repeated is what was run again, to see whether it repeats.
type repeated struct {
	outside      outside
	settings     settings
	files        fileUses
	mixed        int         // behaviours run again between those of other sessions
	exchanged    int         // likewise, of those that were run together
	visits       int         // likewise, of those that were run between operations of another
	keptOut      int         // of these, those that were given up, as sessions wait for each other
	several      int         // likewise, of those that were run after several others
	beforeFinals int         // likewise, of the Finals
	costly       atomic.Bool // see Program.Costly
	judgements   int
	judged       []judgedOutcome // some of them
}

// watch can be read while client code runs, and is stuck.
type watch struct {
	failed  atomic.Pointer[behaviour.Error] // the first error
	running atomic.Pointer[run]
	epoch   time.Time
	locks   atomic.Bool  // a session has made a locking read
	stepped atomic.Bool  // see Client.Steps
	since   atomic.Int64 // when running started, after epoch; 0 when nothing runs
}

// tree is the behaviour tree of one session.
type tree struct {
	root   *behaviour.Node
	live   *run // waits at live.last, when not nil
	asked  *run // waits at asked.last, to evaluate rows, when not nil
	leaves int
	ends   []*behaviour.Node // of some complete behaviours, to be run again
	bytes  int64             // of the nodes recorded since the last eviction
}

// Locks reports whether a session has made a locking read in any run so far.
func (c *Client) Locks() bool { return c.locks.Load() }

// NewClient calls the Explore function once, checks what it declares and runs
// its Setups. It returns an [*behaviour.Error] when the program cannot be explored.
func NewClient(name string, explore func(*Program), opts Options) (*Client, error) {
	return newClient(name, explore, opts, nil)
}

// newClient leaves parts of the program out.
func newClient(name string, explore func(*Program), opts Options, without []Part) (*Client, error) {
	if opts.MaxOps <= 0 {
		opts.MaxOps = 1000
	}
	if opts.Patience <= 0 {
		opts.Patience = 10 * time.Second
	}
	if opts.MaxTreeBytes <= 0 {
		opts.MaxTreeBytes = 256 << 20
	}
	if opts.MaxValueBytes <= 0 {
		opts.MaxValueBytes = behaviour.DefaultValueBytes
	}
	if opts.Recheck == 0 {
		opts.Recheck = DefaultRecheck
	}
	c := &Client{
		Name: name, declared: declared{explore: explore, without: without}, opts: opts,
		numbered: numbered{behaviour.NewLocations(opts.Dir), behaviour.NewValues(opts.MaxValueBytes), variables{vars: map[string]behaviour.VarID{}}},
		forest:   forest{turn: make(chan struct{}, 1)}, watch: watch{epoch: time.Now()},
		repeated: repeated{settings: settingsOf(opts.Watched)},
	}
	done := make(chan error, 1)
	go func() { done <- c.prepare() }()
	if err := c.await(done); err != nil {
		return nil, err
	}
	return c, nil
}

// await waits for client code that runs on a goroutine of its own.
func (c *Client) await(done <-chan error) error {
	tick := time.NewTicker(c.watchEvery())
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

// Idle returns the sessions that have run and end without a transaction.
func (c *Client) Idle() (names []string) {
	for i := range c.shape.sessions {
		if root := c.trees[i].root; root != nil && root.Kind == behaviour.End {
			names = append(names, c.SessionName(i))
		}
	}
	return names
}

// Initial returns the value that x has before any session runs.
func (c *Client) Initial(x behaviour.VarID) behaviour.ValueID {
	if int(x) < len(c.initial) {
		return c.initial[x]
	}
	return 0
}

// Key returns the key of x as it is shown: one that is not printable is quoted, a long
// one cut.
func (c *Client) Key(x behaviour.VarID) string { return behaviour.ShownKey(c.RawKey(x)) }

// RawKey returns the key of x.
func (c *Client) RawKey(x behaviour.VarID) string {
	c.varMu.RLock()
	defer c.varMu.RUnlock()
	return c.keys[x]
}

// Value returns a copy of the Go value that v stands for.
func (c *Client) Value(v behaviour.ValueID) any { return c.values.Get(v) }

// Format renders the value of v. Strings are quoted, and the rest is rendered much as
// by %+v. But a pointer is rendered as the value that it points to. Long texts are cut,
// with their length and a hash.
func (c *Client) Format(v behaviour.ValueID) string { return c.values.Format(v) }

// variable interns a key.
func (c *Client) variable(key string) behaviour.VarID {
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
	x = behaviour.VarID(len(c.keys))
	c.keys = append(c.keys, key)
	c.vars[key] = x
	return x
}

func (c *Client) nextID() int64 {
	c.nodes++
	return c.nodes - 1
}

// kept is what explorations have found out about the recorded behaviours and keep for those
// that follow, by keys of their own. Nothing may depend on it but the work that they do.
type kept struct{ found sync.Map }

// Keep keeps what is not changed any more under a key, until Renew.
func (c *Client) Keep(key, what any) { c.kept.found.Store(key, what) }

// Kept returns what is kept under a key, or nil.
func (c *Client) Kept(key any) any {
	what, _ := c.kept.found.Load(key)
	return what
}
