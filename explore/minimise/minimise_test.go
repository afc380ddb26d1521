package minimise_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/explore/minimise"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/anomaly"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// bystanders: two sessions lose an update; a third reads, and reads again only
// when it has seen a change, and one of the two does something else before.
func bystanders(p *program.Program) {
	x, y, z := program.NewVar(p, "x", 0), program.NewVar(p, "y", 0), program.NewVar(p, "z", 0)
	read := func(v *program.Var[int]) func(*program.Tx) error {
		return func(tx *program.Tx) error { v.Get(tx); return nil }
	}
	inc := func(tx *program.Tx) error { x.Set(tx, x.Get(tx)+1); return nil }
	p.Session("reader", func(s *program.Session) {
		seen := 0
		s.Txn("look", func(tx *program.Tx) error { seen = x.Get(tx); return nil })
		if seen > 0 {
			s.Txn("again", read(y))
		}
	})
	p.Session("a", func(s *program.Session) {
		s.Txn("aside", func(tx *program.Tx) error { z.Set(tx, 1); return nil })
		s.Txn("inc", inc)
	})
	p.Session("b", func(s *program.Session) { s.Txn("inc", inc) })
	p.Final("check", func(tx *program.Tx) error { return program.Assertf(x.Get(tx) == 2, "an update is lost") })
}

func violations(t *testing.T, c *program.Client, opts dpor.Options) (all []*dpor.Found) {
	t.Helper()
	for f, err := range dpor.Explore(t.Context(), c, opts).Histories() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	return all
}

