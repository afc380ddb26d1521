package advise

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/reference"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/report"
)

// operation is one of a random program's.
type operation struct {
	kind, variable, value int
}

// transaction is one of a random program's, with its name.
type transaction struct {
	name string
	ops  []operation
}

// randomProgram are transactions by session, and what must not be left in x, or -1: then
// nothing but outcomes of serial orders is right.
type randomProgram struct {
	sessions [][]transaction
	not      int
}

func newRandomProgram(r *rand.Rand) (p randomProgram) {
	p.not = r.IntN(12) - 3
	for s := range 2 + r.IntN(2) {
		var list []transaction
		for range 1 + r.IntN(2)*(1-s/2) {
			t := transaction{name: string(rune('a' + r.IntN(2)))}
			for range 1 + r.IntN(3) {
				t.ops = append(t.ops, operation{r.IntN(4), r.IntN(2), 1 + r.IntN(9)})
			}
			list = append(list, t)
		}
		p.sessions = append(p.sessions, list)
	}
	return p
}

// declare is the program with levels that its transactions ask for, nil for none.
func (p randomProgram) declare(ask func(name string) isolation.Level) func(*program.Program) {
	return func(d *program.Program) {
		vars := []*program.Var[int]{program.NewVar(d, "x", 0), program.NewVar(d, "y", 0)}
		for i, list := range p.sessions {
			d.Session(fmt.Sprint(i), func(s *program.Session) {
				for _, t := range list {
					var options []program.TxnOption
					if ask != nil {
						options = append(options, program.At(ask(t.name)))
					}
					s.Txn(t.name, func(tx *program.Tx) error { return t.run(s, tx, vars) }, options...)
				}
			})
		}
		d.Final("end", func(tx *program.Tx) error {
			return program.Assert(vars[0].Get(tx) != p.not, "x is left so")
		})
		if p.not < 0 {
			d.Serializable("serializable")
		}
	}
}

func (t *transaction) run(s *program.Session, tx *program.Tx, vars []*program.Var[int]) error {
	last := 0
	for _, o := range t.ops {
		v := vars[o.variable]
		switch o.kind {
		case 0:
			last = v.Get(tx)
			s.Observe("read", last)
		case 1:
			v.Set(tx, (last+o.value)%10)
		case 2:
			v.Update(tx, func(old int) (int, bool) { return (old + o.value) % 10, true })
		default:
			if v.Get(tx) > 5 {
				return errors.New("too much")
			}
		}
		if tx.Err() != nil {
			return tx.Err()
		}
	}
	return nil
}

// minimal are the assignments of two levels or more that hold and have none below that
// does, by trying every one.
func minimal(names []string, levels []isolation.Level, holds func(func(string) isolation.Level) bool) (list []string) {
	var good []assignment
	s := space{len(names), len(levels)}
	for w := range s.transactions*(s.levels-1) + 1 {
		for _, a := range s.ofWeight(w) {
			of := func(name string) isolation.Level { return levels[a[slices.Index(names, name)]] }
			if holds(of) && !slices.ContainsFunc(good, func(g assignment) bool { return g.below(a) }) {
				good = append(good, a)
				text := ""
				for i, l := range a {
					text += names[i] + " " + levels[l].String() + " "
				}
				list = append(list, text)
			}
		}
	}
	slices.Sort(list)
	return list
}

// sink keeps the advice.
type sink struct{ advice *report.Advice }

func (s *sink) Turn(string, string, *dpor.Exploration) {}
func (s *sink) Event(e any) {
	if a, ok := e.(*report.Advice); ok {
		s.advice = a
	}
}

// advice is what the task says of a program.
func advice(t *testing.T, f func(*program.Program), levels []isolation.Level) *report.Advice {
	t.Helper()
	c, err := program.NewClient("Explore", f, program.Options{})
	if err == nil && levels[0].Database() != isolation.NoDatabase {
		c, err = c.DatabaseAt(levels[0].String())
	}
	if err != nil {
		t.Fatal(err)
	}
	s := &sink{}
	r := &explore.Run{Options: explore.Defaults(), Sink: s}
	r.Options.Workers = 1
	if err := Task(levels)(t.Context(), r, c, levels[0]); err != nil {
		t.Fatal(err)
	}
	return s.advice
}

func words(a *report.Advice) (list []string) {
	for _, x := range a.Assignments {
		text := ""
		for _, t := range x.Transactions {
			text += t.Name + " " + t.Iso + " "
		}
		list = append(list, text)
	}
	slices.Sort(list)
	return list
}

// explored are all complete histories, or outcomes, of a program at a level.
func explored(t *testing.T, f func(*program.Program), level isolation.Level, each func(*program.Client, *dpor.Found)) {
	t.Helper()
	c, err := program.NewClient("Explore", f, program.Options{Database: level.Database() != isolation.NoDatabase})
	if err != nil {
		t.Fatal(err)
	}
	x := dpor.Explore(context.Background(), c, dpor.Options{Level: level, Base: level.Base(), All: true, List: true, Workers: 1})
	for found, err := range x.Histories() {
		if err != nil {
			t.Fatal(err)
		}
		each(c, found)
	}
}

const random = 30 // programs, in full

