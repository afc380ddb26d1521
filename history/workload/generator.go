package workload

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/txmc/txmc/history"
)

// Generator runs a workload.
type Generator struct {
	c   Config
	rng *rand.Rand
	key func() int32
	s   *store
	to  func(*Txn) error
	clients
	ids     int
	value   int64
	commits int
	shown   int // bugs shown so far
}

// clients are the sessions that run the workload.
type clients struct {
	running []*tx // by session; nil between transactions
	open    int   // transactions that run
	left    []int // by session: transactions to commit
	active  []int // sessions that have some left
	failed  []int // by session: how often in a row the store has aborted
	free    []*tx
}

// New returns a generator; the error is that of [Config.Check].
func New(c Config) (*Generator, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(c.Seed, 0x74786d63))
	g := &Generator{c: c, rng: rng, key: c.Keyed.Chooser(c.Keys, rng), s: newStore(&c, rng),
		clients: clients{running: make([]*tx, c.Sessions), left: make([]int, c.Sessions), failed: make([]int, c.Sessions)}}
	for s := range c.Sessions {
		g.left[s] = c.Txns
		g.active = append(g.active, s)
	}
	return g, nil
}

// Run runs the workload, once, and hands over the transactions in the order in
// which they end; those of a session so come in its order. A Txn is valid during
// the call only. Run ends with the context's error or that of the call.
func (g *Generator) Run(ctx context.Context, to func(*Txn) error) error {
	g.to = to
	for steps := 0; len(g.active) > 0; steps++ {
		if steps&1023 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if g.due() {
			if g.open == 0 {
				if err := g.show(); err != nil {
					return err
				}
				continue
			}
		}
		if err := g.step(g.rng.IntN(len(g.active))); err != nil {
			return err
		}
	}
	for g.c.Bug != NoBug && g.shown < g.c.Bugs {
		if err := g.show(); err != nil {
			return err
		}
	}
	return nil
}

// due reports whether it is time for a bug. No transaction begins then until it has
// been shown.
func (g *Generator) due() bool {
	return g.c.Bug != NoBug && g.shown < g.c.Bugs &&
		g.commits >= (g.shown+1)*(g.c.Sessions*g.c.Txns)/(g.c.Bugs+1)
}

// step lets a session go on by an operation.
func (g *Generator) step(i int) error {
	session := g.active[i]
	t := g.running[session]
	if t == nil {
		if g.due() {
			return nil
		}
		t = g.begin(session)
	}
	for {
		if t.plan == 0 {
			return g.end(i, t)
		}
		t.plan--
		if !g.op(t) {
			g.failed[session]++
			return g.abort(t)
		}
		if !t.alone {
			return nil
		}
	}
}

// begin begins a transaction; one that the store has aborted three times runs
// alone.
func (g *Generator) begin(session int) *tx {
	t := g.fresh(session)
	t.plan = g.c.Ops
	t.alone = g.failed[session] >= 3
	g.s.begin(t)
	g.running[session] = t
	g.open++
	return t
}

func (g *Generator) fresh(session int) *tx {
	t := &tx{}
	if n := len(g.free); n > 0 {
		t = g.free[n-1]
		g.free = g.free[:n-1]
		*t = tx{Txn: Txn{Ops: t.Ops[:0]}, reads: t.reads[:0]}
	}
	t.Session = session
	return t
}

// op makes an operation; false when the store must abort.
func (g *Generator) op(t *tx) bool {
	key := g.key()
	if g.rng.Float64() < g.c.Reads {
		return g.s.read(t, key)
	}
	t.write(key, g.next())
	return true
}

// next is a value to write.
func (g *Generator) next() int64 {
	if g.c.Values > 0 {
		return 1 + g.rng.Int64N(int64(g.c.Values))
	}
	g.value++
	return g.value
}

// end ends the transaction of active session i.
func (g *Generator) end(i int, t *tx) error {
	if g.c.Aborts > 0 && g.rng.Float64() < g.c.Aborts {
		return g.abort(t)
	}
	if !g.s.commits(t) {
		g.failed[t.Session]++
		return g.abort(t)
	}
	g.failed[t.Session] = 0
	g.s.install(t)
	g.commits++
	if g.left[t.Session]--; g.left[t.Session] == 0 {
		last := len(g.active) - 1
		g.active[i] = g.active[last]
		g.active = g.active[:last]
	}
	return g.done(t, history.Committed)
}

func (g *Generator) abort(t *tx) error {
	t.Commit = g.s.tick()
	return g.done(t, history.Aborted)
}

func (g *Generator) done(t *tx, fate history.Fate) error {
	g.running[t.Session] = nil
	g.open--
	if g.c.Unknowns > 0 && g.rng.Float64() < g.c.Unknowns {
		fate = history.Unknown
	}
	return g.hand(t, fate)
}

// hand hands a transaction over.
func (g *Generator) hand(t *tx, fate history.Fate) error {
	t.ID, t.Fate = g.ids, fate
	g.ids++
	if err := g.to(&t.Txn); err != nil {
		return fmt.Errorf("transaction %d: %w", t.ID, err)
	}
	g.free = append(g.free, t)
	return nil
}

// Versions returns the values of a key in the order in which they were installed,
// without the initial one. It is nil unless Config.VersionOrder asked for it.
func (g *Generator) Versions(key int32) []int64 {
	if g.s.order == nil {
		return nil
	}
	return g.s.order[key]
}
