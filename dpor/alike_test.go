package dpor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/reference"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/program/deadlinetest"
)

// relayAlike explores p up to symmetry in several processes' worth of explorations, as relay
// does, and returns what all of them have handed on.
func relayAlike(p *prog, opts dpor.Options, r *rand.Rand) (found []representative, stats dpor.Stats, pieces int, err error) {
	opts.List, opts.All = true, true
	for pieces = 1; ; pieces++ {
		client, err := newClient(p)
		if err != nil {
			return nil, stats, 0, err
		}
		for i := range r.IntN(4) {
			client.Variable(fmt.Sprintf("unused%d", i))
		}
		opts.Workers = 1 + r.IntN(3)
		opts.MaxHistories = int64(1 + r.IntN(10))
		if opts.Resume != nil {
			opts.MaxHistories += opts.Resume.Counts.Histories
		}
		var last *dpor.Frontier
		opts.Checkpoint = sqltest.Decoded(&last)
		x := dpor.Explore(context.Background(), client, opts)
		for f, err := range x.Histories() {
			if err != nil {
				return nil, stats, 0, err
			}
			h, err := toReference(f.History, client)
			if err != nil {
				return nil, stats, 0, err
			}
			found = append(found, representative{h, f.Orbit})
		}
		if stats = x.Stats(); stats.Complete {
			return found, stats, pieces, nil
		}
		if last == nil {
			return nil, stats, 0, fmt.Errorf("stopped by %q without a checkpoint", stats.Stopped)
		}
		opts.Resume = last
	}
}

// TestResumedSymmetry: an exploration up to symmetry is resumed again and again. It finds
// each orbit once, with its size. It ends with the sets and counts of an exploration that
// is not resumed.
func TestResumedSymmetry(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(seed(), 3))
	most, apart, n := 0, 0, 0
	enough := func() bool { return most >= 5 && apart > 0 }
	for p, which := range alike(t, "relayed symmetry", portion(40), equals, enough) {
		n++
		client, err := newClient(p)
		if err != nil {
			t.Fatal(err)
		}
		all := histories(p, 0)
		for i, l := range isolation.Levels() {
			opts := dpor.ShareAtOnce(dpor.Options{Level: l, Selection: dpor.Selection{Symmetric: which}})
			if (n+i)%4 == 0 {
				opts = dpor.LearnNothing(opts)
			}
			if (n+i)%3 == 0 {
				opts.Engine = dpor.Swap
			}
			found, stats, pieces, err := relayAlike(p, opts, r)
			if err == nil {
				err = coverOrbits(found, all, stats, l)
			}
			opts.Workers = 1
			one, oneErr := upToSymmetry(client, all, opts)
			if err == nil {
				err = oneErr
			}
			if a, b := one, stats; err == nil && (len(a.Symmetry.Off) == 0 || len(b.Symmetry.Off) == 0) &&
				(counts(a) != counts(b) || !reflect.DeepEqual(a.Symmetry, b.Symmetry)) {
				err = fmt.Errorf("%v, %+v in one; %v, %+v in %d pieces", counts(a), a.Symmetry, counts(b), b.Symmetry, pieces)
			}
			if err != nil {
				t.Fatalf("%v at %v (-seed=%d): %v", which.of(p), l, seed(), err)
			}
			most = max(most, pieces)
			if len(stats.Symmetry.Off) > 0 {
				apart++
			}
		}
	}
	t.Logf("at most %d pieces; %d explorations fell apart", most, apart)
}

// toldLate has two sessions that an invariant tells apart, by an outcome that is not found
// first.
func toldLate(p *program.Program) {
	for _, who := range []string{"a", "b"} {
		p.Session(who, func(s *program.Session) {
			s.Txn("look", func(tx *program.Tx) error {
				tx.Read("x")
				return nil
			})
			s.Txn("look again", func(tx *program.Tx) error {
				s.Observe("seen", fmt.Sprint(tx.Read("x")))
				return nil
			})
		})
	}
	p.Session("w", func(s *program.Session) {
		for _, v := range []int{1, 2, 3} {
			s.Txn("set", func(tx *program.Tx) error {
				tx.Write("x", v)
				return nil
			})
		}
	})
	p.Invariant("not b alone", func(o *program.Outcome) error {
		if fmt.Sprint(o.Session("a").Observed("seen")) == "[1]" && fmt.Sprint(o.Session("b").Observed("seen")) == "[3]" {
			return fmt.Errorf("b alone")
		}
		return nil
	})
}

