package proxy_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/server/proxy"
)

// fewOf counts, the slow way, how often a session that has steps left is interrupted.
func fewOf(way []int) (n int) {
	for k := 1; k < len(way); k++ {
		if way[k] != way[k-1] && slices.Contains(way[k:], way[k-1]) {
			n++
		}
	}
	return n
}

// The schedules with few interruptions are those of all that have so few; where nothing waits.
func TestFewInterruptions(t *testing.T) {
	t.Parallel()
	_, dsn := start(t)
	claim(t, dsn)
	server, err := proxy.Open(t.Context(), dsn, 10*time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	read := inTx(`SELECT count(*) FROM account`, `SELECT sum(balance) FROM account`)
	of, err := program.NewClient(t.Name(), sessions(accounts, read, read), program.Options{Patience: 10 * time.Minute, Keeping: program.Keeping{Shown: true}})
	if err != nil {
		t.Fatal(err)
	}
	defer of.Park()
	all, err := proxy.Ways(t.Context(), server, of, isolation.PgRC, 0)
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 3; n++ {
		got, err := proxy.Ways(t.Context(), server, of, isolation.PgRC, n)
		if err != nil {
			t.Fatal(err)
		}
		var want [][]int
		for _, way := range all {
			if fewOf(way) <= n {
				want = append(want, way)
			}
		}
		slices.SortFunc(got, slices.Compare)
		slices.SortFunc(want, slices.Compare)
		if len(want) == 0 || n < 3 && len(want) == len(all) || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%d interruptions: %v, not %v of %d", n, got, want, len(all))
		}
	}
}

// There may be more schedules than are asked for. Then the order that is asked for runs, and the
// schedules with few interruptions. Where there are no more, all schedules run.
func TestFew(t *testing.T) {
	t.Parallel()
	_, dsn := start(t)
	claim(t, dsn)
	look := inTx(`SELECT balance FROM account WHERE id = 1`, `SELECT pg_advisory_xact_lock_shared(7)`, `SELECT pg_advisory_xact_lock_shared(8)`) // of functions nothing is known
	explored := func(p *program.Program) { sessions(accounts, look, look)(p) }
	for _, test := range []struct {
		most          int64
		complete      bool
		interruptions int
	}{{1, false, 0}, {12, false, 1}, {100, true, 0}} {
		tasks := proxy.New(explore.OnServer{DSN: dsn})
		var sink events
		o := explore.Defaults()
		o.Levels, o.Patience, o.Timeout = []isolation.Level{isolation.PgRC}, 10*time.Minute, 10*time.Minute
		few := &explore.Few{Most: test.most, Orders: map[string][]string{"ExploreLook": {"a", "b", "b", "c", "a", "b", "b"}}}
		r := &explore.Run{Package: "p", Options: o, Scope: explore.Scope{All: true, List: true, Few: few}, Sink: &sink, Task: tasks.Find(false), Server: tasks}
		r.Programs(t.Context(), []explore.Program{{Name: "ExploreLook", Explore: explored}})
		if err := tasks.Close(); err != nil {
			t.Error(err)
		}
		var res *report.Result
		first := ""
		for _, e := range sink.list {
			switch e := e.(type) {
			case *report.Result:
				res = e
			case *report.Listed:
				if first == "" {
					for _, op := range e.Schedule {
						if op.What != report.StepGoesOn {
							first += op.Session
						}
					}
				}
			default:
				t.Errorf("%T: %v", e, e)
			}
		}
		if res == nil || res.Complete != test.complete || res.Interruptions != test.interruptions || (res.Few > 0) != (test.interruptions > 0) || (res.Stopped == "schedules") == test.complete {
			t.Errorf("at most %d: %+v", test.most, res)
		}
		if first != "abbabbaa" && first != "abbabba" {
			t.Errorf("at most %d: the first order is %s", test.most, first)
		}
	}
}