func client(t *testing.T, explore func(*program.Program)) *program.Client {
	t.Helper()
	c, err := program.NewClient("Explore", explore, program.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// None is smaller than the one that is chosen, whichever comes first.
func TestViolation(t *testing.T) {
	c := client(t, bystanders)
	opts := dpor.Options{Level: isolation.CC, Base: isolation.CC, All: true, Workers: 1}
	all := violations(t, c, opts)
	want := anomaly.RankOf(all[0].History)
	different := false
	for _, f := range all {
		r := anomaly.RankOf(f.History)
		different = different || r != want
		if r.Compare(want) < 0 {
			want = r
		}
	}
	if !different {
		t.Fatal("the test needs violations of several ranks")
	}
	var got *dpor.Found
	for _, f := range []*dpor.Found{all[0], all[len(all)-1]} {
		got = minimise.Violation(t.Context(), c, opts, f)
		if r := anomaly.RankOf(got.History); r != want {
			t.Errorf("rank %v, want %v", r, want)
		}
	}
	slices.Reverse(all)
	best := minimise.NewBest(all[0])
	for _, f := range all {
		best.Offer(f)
	}
	if best.Rank != want {
		t.Errorf("rank %v, want %v", best.Rank, want)
	}
}

func TestIrrelevant(t *testing.T) {
	late := func(p *program.Program) {
		p.Session("a", func(s *program.Session) { s.Txn("t", func(*program.Tx) error { return nil }) })
		p.Invariant("never", func(*program.Outcome) error { return errors.New("not even when nothing happens") })
	}
	index := func(p *program.Program) {
		bystanders(p)
		p.Invariant("reader is there", func(o *program.Outcome) error {
			_ = o.Session("reader").Txns[0] // panics when it is left out: that is another failure
			return nil
		})
	}
	begun := func(p *program.Program) {
		x, z := program.NewVar(p, "x", 0), program.NewVar(p, "z", 0)
		add := func(s *program.Session, v *program.Var[int]) {
			tx := s.Begin("add")
			v.Set(tx, v.Get(tx)+1)
			tx.Commit()
		}
		p.Session("a", func(s *program.Session) { add(s, z); add(s, x) })
		p.Session("b", func(s *program.Session) { add(s, x); add(s, z) })
		p.Final("check", func(tx *program.Tx) error { return program.Assertf(x.Get(tx) != 1, "an update is lost") })
	}
	each := func(p *program.Program) { // fails in two sessions, and is shown of both
		for _, name := range []string{"a", "b", "c"} {
			p.Session(name, func(s *program.Session) {
				s.Txn("look", func(*program.Tx) error { return nil })
				s.Assert(name == "c", "no")
			})
		}
	}
	for name, test := range map[string]struct {
		explore func(*program.Program)
		want    string
	}{
		"each":       {each, "[c]"},
		"begun":      {begun, "[a/1 b/2]"},
		"bystanders": {bystanders, "[reader a/1]"},
		"everything": {late, "[a]"},
		"others":     {index, "[reader a/1]"},
	} {
		t.Run(name, func(t *testing.T) {
			c := client(t, test.explore)
			opts := dpor.Options{Level: isolation.CC, Base: isolation.CC}
			first := violations(t, c, opts)[0]
			got := minimise.Irrelevant(t.Context(), c, opts, first)
			if diff := cmp.Diff(test.want, fmt.Sprint(got)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			rest, err := c.Without(got...)
			if err != nil {
				t.Fatal(err)
			}
			all := violations(t, rest, opts)
			if len(all) == 0 || !slices.ContainsFunc(all[0].Failures, func(f *behaviour.Failure) bool { return minimise.Same(f, first.Failures[0]) }) {
				t.Error("without them the assertion does not fail")
			}
		})
	}
}

// An assertion that fails in a serial execution too is not a matter of isolation,
// even if the violation at hand is none of those.
func TestAtSER(t *testing.T) {
	c := client(t, func(p *program.Program) {
		bystanders(p)
		p.Invariant("reader sees nothing", func(o *program.Outcome) error {
			for _, r := range o.Session("reader").Txns[0].Reads {
				if r.Value != 0 {
					return errors.New("it does")
				}
			}
			return nil
		})
	})
	opts := dpor.Options{Level: isolation.RC, Base: isolation.RC, All: true, Workers: 1}
	told := map[string]string{}
	for _, f := range violations(t, c, opts) {
		for _, failure := range f.Failures {
			told[failure.Name] = minimise.AtSER(t.Context(), c, opts, failure)
		}
	}
	if diff := cmp.Diff(map[string]string{"check": "holds", "reader sees nothing": "fails"}, told); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got := minimise.AtSER(t.Context(), c, dpor.Options{Level: isolation.SER}, violations(t, c, opts)[0].Failures[0]); got != "" {
		t.Errorf("at ser: %q", got)
	}
}

// The violation that is shown is explained without what is irrelevant: of three
// buyers any two will do.
func TestApart(t *testing.T) {
	c := client(t, func(p *program.Program) {
		sold := program.NewVar(p, "sold", 0)
		for _, name := range []string{"ann", "ben", "cat"} {
			p.Session(name, func(s *program.Session) {
				s.Txn("buy", func(tx *program.Tx) error {
					if sold.Get(tx) > 0 {
						return errors.New("sold")
					}
					sold.Set(tx, 1)
					return nil
				})
			})
		}
		p.Invariant("sold once", func(o *program.Outcome) error {
			n := 0
			for _, s := range o.Sessions {
				if len(s.Txns) > 0 && s.Txns[0].Committed {
					n++
				}
			}
			return program.Assertf(n < 2, "sold %d times", n)
		})
	})
	opts := dpor.Options{Level: isolation.PC, Base: isolation.CC, All: true, Workers: 1}
	all := violations(t, c, opts)
	parts := minimise.Irrelevant(t.Context(), c, opts, all[0])
	if len(parts) != 1 {
		t.Fatalf("irrelevant: %v", parts)
	}
	moved := false
	for _, f := range all {
		got := minimise.Apart(t.Context(), c, opts, f, parts)
		moved = moved || got != f
		if anomaly.RankOf(got.History) != anomaly.RankOf(f.History) || got.Failures[0].Name != f.Failures[0].Name {
			t.Errorf("%s of rank %v for %s of rank %v", got.Failures[0].Name, anomaly.RankOf(got.History), f.Failures[0].Name, anomaly.RankOf(f.History))
		}
		for _, i := range anomaly.Explain(got.History).Proof.Involved() {
			if name := c.SessionName(got.History.Txns[i].Session); name == parts[0].Session {
				t.Errorf("the explanation speaks of %s, which is irrelevant", name)
			}
		}
	}
	if !moved {
		t.Error("every explanation did without: the test shows nothing")
	}
}

// What the explanation speaks of is not called irrelevant, though it can be left
// out: who tries again can do without the first time.
func TestUnspoken(t *testing.T) {
	c := client(t, func(p *program.Program) {
		free := program.NewVar(p, "free", 2)
		for _, name := range []string{"ann", "ben", "cat"} {
			p.Session(name, func(s *program.Session) {
				for got := false; !got; {
					s.Txn("take", func(tx *program.Tx) error {
						if n := free.Get(tx); n > 0 {
							free.Set(tx, n-1)
						}
						got = true
						return nil
					})
				}
				s.Txn("look", func(tx *program.Tx) error { free.Get(tx); return nil })
			})
		}
		p.Invariant("two take it", func(o *program.Outcome) error {
			took := map[any]bool{}
			for _, s := range o.Sessions {
				for _, txn := range s.Txns {
					for _, w := range txn.Writes {
						if took[w.Value] {
							return errors.New("the same one twice")
						}
						took[w.Value] = true
					}
				}
			}
			return nil
		})
	})
	opts := dpor.Options{Level: isolation.CC, Base: isolation.CC, All: true, Workers: 1}
	all := violations(t, c, opts)
	for _, f := range []*dpor.Found{all[0], all[len(all)/2], all[len(all)-1]} {
		parts := minimise.Irrelevant(t.Context(), c, opts, f)
		got := minimise.Unspoken(t.Context(), c, opts, f, parts)
		for _, i := range anomaly.Explain(f.History).Proof.Involved() {
			txn := f.History.Txns[i]
			for _, p := range got {
				if p.Session == c.SessionName(txn.Session) && (p.Txn < 0 || p.Txn == txn.Index) {
					t.Errorf("%v is called irrelevant and spoken of", p)
				}
			}
		}
		if len(got) == 0 {
			t.Error("nothing is irrelevant")
		}
		if rest, err := c.Without(got...); err != nil || len(violations(t, rest, opts)) == 0 {
			t.Errorf("without %v: %v, the assertion holds", got, err)
		}
	}
}
