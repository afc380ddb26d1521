package dpor_test

import (
	"fmt"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// Sessions that differ only in what they assert, or in a lock, are told apart. There are as many
// histories and violations as without symmetry.
func TestToldApart(t *testing.T) {
	t.Parallel()
	for name, differs := range map[string]func(s *program.Session, x *program.Var[int]){
		"assertion": func(s *program.Session, x *program.Var[int]) {
			got := 0
			s.Txn("inc", func(tx *program.Tx) error { got = x.Get(tx); x.Set(tx, got+1); return nil })
			s.Assert(got != 2, "it is last")
		},
		"lock": func(s *program.Session, x *program.Var[int]) {
			s.Txn("inc", func(tx *program.Tx) error { x.Set(tx, x.GetForUpdate(tx)+1); return nil })
		},
	} {
		for odd := range 3 {
			client, err := program.NewClient("ExploreTest", func(p *program.Program) {
				x := program.NewVar(p, "x", 0)
				for i := range 3 {
					p.Session(string(rune('a'+i)), func(s *program.Session) {
						if i == odd {
							differs(s, x)
							return
						}
						s.Txn("inc", func(tx *program.Tx) error { x.Set(tx, x.Get(tx)+1); return nil })
					})
				}
			}, program.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range []isolation.Level{isolation.CC, isolation.SI, isolation.PgRC} {
				on := client
				if l == isolation.PgRC {
					if on, err = client.Database(); err != nil {
						t.Fatal(err)
					}
				}
				opts := at(l)
				opts.Workers, opts.Engine, opts.All = 1, dpor.Auto, true
				all, err := drain(on, opts)
				if err != nil {
					t.Fatal(err)
				}
				opts.Symmetric = [][]int{{0, 1, 2}}
				some, err := drain(on, opts)
				if err != nil {
					t.Fatal(err)
				}
				n, violations := some.Histories, some.Violations
				if len(some.Symmetry.Sets) > 0 {
					n, violations = some.Symmetry.Histories, some.Symmetry.Violations
				}
				if n != all.Histories || violations != all.Violations || len(some.Symmetry.Off) == 0 {
					t.Errorf("%s of session %d at %v: %d histories, %d violations, want %d and %d; %v", name, odd, l, n, violations, all.Histories, all.Violations, some.Symmetry)
				}
			}
		}
	}
}

// TestOddOneOut: one of four sessions does otherwise when it comes last. In the explored history
// of that orbit another session comes last. So the odd session is seen only where the images of
// its neighbours' nodes are looked at, too.
func TestOddOneOut(t *testing.T) {
	t.Parallel()
	for odd := range 4 {
		for i, l := range isolation.Levels() {
			client, err := program.NewClient("ExploreTest", oddOneOut(odd), program.Options{})
			if err != nil {
				t.Fatal(err)
			}
			opts := dpor.LearnNothing(dpor.Options{Level: l, Base: l.Base(), Workers: 1})
			opts.All, opts.Symmetric = true, [][]int{{0, 1, 2, 3}}
			if (i+odd)%2 == 0 {
				opts.Engine = dpor.Swap
			}
			stats, err := drain(client, opts)
			if err != nil {
				t.Fatal(err)
			}
			if len(stats.Symmetry.Off) == 0 {
				t.Errorf("s%d does otherwise, which is not noticed at %v by %v: %+v", odd, l, stats.Engine, stats.Symmetry)
			}
		}
	}
}

// oddOneOut has four sessions that count. One of them writes something else when it counts to
// four.
func oddOneOut(odd int) func(*program.Program) {
	return func(p *program.Program) {
		x, y := program.NewVar(p, "x", 0), program.NewVar(p, "y", 0)
		for i := range 4 {
			p.Session(fmt.Sprint("s", i), func(s *program.Session) {
				s.Txn("t", func(tx *program.Tx) error {
					n := x.Get(tx)
					if i == odd && n == 3 {
						y.Set(tx, 1)
					}
					x.Set(tx, n+1)
					return nil
				})
			})
		}
	}
}
