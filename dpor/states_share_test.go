package dpor_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/program/deadlinetest"
)

// discovering has variables that become known on the way. So the order in which workers
// get there numbers them.
func discovering(p *program.Program) {
	x := program.NewVar(p, "x", 0)
	for i := range 2 {
		p.Session(fmt.Sprint("s", i), func(s *program.Session) {
			for range 2 {
				seen := 0
				s.Txn("look", func(tx *program.Tx) error {
					seen = x.Get(tx)
					x.Set(tx, seen+1)
					return nil
				})
				s.Txn("note", func(tx *program.Tx) error {
					tx.Write(fmt.Sprintf("seen/%d/%d", i, seen), seen)
					return nil
				})
			}
		})
	}
}

func databaseClient(t testing.TB, explore func(*program.Program)) *program.Client {
	t.Helper()
	c, err := program.NewClient("ExploreTest", explore, program.Options{Database: true, Recheck: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Park)
	return c
}

// outcomesOf runs an exploration, and gives the outcomes as text that does not depend
// on the numbers of a client.
func outcomesOf(t testing.TB, c *program.Client, opts dpor.Options, out map[string]int) dpor.Stats {
	t.Helper()
	opts.List, opts.All = true, true
	x := dpor.Explore(context.Background(), c, opts)
	for f, err := range x.Histories() {
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, end := range f.Ends {
			for _, n := range end.Path() {
				text += fmt.Sprintf("%v %v; ", n.Kind, answerText(c, n))
			}
		}
		left := map[string]string{}
		for x, v := range f.Values {
			if v == behaviour.NoRow {
				if c.Initial(behaviour.VarID(x)) != 0 {
					left[c.Key(behaviour.VarID(x))] = "no row"
				}
			} else if v != c.Initial(behaviour.VarID(x)) {
				left[c.Key(behaviour.VarID(x))] = c.Format(v)
			}
		}
		out[fmt.Sprint(text, left)]++
	}
	return x.Stats()
}

// answerText is the answer that leads to a node.
func answerText(c *program.Client, n *behaviour.Node) (text string) {
	if b := n.Before(); b != nil && b.Kind == behaviour.Ask && n.Value() >= 0 {
		if _, counts := c.Value(n.Value()).(int); !counts {
			for _, i := range c.Listed(n.Value()) {
				text += c.Key(i.Var) + "=" + c.Format(i.Val) + " "
			}
			return text
		}
	}
	if n.Value() < 0 {
		return fmt.Sprint(n.Value())
	}
	return c.Format(n.Value())
}

// shared are the programs whose explorations are shared by workers, and interrupted.
func shared(statements int) map[string]func(*program.Program) {
	return map[string]func(*program.Program){"contended": contended(3, 1, statements), "discovering": discovering, "table": discoveringTable}
}

// discoveringTable has rows, and values of rows, that become known on the way, some in
// functions of statements.
func discoveringTable(p *program.Program) {
	table := program.NewTable[string, int](p, "t", program.Unique("u", func(n int) any {
		if n%5 == 0 {
			return nil
		}
		return fmt.Sprint(n)
	}))
	p.Setup(func(tx *program.Tx) error { return errors.Join(table.Insert(tx, "m", 0), table.Insert(tx, "c", 5)) })
	for i := range 2 {
		p.Session(fmt.Sprint("s", i), func(s *program.Session) {
			s.Txn("add", func(tx *program.Tx) error {
				table.UpdateAll(tx, func(_ string, n int) (int, bool) { return 2*n + 5, n < 20 })
				table.InsertOrUpdate(tx, "f", 1+i, func(n int) int { return 10 * n })
				return nil
			})
			s.Txn("note", func(tx *program.Tx) error {
				sum := 0
				for _, r := range table.Select(tx, func(_ string, n int) bool { return n > 5 }, behaviour.ForUpdate) {
					sum += r.Value
				}
				if sum > 30 {
					table.Delete(tx, "c")
				}
				return table.Insert(tx, fmt.Sprint(sum), 5)
			})
		})
	}
}

// settled are the counts that do not depend on the order in which moments are visited. At
// SERIALIZABLE keys tell some moments apart that have the same future, and which of them
// are met depends on it.
func settled(level isolation.Level, s dpor.Stats) [5]int64 {
	if level == isolation.PgSer {
		s.Explored = 0
	}
	return counts(s)
}

// TestStatesWorkers: outcomes, each once, and the counts are the same however the
// moments are shared.
func TestStatesWorkers(t *testing.T) {
	t.Parallel()
	for name, explore := range shared(4) {
		for _, level := range append(isolation.LevelsOf(isolation.PostgreSQL), isolation.InnoRR) {
			want := map[string]int{}
			one := outcomesOf(t, databaseClient(t, explore), dpor.Options{Level: level, Workers: 1}, want)
			for _, workers := range []int{2, 5} {
				got := map[string]int{}
				stats := outcomesOf(t, databaseClient(t, explore), dpor.ShareAtOnce(dpor.Options{Level: level, Workers: workers}), got)
				if a, b := settled(level, stats), settled(level, one); a != b || !stats.Complete {
					t.Errorf("%s at %v: %d workers count %v, one counts %v", name, level, workers, a, b)
				}
				if !maps.Equal(got, want) {
					t.Errorf("%s at %v: %d workers find other outcomes than one", name, level, workers)
				}
			}
		}
	}
}

// TestStatesResumed: an exploration in pieces, each in a client of its own, finds the
// same outcomes, each once, and ends with the same counts.
func TestStatesResumed(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(seed(), 3))
	for name, explore := range shared(3) {
		for _, level := range append(isolation.LevelsOf(isolation.PostgreSQL), isolation.InnoRR) {
			want, got := map[string]int{}, map[string]int{}
			one := outcomesOf(t, databaseClient(t, explore), dpor.Options{Level: level, Workers: 1}, want)
			opts := dpor.ShareAtOnce(dpor.Options{Level: level})
			var last *dpor.Frontier
			opts.Checkpoint = sqltest.Decoded(&last)
			pieces := 0
			for stats := (dpor.Stats{}); !stats.Complete; pieces++ {
				opts.Workers, opts.MaxHistories = 1+r.IntN(3), one.Histories/3
				if last != nil {
					opts.MaxHistories += last.Counts.Histories
				}
				stats = outcomesOf(t, databaseClient(t, explore), opts, got)
				if stats.Complete && settled(level, stats) != settled(level, one) {
					t.Errorf("%s at %v (seed %d): %v in pieces, %v in one", name, level, seed(), counts(stats), counts(one))
				}
				opts.Resume = last
			}
			if !maps.Equal(got, want) {
				t.Errorf("%s at %v (seed %d): %d outcomes in pieces, %d in one", name, level, seed(), len(got), len(want))
			}
			if pieces < 3 {
				t.Errorf("%s at %v: %d pieces", name, level, pieces)
			}
		}
	}
}

