package workload

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/semantics"
)

// small is a workload whose histories the engine's checkers decide at once.
func small(level isolation.Level, seed uint64) Config {
	return Config{Sessions: 3, Txns: 4, Ops: 3, Reads: 0.6, Keys: 3, Keyed: Uniform, Level: level, Seed: seed}
}

func run(t testing.TB, c Config) ([]Txn, *Generator) {
	t.Helper()
	g, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	var txns []Txn
	if err := g.Run(t.Context(), func(x *Txn) error {
		y := *x
		y.Ops = slices.Clone(x.Ops)
		txns = append(txns, y)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return txns, g
}

type valueOf struct {
	key   int32
	value int64
}

// satisfies asks the engine's checker. It knows a dirty read by itself, since no
// history of the package semantics has one.
func satisfies(t *testing.T, sessions int, txns []Txn, l isolation.Level) bool {
	t.Helper()
	h := &semantics.History{Sessions: sessions, Final: -1, Txns: []semantics.Txn{{Session: -1, Status: semantics.Committed}}}
	from := map[valueOf]int{}
	var kept []Txn
	for s := range sessions {
		for _, x := range txns {
			if x.Session == s && x.Fate == history.Committed {
				kept = append(kept, x)
				for _, o := range x.Ops {
					if o.Write {
						from[valueOf{o.Key, o.Value}] = len(kept)
					}
				}
			}
		}
	}
	index := make([]int, sessions)
	for i, x := range kept {
		log := semantics.Txn{Session: x.Session, Index: index[x.Session], Status: semantics.Committed}
		index[x.Session]++
		for _, o := range x.Ops {
			e := semantics.Event{Kind: semantics.Write, Var: behaviour.VarID(o.Key), Val: behaviour.ValueID(o.Value)}
			if !o.Write {
				e.Kind = semantics.Read
				w, ok := from[valueOf{o.Key, o.Value}]
				if o.Value != 0 && !ok {
					return false
				}
				if e.From = w; w == i+1 {
					e.From = semantics.Own
				}
			}
			log.Events = append(log.Events, e)
		}
		h.Txns = append(h.Txns, log)
	}
	return isolation.Satisfies(h, l)
}

// Each store keeps its level, and none of them always keeps the next one.
func TestStoresKeepTheirLevel(t *testing.T) {
	const runs = 150
	for _, level := range isolation.Levels() {
		t.Run(level.String(), func(t *testing.T) {
			t.Parallel()
			stronger := 0
			for seed := range uint64(runs) {
				txns, _ := run(t, small(level, seed))
				if !satisfies(t, 3, txns, level) {
					t.Fatalf("seed %d: %v is violated by\n%s", seed, level, show(txns))
				}
				if level < isolation.SER && satisfies(t, 3, txns, level+1) {
					stronger++
				}
			}
			if stronger > runs*95/100 {
				t.Errorf("%d of %d histories satisfy %v: the store shows too little", stronger, runs, level+1)
			}
		})
	}
}

// A bug violates exactly the levels that forbid it.
func TestBugs(t *testing.T) {
	for _, bug := range Bugs() {
		t.Run(bug.String(), func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(30) {
				c := small(isolation.SER, seed)
				c.Bug, c.Bugs = bug, 1+int(seed%2)
				txns, _ := run(t, c)
				for _, level := range isolation.Levels() {
					if want, got := level < bug.Weakest(), satisfies(t, 3, txns, level); got != want {
						t.Fatalf("seed %d: satisfies %v: %v, want %v\n%s", seed, level, got, want, show(txns))
					}
				}
			}
		})
	}
}

// On any store below it, a bug violates the level that forbids it. A store that keeps a
// level which allows the bug still keeps this level.
func TestBugsOnEveryStore(t *testing.T) {
	for _, level := range isolation.Levels() {
		for _, bug := range Bugs() {
			for seed := range uint64(5) {
				c := small(level, seed)
				c.Bug, c.Bugs = bug, 1
				txns, _ := run(t, c)
				if satisfies(t, 3, txns, bug.Weakest()) {
					t.Fatalf("%v on %v, seed %d: %v is satisfied by\n%s", bug, level, seed, bug.Weakest(), show(txns))
				}
				if at := min(level, bug.Weakest()-1); at >= isolation.RC && !satisfies(t, 3, txns, at) {
					t.Fatalf("%v on %v, seed %d: %v is violated by\n%s", bug, level, seed, at, show(txns))
				}
			}
		}
	}
}

// Commits in time are a commit order, and what a store says of its versions is true.
func TestVersionOrder(t *testing.T) {
	for _, level := range isolation.Levels() {
		c := small(level, 7)
		c.VersionOrder, c.Aborts = true, 0.2
		txns, g := run(t, c)
		at := map[valueOf]int64{}
		for _, x := range txns {
			for _, o := range x.Ops {
				if o.Write && x.Fate == history.Committed {
					at[valueOf{o.Key, o.Value}] = x.Commit
				}
			}
		}
		for key := range int32(c.Keys) {
			last := int64(0)
			for _, v := range g.Versions(key) {
				now, ok := at[valueOf{key, v}]
				if !ok || now <= last {
					t.Fatalf("%v: key %d: version %d was committed at %d after %d, %v", level, key, v, now, last, ok)
				}
				last = now
			}
		}
	}
}

// Transactions of SI read what had been committed when they began.
func TestTimestamps(t *testing.T) {
	c := small(isolation.SI, 3)
	c.Sessions, c.Txns, c.Keys = 5, 50, 10
	txns, _ := run(t, c)
	var byCommit []Txn
	ended := map[int]int64{}
	old := 0
	for _, x := range txns {
		if x.Fate != history.Committed {
			continue
		}
		if x.Start >= x.Commit || x.Start <= ended[x.Session] {
			t.Fatalf("transaction %d from %d to %d after %d", x.ID, x.Start, x.Commit, ended[x.Session])
		}
		ended[x.Session] = x.Commit
		own := map[int32]int64{}
		for _, o := range x.Ops {
			want := int64(0)
			for _, y := range byCommit {
				for _, w := range y.Ops {
					if w.Write && w.Key == o.Key && y.Commit < x.Start {
						want = w.Value
					}
				}
			}
			if v, ok := own[o.Key]; ok {
				want = v
			} else if len(byCommit) > 0 && byCommit[len(byCommit)-1].Commit > x.Start {
				old++
			}
			if o.Write {
				own[o.Key] = o.Value
			} else if o.Value != want {
				t.Fatalf("transaction %d reads %d of key %d, want %d", x.ID, o.Value, o.Key, want)
			}
		}
		byCommit = append(byCommit, x)
	}
	if old == 0 {
		t.Error("no transaction has run beside another one")
	}
}

func TestEqualSeedsGiveEqualHistories(t *testing.T) {
	t.Parallel()
	for _, level := range isolation.Levels() {
		c := small(level, 5)
		c.Txns, c.Aborts, c.Unknowns = deadlinetest.Of(200, 50), 0.1, 0.1
		a, _ := run(t, c)
		b, _ := run(t, c)
		if d := cmp.Diff(a, b); d != "" {
			t.Fatal(d)
		}
		c.Seed++
		if other, _ := run(t, c); cmp.Equal(a, other) {
			t.Errorf("%v: seeds 5 and 6 give the same", level)
		}
	}
}

func TestRunStops(t *testing.T) {
	stop := errors.New("full")
	g, err := New(Default())
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Run(t.Context(), func(*Txn) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if g, err = New(Default()); err != nil {
		t.Fatal(err)
	}
	if err := g.Run(ctx, func(*Txn) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestCheck(t *testing.T) {
	for _, x := range []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) { c.Sessions = 0 }, "number of sessions is 0"},
		{func(c *Config) { c.Ops = -1 }, "operations of a transaction is -1"},
		{func(c *Config) { c.Keys = 1 << 30 }, "number of keys"},
		{func(c *Config) { c.Reads = 1.5 }, "share of reads is 1.5"},
		{func(c *Config) { c.Aborts = 1 }, "aborted transactions is 1"},
		{func(c *Config) { c.Level = isolation.True }, "not true"},
		{func(c *Config) { c.Bug, c.Sessions = Causality, 2 }, "causality takes 3 sessions, and there are 2"},
		{func(c *Config) { c.Bug, c.Keys = WriteSkew, 1 }, "write-skew takes 2 keys, and there are 1"},
		{func(c *Config) { c.Bug, c.Values = StaleRead, 3 }, "values are unique"},
	} {
		c := Default()
		x.change(&c)
		if _, err := New(c); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("got %v, want %q", err, x.want)
		}
	}
	for _, b := range Bugs() {
		if got, err := ParseBug(b.String()); err != nil || got != b {
			t.Errorf("%v: %v, %v", b, got, err)
		}
	}
	for _, p := range Presets() {
		if c, err := Preset(p); err != nil || c.Check() != nil {
			t.Errorf("%s: %v, %v", p, err, c.Check())
		}
	}
	if _, err := Preset("huge"); err == nil {
		t.Error("there is no preset huge")
	}
}

func show(txns []Txn) string {
	var b strings.Builder
	for _, x := range txns {
		fmt.Fprintf(&b, "%d: session %d, %v, %d-%d:", x.ID, x.Session, x.Fate, x.Start, x.Commit)
		for _, o := range x.Ops {
			fmt.Fprintf(&b, " %c%d=%d", map[bool]byte{true: 'w', false: 'r'}[o.Write], o.Key, o.Value)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func BenchmarkGenerate(b *testing.B) {
	for _, level := range isolation.Levels() {
		b.Run(level.String(), func(b *testing.B) {
			c := Default()
			c.Level, c.Txns = level, 500
			n := 0
			for b.Loop() {
				g, err := New(c)
				if err != nil {
					b.Fatal(err)
				}
				if err := g.Run(b.Context(), func(*Txn) error { n++; return nil }); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "txns/s")
		})
	}
}
