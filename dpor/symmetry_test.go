package dpor_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// equals bounds random programs with sessions that are alike.
var equals = shape{4, 6, 3, 3, 4, 200}

// Random programs with sessions that are alike, or are said to be, at all levels: each
// orbit comes once, and sizes are right.
func TestRandomSymmetry(t *testing.T) {
	t.Parallel()
	symmetric, n, least := 0, 0, countFlag.N()/4
	r := rand.New(rand.NewPCG(seed(), 4))
	for p, which := range alike(t, "symmetry", least, equals, func() bool { return symmetric >= least }) {
		n++
		client, err := newClient(p)
		if err != nil {
			t.Fatal(err)
		}
		all := histories(p, 0)
		for i, l := range isolation.Levels() {
			opts := dpor.Options{Level: l, Workers: 1, Selection: dpor.Selection{Symmetric: which}}
			if (n+i)%3 == 0 {
				opts.Workers = 3
				opts = dpor.ShareAtOnce(opts)
			}
			if (n+i)%4 == 0 {
				opts = dpor.LearnNothing(opts)
			}
			if r.IntN(2) == 0 {
				opts.Engine, opts.Base = dpor.Swap, isolation.Levels()[r.IntN(1+int(l.Base()))]
			}
			stats, err := upToSymmetry(client, all, opts)
			if err == nil && opts.Engine == dpor.Swap && stats.Blocked > 0 {
				err = fmt.Errorf("%d calls in vain", stats.Blocked)
			}
			if err != nil {
				t.Fatalf("program %d of -seed=%d at %v by %q: %v\n%v", n, seed(), l, opts.Engine, err, which.of(p))
			}
			if len(stats.Symmetry.Sets) > 0 {
				symmetric++
			}
		}
	}
	t.Logf("%d programs, %d explorations with symmetry", n, symmetric)
}

// judging is the program with an invariant that fails for one outcome in three or so. It
// counts what the sessions read and do. If names is true a session counts for more the
// later it was declared.
func judging(p *prog, salt int, names bool) func(*program.Program) {
	declare := compile(p)
	return func(pr *program.Program) {
		declare(pr)
		pr.Invariant("third", func(o *program.Outcome) error {
			sum := salt
			for i, s := range o.Sessions {
				own := 0
				for _, t := range s.Txns {
					for k, r := range t.Reads {
						if r.Value == 0 {
							own += k + 2
						}
					}
					if t.Committed {
						own += 5
					}
				}
				if names {
					own *= i + 1
				}
				sum += own * own
			}
			if sum%3 == 0 {
				return fmt.Errorf("%d", sum)
			}
			return nil
		})
	}
}

// With invariants, also such that tell sessions apart, there are as many violations as
// without symmetry.
func TestRandomSymmetryInvariants(t *testing.T) {
	t.Parallel()
	n, told, violations := 0, 0, int64(0)
	least := countFlag.N() / 10
	enough := func() bool { return violations > 0 && (told > 0 || least < 200) } // few invariants tell sessions apart
	for p, which := range alike(t, "invariants", least, equals, enough) {
		n++
		for i, l := range []isolation.Level{isolation.RC, isolation.CC, isolation.SI, isolation.SER} {
			client, err := program.NewClient("ExploreTest", judging(p, n, (n+i)%3 == 0), program.Options{})
			if err != nil {
				t.Fatal(err)
			}
			opts := at(l)
			opts.Workers = 1
			all, err := drain(client, opts)
			if err != nil {
				t.Fatal(err)
			}
			opts.Symmetric, opts.Workers = which, 1+2*(i%2)
			if (n+i)%3 > 0 {
				opts.Engine = dpor.Swap
			}
			some, err := drain(client, opts)
			if err != nil {
				t.Fatal(err)
			}
			if some.Symmetry.Histories != all.Histories || some.Symmetry.Violations != all.Violations {
				t.Fatalf("program %d of -seed=%d at %v: %d histories, %d violations, with symmetry %v\n%v",
					n, seed(), l, all.Histories, all.Violations, some.Symmetry, which.of(p))
			}
			violations += all.Violations
			for _, why := range some.Symmetry.Off {
				if strings.Contains(why, "invariant") {
					told++
				}
			}
		}
	}
	t.Logf("%d programs, %d violations; invariants told sessions apart %d times", n, violations, told)
}