// TestStatesCheckpointsInPassing: a checkpoint of an exploration that goes on holds
// what was yielded until then.
func TestStatesCheckpointsInPassing(t *testing.T) {
	t.Parallel()
	var saved *dpor.Frontier
	var yielded int64
	out := map[string]int{}
	opts := dpor.ShareAtOnce(dpor.Options{Level: isolation.PgRC, Workers: 3, Progress: dpor.Progress{CheckpointEvery: 100 * time.Microsecond}})
	opts.Checkpoint = func(f *dpor.Frontier) error {
		if saved == nil || f.Counts.Histories < 100 {
			saved, yielded = f, int64(len(out))
		}
		return nil
	}
	var want dpor.Stats
	// On a busy machine an exploration may end before a checkpoint is due.
	for range deadlinetest.Until(t, 1, func() bool { return saved != nil }) {
		clear(out)
		want = outcomesOf(t, databaseClient(t, contended(3, 1, 4)), opts, out)
	}
	if saved == nil || saved.Counts.Histories != yielded {
		t.Fatalf("%+v, and %d outcomes were yielded", saved, yielded)
	}
	opts.Checkpoint, opts.Resume = nil, saved
	rest := map[string]int{}
	if stats := outcomesOf(t, databaseClient(t, contended(3, 1, 4)), opts, rest); counts(stats) != counts(want) || int64(len(rest)) != want.Histories-yielded {
		t.Errorf("resumed after %d outcomes: %v and %d outcomes, want %v", yielded, counts(stats), len(rest), counts(want))
	}
}

// TestStatesForeignFrontier: what is of another program, and what no program has, is
// an error.
func TestStatesForeignFrontier(t *testing.T) {
	t.Parallel()
	opts := dpor.Options{Level: isolation.PgRC, Workers: 1, Scope: dpor.Scope{MaxHistories: 2}}
	var good []byte
	opts.Checkpoint = func(f *dpor.Frontier) (err error) {
		good, err = json.Marshal(f)
		return err
	}
	outcomesOf(t, databaseClient(t, contended(2, 1, 3)), opts, map[string]int{})
	for name, change := range map[string]func(*dpor.Frontier){
		"nothing":  func(f *dpor.Frontier) {},
		"step":     func(f *dpor.Frontier) { s := f.Subtrees[len(f.Subtrees)-1].Steps; s[0] = 50 << 2 },
		"negative": func(f *dpor.Frontier) { s := f.Subtrees[len(f.Subtrees)-1].Steps; s[0] = -8 },
		"kind":     func(f *dpor.Frontier) { f.Subtrees[0].Kind = "read" },
		"next":     func(f *dpor.Frontier) { f.Subtrees[0].Next = 1000 },
		"memory":   func(f *dpor.Frontier) { f.Memory = nil },
		"seen":     func(f *dpor.Frontier) { f.Memory.Seen = "AAAA" },
		"outcomes": func(f *dpor.Frontier) { f.Memory.Outcomes = "!" },
		"answer":   func(f *dpor.Frontier) { f.Memory.Recordings[4].Answer = 1 << 20 },
		"error":    func(f *dpor.Frontier) { f.Memory.Recordings[4].Answer = -100 },
		"after":    func(f *dpor.Frontier) { f.Memory.Recordings[4].After = 1 << 40 },
		"session":  func(f *dpor.Frontier) { f.Memory.Recordings[0].Session = 9 },
		"order":    func(f *dpor.Frontier) { f.Memory.Recordings = f.Memory.Recordings[1:] },
		"variable": func(f *dpor.Frontier) { f.Memory.Variables[1] = "z" },
	} {
		f := &dpor.Frontier{}
		if err := f.Decode(good); err != nil {
			t.Fatal(err)
		}
		change(f)
		_, _, err := exploreOn(t, context.Background(), contended(2, 1, 3), dpor.Options{Level: isolation.PgRC, All: true, List: true, Scope: dpor.Scope{Resume: f}})
		if (err == nil) != (name == "nothing") {
			t.Errorf("%s changed: %v", name, err)
		}
	}
}
