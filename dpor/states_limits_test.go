package dpor_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
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
		stopped work.Reason
		found   int64
	}{
		{"max-histories", context.Background(), dpor.Options{All: true, Scope: dpor.Scope{MaxHistories: 1}}, work.ByMaxHistories, 1},
		{"violation", context.Background(), dpor.Options{}, work.ByViolation, 0},
		{"cancelled", over, dpor.Options{All: true}, work.ByInterrupt, 0},
		{"complete", context.Background(), dpor.Options{All: true}, "", 0},
	} {
		test.opts.Level = isolation.PgRC
		_, stats, err := exploreOn(t, test.ctx, contended(2, 1, 2), test.opts)
		if err != nil || stats.Stopped != test.stopped || stats.Complete != (test.stopped == "") || test.found > 0 && stats.Histories != test.found {
			t.Errorf("%s: %+v, %v", test.name, stats, err)
		}
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
	var e *behaviour.Error
	if !errors.As(err, &e) || e.Kind != behaviour.Misuse || !strings.Contains(e.Message, "no level of PostgreSQL") || e.At.File == "" {
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
		events, err := states.Events(c, isolation.PgRR, states.Points, f.Schedule)
		if err != nil {
			t.Fatal(err)
		}
		last := map[int]*behaviour.Node{}
		waits := map[int]bool{}
		for _, e := range events {
			if e.Kind == states.GoesOn != waits[e.Session] && e.Node.Kind != behaviour.Abort && e.Node.Kind != behaviour.Change {
				t.Errorf("session %d: event %d, waited before: %v", e.Session, e.Kind, waits[e.Session])
			}
			waits[e.Session] = e.Kind == states.Waits
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

// extent is the size of a program: sessions, transactions of each, statements of each
// transaction.
type extent [3]int

// interleavings is how many orders the statements and commits have when nobody waits.
func (s extent) interleavings() float64 {
	n, each := 1.0, s[1]*(s[2]+1)
	for i := range s[0] {
		for k := range each {
			n = n * float64(i*each+k+1) / float64(k+1)
		}
	}
	return n
}

// mostInterleavings bounds what is explored without reduction.
const mostInterleavings = 1_000_000_000

// BenchmarkStates explores programs on two contended rows by one worker, each state
// visited once; small ones by every path, too. Bytes are those that are kept at the end.
func BenchmarkStates(b *testing.B) {
	for _, size := range []extent{{2, 1, 6}, {3, 1, 4}, {3, 1, 6}, {4, 1, 4}, {3, 2, 3}} {
		for _, level := range append(isolation.LevelsOf(isolation.PostgreSQL), isolation.LevelsOf(isolation.InnoDB)...) {
			for _, every := range []bool{false, true} {
				if every && size.interleavings() > mostInterleavings {
					continue
				}
				name := fmt.Sprintf("%dx%dx%d/%v/%s", size[0], size[1], size[2], level, map[bool]string{true: "every", false: "once"}[every])
				b.Run(name, func(b *testing.B) {
					opts := dpor.EveryPath(every)
					opts.Level, opts.All, opts.Workers = level, true, 1
					benchmarkStates(b, size, opts)
				})
			}
		}
	}
}

func benchmarkStates(b *testing.B, size extent, opts dpor.Options) {
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		c := databaseClient(b, contended(size[0], size[1], size[2]))
		x := dpor.Explore(context.Background(), c, opts)
		for _, err := range x.Histories() {
			if err != nil {
				b.Fatal(err)
			}
		}
		stats := x.Stats()
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(size.interleavings(), "interleavings")
		b.ReportMetric(float64(stats.Explored), "states")
		b.ReportMetric(float64(stats.Steps), "steps")
		b.ReportMetric(float64(stats.Histories), "outcomes")
		b.ReportMetric(float64(stats.Steps)/stats.Elapsed.Seconds(), "steps/s")
		b.ReportMetric(stats.Elapsed.Seconds()*1e3, "ms")
		b.ReportMetric(float64(int64(after.HeapAlloc)-int64(before.HeapAlloc)), "bytes")
		runtime.KeepAlive(x)
	}
}