// On random programs the axiomatic advice is what every assignment gives by itself: of all
// histories of rc those that an order shows in which each transaction keeps its own axiom.
func TestAxiomaticAdvice(t *testing.T) {
	t.Parallel()
	levels, kinds, differ := isolation.Levels(), map[int]int{}, 0
	for seed := range uint64(random) {
		p := newRandomProgram(rand.New(rand.NewPCG(seed, 16)))
		type broken struct {
			of        *reference.Relations
			names     []string
			finalFrom int
		}
		var list []broken
		explored(t, p.declare(nil), isolation.RC, func(_ *program.Client, f *dpor.Found) {
			if len(f.Failures) == 0 {
				return
			}
			h, err := reference.Of(f.History, func(v behaviour.VarID) int { return int(v) }, func(v behaviour.ValueID) int { return int(v) })
			if err != nil {
				t.Fatal(err)
			}
			b := broken{of: h.Relations(), finalFrom: len(f.History.Txns) - 1}
			for _, x := range f.History.Txns {
				b.names = append(b.names, x.Name)
			}
			list = append(list, b)
		})
		got := advice(t, p.declare(nil), levels)
		want := minimal(got.Transactions, levels, func(of func(string) isolation.Level) bool {
			return !slices.ContainsFunc(list, func(b broken) bool {
				return b.of.Orders(func(co []int, t3 int, _ bool) bool {
					level := isolation.SER
					if t3 > 0 && t3 < b.finalFrom {
						level = of(b.names[t3])
					}
					return b.of.Transaction(level, co, t3)
				})
			})
		})
		if !slices.Equal(words(got), want) {
			t.Fatalf("seed %d: %v: %q, want %q", seed, p, words(got), want)
		}
		if !got.Complete || got.Explored+got.Reused > got.All || len(want) == 0 && got.Failure == "" {
			t.Errorf("seed %d: %+v", seed, got)
		}
		kinds[len(want)]++
		for _, a := range got.Assignments {
			if x := a.Transactions; len(x) == 2 && x[0].Iso != x[1].Iso {
				differ++
			}
		}
	}
	if kinds[0] == 0 || kinds[1] == 0 || differ == 0 {
		t.Errorf("programs by number of answers: %v; in %d the levels differ", kinds, differ)
	}
}

// On random programs the advice for PostgreSQL is what every assignment gives that the code
// asks for itself.
func TestDatabaseAdvice(t *testing.T) {
	t.Parallel()
	levels, kinds, reused := isolation.LevelsOf(isolation.PostgreSQL), map[int]int{}, 0
	for seed := range uint64(deadlinetest.Of(random, 20)) {
		p := newRandomProgram(rand.New(rand.NewPCG(seed, 17)))
		got := advice(t, p.declare(nil), levels)
		want := minimal(got.Transactions, levels, func(of func(string) isolation.Level) bool {
			holds := true
			explored(t, p.declare(of), levels[0], func(_ *program.Client, f *dpor.Found) { holds = holds && len(f.Failures) == 0 })
			return holds
		})
		if !slices.Equal(words(got), want) {
			t.Fatalf("seed %d: %v: %q, want %q", seed, p, words(got), want)
		}
		kinds[len(want)]++
		reused += got.Reused
		// What the code asks for is replaced.
		if again := advice(t, p.declare(func(string) isolation.Level { return isolation.PgSer }), levels); !slices.Equal(words(again), want) {
			t.Errorf("seed %d: %q when the code asks for SERIALIZABLE, want %q", seed, words(again), want)
		}
	}
	if kinds[1] == 0 || len(kinds) < 2 || reused == 0 {
		t.Errorf("programs by number of answers: %v; %d assignments without an exploration", kinds, reused)
	}
}

// A search in a space that is too large lowers one transaction after another.
func TestLower(t *testing.T) {
	t.Parallel()
	s := space{9, 3}
	want := assignment{0, 1, 2, 0, 0, 2, 1, 0, 0}
	calls := 0
	f, err := s.all(func(a assignment) (verdict, error) {
		if calls++; want.below(a) {
			return holds, nil
		}
		return breaks, nil
	})
	if err != nil || !f.one || f.opened || len(f.minimal) != 1 || !slices.Equal(f.minimal[0], want) || calls > 1+9*2 {
		t.Errorf("%+v, %v, %d calls", f, err, calls)
	}
	if f, err = s.all(func(assignment) (verdict, error) { return open, nil }); err != nil || !f.opened || len(f.minimal) > 0 {
		t.Errorf("%+v, %v", f, err)
	}
}

// A search goes through all minimal assignments, also where a stronger one breaks.
func TestAll(t *testing.T) {
	t.Parallel()
	good := []string{`"a" 1 `, `"b" 2 `}
	names := []string{"a", "b"}
	f, err := space{2, 3}.all(func(a assignment) (verdict, error) {
		if slices.Contains(good, a.key(names)) {
			return holds, nil
		}
		return breaks, nil
	})
	var keys []string
	for _, a := range f.minimal {
		keys = append(keys, a.key(names))
	}
	if slices.Sort(keys); err != nil || strings.Join(keys, ";") != strings.Join(good, ";") {
		t.Errorf("%q, %v", keys, err)
	}
}