// A first violation is one, whatever is said to be alike.
func TestSymmetryFirstViolation(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"inc x | inc x | inc x", "inc x | r x | inc x", "w x 1 | w x 2 | r x r x"} {
		client, err := program.NewClient("ExploreTest", judging(parse(text), 1, false), program.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range isolation.Levels() {
			want := 0
			for i, opts := range []dpor.Options{{}, {}, {Engine: dpor.Swap}} {
				opts.Level, opts.Workers = l, 1
				if i > 0 {
					opts.Symmetric = sets{{0, 1, 2}}
				}
				found := 0
				for f, err := range dpor.Explore(context.Background(), client, opts).Histories() {
					if err != nil || len(f.Failures) == 0 {
						t.Fatalf("%s: %v, %d failures", text, err, len(f.Failures))
					}
					found++
				}
				if i == 0 {
					want = found
				}
				if found != want || found > 1 {
					t.Errorf("%s at %v: %d first violations by %v, without symmetry %d", text, l, found, opts.Engine, want)
				}
			}
		}
	}
}

// What symmetry saves, in calls of explore: n sessions that are alike cost at most 1.5
// by n! of what they cost before. (At a few calls there is no telling: a history of n
// transactions takes n + 1.)
func TestSymmetrySaves(t *testing.T) {
	t.Parallel()
	for _, session := range []string{"inc x ; inc x", "r x w y ; r y w x", "inc x ; inc y"} {
		for n, factorial := 3, int64(6); n <= 5; n, factorial = n+1, factorial*int64(n+1) {
			p := parse(strings.TrimSuffix(strings.Repeat(session+" | ", n), " | "))
			all := sets{nil}
			for i := range n {
				all[0] = append(all[0], i)
			}
			client, err := newClient(p)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range []isolation.Level{isolation.RC, isolation.CC, isolation.SI, isolation.SER} {
				if n == 5 && l <= isolation.CC || n == 4 && l == isolation.RC || brief() && n == 5 {
					continue // too many to count before
				}
				opts := at(l)
				opts.Workers, opts.Engine = 1, dpor.Auto
				before, err := drain(client, opts)
				if err != nil {
					t.Fatal(err)
				}
				opts.Symmetric = all
				after, err := drain(client, opts)
				if err != nil {
					t.Fatal(err)
				}
				if after.Symmetry.Histories != before.Histories || len(after.Symmetry.Sets) != 1 {
					t.Errorf("%v at %v: %v, want %d", p, l, after.Symmetry, before.Histories)
				}
				if 2*after.Explored*factorial > 3*before.Explored {
					t.Errorf("%v at %v: %d calls, %d with symmetry: %.2f by %d!", p, l, before.Explored, after.Explored,
						float64(after.Explored*factorial)/float64(before.Explored), n)
				}
				t.Logf("%-70v %-3v calls %d, %d: %.2f by %d!; histories %d, %d", p, l, before.Explored, after.Explored,
					float64(after.Explored*factorial)/float64(before.Explored), n, before.Histories, after.Histories)
			}
		}
	}
}