// Sessions that turn out to differ when one process has handed on histories and another goes
// on: no history comes again, and none is missing.
func TestResumedApart(t *testing.T) {
	t.Parallel()
	make := func() *program.Client {
		c, err := program.NewClient("ExploreTest", toldLate, program.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	opts := dpor.Options{Level: isolation.SER, All: true, List: true, Workers: 1}
	one, err := drain(make(), opts)
	if err != nil {
		t.Fatal(err)
	}
	opts.Symmetric = [][]int{{0, 1}}
	r := rand.New(rand.NewPCG(seed(), 4))
	late := 0 // explorations that fall apart when they have been resumed
	for range deadlinetest.Until(t, 12, func() bool { return late > 0 }) {
		times := map[string]int{}
		opts.Resume = nil
		for pieces := 0; ; pieces++ {
			client := make()
			var last *dpor.Frontier
			opts.Checkpoint = func(f *dpor.Frontier) error { last = f; return nil }
			opts.MaxHistories = int64(1 + r.IntN(12))
			if opts.Resume != nil {
				opts.MaxHistories += opts.Resume.Counts.Histories
			}
			x := dpor.Explore(t.Context(), client, opts)
			for f, err := range x.Histories() {
				if err != nil {
					t.Fatal(err)
				}
				h, err := reference.Of(f.History, func(x behaviour.VarID) int { return int(x) },
					func(v behaviour.ValueID) int { n, _ := client.Value(v).(int); return n })
				if err != nil {
					t.Fatal(err)
				}
				times[h.String()]++
			}
			stats := x.Stats()
			if pieces > 0 && len(stats.Symmetry.Off) > 0 && len(opts.Resume.Symmetry.Sets) > 0 {
				late++
			}
			if stats.Complete {
				if stats.Histories != one.Histories || stats.Violations != one.Violations {
					t.Errorf("%d histories, %d violations, want %d and %d", stats.Histories, stats.Violations, one.Histories, one.Violations)
				}
				break
			}
			opts.Resume = last
		}
		if int64(len(times)) != one.Histories {
			t.Errorf("%d histories were handed on, want %d", len(times), one.Histories)
		}
		for h, n := range times {
			if n > 1 {
				t.Fatalf("%d times %s", n, h)
			}
		}
	}
}

// What sessions were seen to do is seen again by another client, and what is none of it is
// told.
func TestMet(t *testing.T) {
	t.Parallel()
	p := parse("r x w x 1 ; r y | r x w x 2 ; r y | w y 3")
	client, err := newClient(p)
	if err != nil {
		t.Fatal(err)
	}
	var last *dpor.Frontier
	opts := dpor.Options{Level: isolation.SER, Selection: dpor.Selection{Symmetric: [][]int{{0, 1}}}, All: true, List: true, Scope: dpor.Scope{MaxHistories: 3}, Workers: 1}
	opts.Checkpoint = func(f *dpor.Frontier) error { last = f; return nil }
	for _, err := range dpor.Explore(t.Context(), client, opts).Histories() {
		if err != nil {
			t.Fatal(err)
		}
	}
	if last == nil || last.Symmetry == nil || len(last.Symmetry.Met) == 0 {
		t.Fatal("no checkpoint, or nothing met")
	}
	for name, change := range map[string]func(f *dpor.Frontier){
		"a node after none":  func(f *dpor.Frontier) { f.Symmetry.Met[len(f.Symmetry.Met)-1].After = 1 << 20 },
		"no such writer":     func(f *dpor.Frontier) { f.Symmetry.Met[len(f.Symmetry.Met)-1].Writer = 0 },
		"no such session":    func(f *dpor.Frontier) { f.Symmetry.Met[0].Session = 9 },
		"other sets":         func(f *dpor.Frontier) { f.Symmetry.Sets = [][]int{{0, 1}, {1, 2}} },
		"sessions not alike": func(f *dpor.Frontier) { f.Symmetry.Sets = [][]int{{0, 2}} },
		"half a decision":    func(f *dpor.Frontier) { f.Subtrees[0].Taken = []int32{1} },
		"a decision too far": func(f *dpor.Frontier) { f.Subtrees[0].Taken = []int32{0, 0, 99, 1} },
		"no history":         func(f *dpor.Frontier) { f.Symmetry.Handed = []string{"&"} },
	} {
		data, err := json.Marshal(last)
		if err != nil {
			t.Fatal(err)
		}
		other := &dpor.Frontier{}
		if err := other.Decode(data); err != nil {
			t.Fatal(err)
		}
		change(other)
		o := opts
		o.MaxHistories, o.Resume = 0, other
		fresh, err := newClient(p)
		if err != nil {
			t.Fatal(err)
		}
		var got error
		for _, err := range dpor.Explore(t.Context(), fresh, o).Histories() {
			got = err
		}
		if _, ok := got.(*work.MisfitError); !ok {
			t.Errorf("%s: %v", name, got)
		}
	}
}
