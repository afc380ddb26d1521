package dpor_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// inserters is a program of sessions that each scan the known rows and insert a
// row, whose key is how many rows they saw. With all rows known from the beginning
// it needs one round.
func inserters(sessions int, known ...string) func(*program.Program) {
	return func(p *program.Program) {
		p.UseBackend()
		rows := p.Attachment("rows", func() (any, error) { return &known, nil }).(*[]string)
		for i := range sessions {
			p.Session(fmt.Sprint("s", i), func(s *program.Session) {
				b := s.Backend()
				b.Begin("insert")
				n := 0
				for _, k := range *rows {
					if v, err := b.Read(k); err == nil && v != nil {
						n++
					}
				}
				key := fmt.Sprintf("row/%d.%d", i, n)
				if !slices.Contains(*rows, key) {
					*rows = append(*rows, key)
					slices.Sort(*rows)
					b.Again("INSERT "+key, "row", map[string]any{"id": key})
				}
				if err := b.Write(key, i); err != nil {
					return
				}
				s.Observe("rows", n)
				b.Commit()
			})
		}
		p.Invariant("some session sees a row", func(o *program.Outcome) error {
			for _, s := range o.Sessions {
				if slices.ContainsFunc(s.Observed("rows"), func(n any) bool { return n != 0 }) {
					return nil
				}
			}
			return program.Assertf(false, "nobody sees a row")
		})
	}
}

// A program that brings in rows is explored as if they had been known from the
// beginning, and what is handed on is what is counted.
func TestRounds(t *testing.T) {
	t.Parallel()
	const sessions = 3
	var all []string
	for i := range sessions {
		for n := range sessions {
			all = append(all, fmt.Sprintf("row/%d.%d", i, n))
		}
	}
	for _, level := range []isolation.Level{isolation.CC, isolation.SI, isolation.SER} {
		for _, engine := range []dpor.Engine{dpor.Swap, dpor.Serial} {
			opts := dpor.Options{Level: level, Base: level.Base(), Engine: engine, All: true, List: true}
			want, listed := roundsOf(t, inserters(sessions, all...), opts)
			got, handed := roundsOf(t, inserters(sessions), opts)
			if got != want || handed != listed || int64(handed) != got.Histories {
				t.Errorf("%v, %s: %+v, %d handed on; with all rows known %+v, %d", level, engine, got, handed, want, listed)
			}
			opts.List = false
			if again, handed := roundsOf(t, inserters(sessions), opts); again != want || int64(handed) != want.Violations {
				t.Errorf("%v, %s, violations only: %+v, %d handed on; want %+v", level, engine, again, handed, want)
			}
		}
	}
}

// roundsOf explores a program and returns its counts and how many histories were
// handed on.
func roundsOf(t *testing.T, f func(*program.Program), opts dpor.Options) (counts struct{ Histories, EndStates, Violations int64 }, handed int) {
	t.Helper()
	c := roundClient(t, f)
	x := dpor.Explore(t.Context(), c, opts)
	for _, err := range x.Histories() {
		if err != nil {
			t.Fatal(err)
		}
		handed++
	}
	st := x.Stats()
	if !st.Complete {
		t.Fatalf("not complete: %+v", st)
	}
	counts.Histories, counts.EndStates, counts.Violations = st.Histories, st.EndStates, st.Violations
	return counts, handed
}

// The first violation ends the exploration, also in a round that is not the last.
func TestRoundsEndAtViolation(t *testing.T) {
	c := roundClient(t, inserters(2))
	x := dpor.Explore(t.Context(), c, dpor.Options{Level: isolation.SI, Base: isolation.CC})
	found := 0
	for f, err := range x.Histories() {
		if err != nil || len(f.Failures) != 1 {
			t.Fatal(err, f)
		}
		found++
	}
	if st := x.Stats(); found == 0 || st.Stopped != work.ByViolation {
		t.Errorf("%d violations: %+v", found, st)
	}
}

// A program that brings in other rows in each round is an error that names the
// statement. The error also names what the program has written, where that cannot
// follow from what it has read.
func TestEndlessRounds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		statements func(n int) int // before the one that inserts
		kind       behaviour.ErrorKind
		want       string
	}{
		"always at the same point": {func(int) int { return 1 }, behaviour.Nondeterminism, "writes another row of job in each run, with other values of id ("},
		"ever later":               {func(n int) int { return n }, behaviour.Unbounded, "begun again 1000 times"},
	} {
		t.Run(name, func(t *testing.T) {
			n := 0
			client := roundClient(t, func(p *program.Program) {
				p.UseBackend()
				p.Session("s", func(s *program.Session) {
					b := s.Backend()
					b.Begin("insert")
					n++
					for range c.statements(n) {
						b.Statement("SELECT 1")
					}
					b.Again(fmt.Sprintf("INSERT INTO job VALUES (%d)", n), "job", map[string]any{"id": n + 7*c.statements(n), "what": "sweep"})
					b.Write("x", 1)
					b.Commit()
				})
			})
			var failed error
			for _, err := range dpor.Explore(t.Context(), client, dpor.Options{Level: isolation.SER, Base: isolation.CC}).Histories() {
				failed = err
			}
			var e *behaviour.Error
			if !errors.As(failed, &e) || e.Kind != c.kind || !strings.Contains(e.Message, c.want) || !strings.Contains(e.Message, "INSERT INTO job") {
				t.Errorf("error %v", failed)
			}
		})
	}
}

func roundClient(t *testing.T, f func(*program.Program)) *program.Client {
	t.Helper()
	c, err := program.NewClient(t.Name(), f, program.Options{Recheck: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Park)
	return c
}

// While it runs, an exploration tells in which round it is.
func TestRoundIsTold(t *testing.T) {
	c, err := program.NewClient(t.Name(), inserters(2), program.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x := dpor.Explore(t.Context(), c, dpor.Options{Level: isolation.CC, Base: isolation.CC, All: true, List: true, Workers: 1})
	most := 0
	for _, err := range x.Histories() {
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, x.Stats().Round)
	}
	if most < 3 || x.Stats().Round != 0 {
		t.Errorf("histories were handed on in round %d, and round %d is told at the end", most, x.Stats().Round)
	}
}
