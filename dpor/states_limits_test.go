package dpor_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// contended is sessions × transactions × statements on two rows.
func contended(sessions, txns, statements int) func(*program.Program) {
	return func(p *program.Program) {
		vars := []*program.Var[int]{program.NewVar(p, "x", 0), program.NewVar(p, "y", 0)}
		for i := range sessions {
			p.Session(fmt.Sprint("s", i), func(s *program.Session) {
				for range txns {
					s.Txn("t", func(tx *program.Tx) error {
						for k := range statements {
							v := vars[(i+k)%2]
							if k%3 == 0 {
								v.Get(tx)
								continue
							}
							v.Update(tx, func(old int) (int, bool) { return old + 1, true })
						}
						return nil
					})
				}
			})
		}
		p.Final("sum", func(tx *program.Tx) error {
			return program.Assertf(vars[0].Get(tx)+vars[1].Get(tx) < 2, "x and y are 2 and more")
		})
	}
}

func exploreOn(t testing.TB, ctx context.Context, explore func(*program.Program), opts dpor.Options) (found []*dpor.Found, stats dpor.Stats, failed error) {
	t.Helper()
	c, err := program.NewClient("ExploreTest", explore, program.Options{Database: true, Recheck: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Park()
	x := dpor.Explore(ctx, c, opts)
	for f, err := range x.Histories() {
		if err != nil {
			failed = err
			break
		}
		found = append(found, f)
	}
	return found, x.Stats(), failed
}

// TestStatesLimits: the limits stop this engine as they stop the others, and say so.
func TestStatesLimits(t *testing.T) {
	t.Parallel()
	over, cancel := context.WithCancel(context.Background())
	cancel()
	for _, test := range []struct {
		name    string
		ctx     context.Context
		opts    dpor.Options
		stopped dpor.Reason
		found   int64
	}{
		{"max-histories", context.Background(), dpor.Options{All: true, MaxHistories: 1}, dpor.ByMaxHistories, 1},
		{"violation", context.Background(), dpor.Options{}, dpor.ByViolation, 0},
		{"cancelled", over, dpor.Options{All: true}, dpor.ByInterrupt, 0},
		{"complete", context.Background(), dpor.Options{All: true}, "", 0},
	} {
		test.opts.Level = isolation.PgRC
		_, stats, err := exploreOn(t, test.ctx, contended(2, 1, 2), test.opts)
		if err != nil || stats.Stopped != test.stopped || stats.Complete != (test.stopped == "") || test.found > 0 && stats.Histories != test.found {
			t.Errorf("%s: %+v, %v", test.name, stats, err)
		}
	}
	_, _, err := exploreOn(t, context.Background(), contended(2, 1, 2), dpor.Options{Level: isolation.PgRC, Checkpoint: func(*dpor.Frontier) error { return nil }})
	if !errors.Is(err, dpor.ErrDatabaseCheckpoint) {
		t.Errorf("a checkpoint is asked for: %v", err)
	}
}

// TestStatesRefuses: a transaction cannot ask PostgreSQL for a level that it has not.
func TestStatesRefuses(t *testing.T) {
	t.Parallel()
	_, _, err := exploreOn(t, context.Background(), func(p *program.Program) {
		x := program.NewVar(p, "x", 0)
		p.Session("s", func(s *program.Session) {
			s.Txn("t", func(tx *program.Tx) error { x.Get(tx); return nil }, program.At(isolation.SI))
		})
	}, dpor.Options{Level: isolation.PgRC})
	var e *program.Error
	if !errors.As(err, &e) || e.Kind != program.Misuse || !strings.Contains(e.Message, "no level of PostgreSQL") || e.At.File == "" {
		t.Errorf("got %v", err)
	}
}

// TestStatesEvents: the events of a found schedule end where the outcome ends, and
// the Finals see what all sessions have left.
func TestStatesEvents(t *testing.T) {
	t.Parallel()
	c, err := program.NewClient("ExploreTest", contended(2, 1, 3), program.Options{Database: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Park()
	x := dpor.Explore(context.Background(), c, dpor.Options{Level: isolation.PgRR, All: true, List: true})
	outcomes := 0
	for f, err := range x.Histories() {
		if err != nil {
			t.Fatal(err)
		}
		outcomes++
		events, err := dpor.Events(c, isolation.PgRR, f.Schedule)
		if err != nil {
			t.Fatal(err)
		}
		last := map[int]*program.Node{}
		waits := map[int]bool{}
		for _, e := range events {
			if e.Kind == dpor.GoesOn != waits[e.Session] && e.Node.Kind != program.Abort && e.Node.Kind != program.Change {
				t.Errorf("session %d: event %d, waited before: %v", e.Session, e.Kind, waits[e.Session])
			}
			waits[e.Session] = e.Kind == dpor.Waits
			last[e.Session] = e.Node
		}
		for i, end := range f.Ends {
			if end.Before() != last[i] {
				t.Errorf("session %d ends elsewhere", i)
			}
		}
	}
	if outcomes < 2 {
		t.Errorf("%d outcomes", outcomes)
	}
}

// BenchmarkStates explores 3 sessions of 2 transactions of 3 statements on two rows.
func BenchmarkStates(b *testing.B) {
	for _, level := range append(isolation.LevelsOf(isolation.PostgreSQL), isolation.LevelsOf(isolation.InnoDB)...) {
		b.Run(level.String(), func(b *testing.B) {
			for range b.N {
				_, stats, err := exploreOn(b, context.Background(), contended(3, 2, 3), dpor.Options{Level: level, All: true})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(stats.Explored), "states")
				b.ReportMetric(float64(stats.Histories), "outcomes")
				b.ReportMetric(float64(stats.Explored)/stats.Elapsed.Seconds(), "states/s")
			}
		})
	}
}