// What the engine swap explores up to symmetry, in calls: those of histories in which
// sessions follow each other. The numbers of histories are those of the orbits.
func TestSymmetryOfSwap(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		session            string
		n                  int
		level              isolation.Level
		without, calls     int64
		histories, endings int64
	}{
		{"inc x", 3, isolation.CC, 43, 19, 4, 6},
		{"inc x", 4, isolation.CC, 313, 67, 9, 24},
		{"inc x", 5, isolation.CC, 3111, 307, 20, 120},
		{"inc x ; inc x", 3, isolation.RC, 14683, 4113, 1061, 1745},
		{"inc x ; inc x", 3, isolation.CC, 3427, 1073, 223, 404},
		{"r x w y ; r y w x", 4, isolation.CC, 6357, 1705, 85, 502},
		{"inc x ; inc y", 4, isolation.CC, 39295, 5211, 676, 2064},
		{"inc x ; inc x ; inc x", 2, isolation.RC, 7133, 3921, 1519, 1659},
		{"w x 1 ; w x 2 ; r x ; inc x", 2, isolation.RC, 2788, 2408, 600, 1010},
		{"w x 1 ; w x 2 ; r x ; w x 3", 2, isolation.RC, 130, 115, 20, 30},
		{"w x 1 ; inc x ; r x", 3, isolation.RA, 4617, 2834, 223, 800},
		{"r x w x 1 ; r x w x 2 ; r x ; r x w x 3", 2, isolation.RC, 214341, 118845, 45451, 50371},
	} {
		p := parse(strings.TrimSuffix(strings.Repeat(c.session+" | ", c.n), " | "))
		client, err := newClient(p)
		if err != nil {
			t.Fatal(err)
		}
		opts := at(c.level)
		opts.Workers, opts.Engine = 1, dpor.Swap
		without, err := drain(client, opts)
		if err != nil {
			t.Fatal(err)
		}
		opts.Symmetric = sets{nil}
		for i := range c.n {
			opts.Symmetric[0] = append(opts.Symmetric[0], i)
		}
		s, err := drain(client, opts)
		if err != nil {
			t.Fatal(err)
		}
		if without.Explored != c.without || s.Explored != c.calls || s.Histories != c.histories || s.EndStates != c.endings ||
			s.Symmetry.Histories != without.Histories || s.Blocked > 0 || s.Engine != dpor.Swap {
			t.Errorf("%v at %v: {%d, %d, %d, %d}, %d = %d", p, c.level, without.Explored, s.Explored, s.Histories, s.EndStates, s.Symmetry.Histories, without.Histories)
		}
	}
}

// Sets of more than 64 transactions take more than a word.
func TestSymmetryOfLongHistories(t *testing.T) {
	t.Parallel()
	long := strings.TrimSuffix(strings.Repeat("w y 1 ; ", 70), " ; ")
	for text, which := range map[string]sets{
		long + " | inc x | inc x | inc x":                      {{1, 2, 3}},
		"inc x | inc x | inc x | " + long:                      {{0, 1, 2}},
		"inc x ; inc x | " + long + " ; w x 9 | inc x ; inc x": {{0, 2}},
	} {
		client, err := newClient(parse(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range []isolation.Level{isolation.RC, isolation.CC, isolation.SI} {
			opts := at(l)
			opts.Workers, opts.Engine = 1, dpor.Swap
			without, err := drain(client, opts)
			if err != nil {
				t.Fatal(err)
			}
			opts.Symmetric = which
			with, err := drain(client, opts)
			if err != nil {
				t.Fatal(err)
			}
			if with.Symmetry.Histories != without.Histories || with.Explored >= without.Explored || with.Blocked > 0 {
				t.Errorf("%.20s at %v: %+v, want %+v", text, l, with, without)
			}
		}
	}
}

// A hundred sessions that are alike are too many for all their permutations: some are
// left out, and nothing else changes.
func TestSymmetryOfMany(t *testing.T) {
	t.Parallel()
	p := parse(strings.TrimSuffix(strings.Repeat("w x 1 | ", 99)+"r x", " | "))
	all := sets{nil}
	for i := range 99 {
		all[0] = append(all[0], i)
	}
	client, err := newClient(p)
	if err != nil {
		t.Fatal(err)
	}
	stats, err := drain(client, dpor.Options{Level: isolation.SER, Workers: 1, Selection: dpor.Selection{Symmetric: all}})
	if err != nil || stats.Symmetry.Histories != 100 || stats.Histories >= 90 {
		t.Errorf("%d histories of %d, %v", stats.Histories, stats.Symmetry.Histories, err)
	}
}

// At RC a transaction may read a variable twice, from two writers: reads that would be refused when
// the transaction commits are not told by the first one.
func TestSymmetryOfRepeatedReads(t *testing.T) {
	t.Parallel()
	p := parse("r y w z r y r z | r y w z r y r z | w z 1 r z | r x r z w x w y")
	client, err := newClient(p)
	if err != nil {
		t.Fatal(err)
	}
	all := histories(p, 0)
	for _, l := range isolation.Levels() {
		if _, err := upToSymmetry(client, all, dpor.Options{Level: l, Selection: dpor.Selection{Symmetric: [][]int{{0, 1}}}, Workers: 1}); err != nil {
			t.Errorf("at %v: %v", l, err)
		}
	}
}
