package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/program/load"
	"github.com/txmc/txmc/report"
)

// customers are sessions that are alike, and one that is not.
func customers(p *program.Program) {
	stock := program.NewVar(p, "stock", 3)
	p.Sessions(4, "customer", func(s *program.Session, i int) {
		s.Txn("buy", func(tx *program.Tx) error {
			n := stock.Get(tx)
			stock.Set(tx, n-1)
			tx.Write(fmt.Sprint("order/", i), n)
			return nil
		})
	})
	p.Session("clerk", func(s *program.Session) {
		for range 2 {
			s.Txn("look", func(tx *program.Tx) error {
				s.Observe("left", stock.Get(tx))
				return nil
			})
		}
	})
	p.Invariant("left", func(o *program.Outcome) error {
		for _, s := range o.Sessions {
			for _, seen := range s.Observations {
				if seen.Value == 1 {
					return fmt.Errorf("one is left")
				}
			}
		}
		return nil
	})
}

// unlike has sessions that are said to be alike. An invariant tells them apart in few
// outcomes, which are not met first.
func unlike(p *program.Program) {
	x := program.NewVar(p, "x", 0)
	p.Sessions(3, "s", func(s *program.Session, i int) {
		for range 2 {
			s.Txn("look", func(tx *program.Tx) error {
				s.Observe("x", x.Get(tx))
				return nil
			})
		}
	})
	p.Session("w", func(s *program.Session) {
		for n := range 3 {
			s.Txn("write", func(tx *program.Tx) error { x.Set(tx, n+1); return nil })
		}
	})
	p.Invariant("who", func(o *program.Outcome) error {
		if fmt.Sprint(o.Sessions[0].Observations[0].Value, o.Sessions[1].Observations[0].Value, o.Sessions[2].Observations[0].Value) == "3 3 2" {
			return fmt.Errorf("s-2 was before the others")
		}
		return nil
	})
}

// crowd has sessions that are alike, in so many histories that tasks end with something left. An
// invariant tells them apart in a few of these if that is wanted.
func crowd(apart bool) func(*program.Program) {
	return func(p *program.Program) {
		x := program.NewVar(p, "x", 0)
		p.Sessions(3, "s", func(s *program.Session, i int) {
			for range 2 {
				s.Txn("add", func(tx *program.Tx) error {
					n := x.Get(tx)
					s.Observe("x", n)
					x.Set(tx, n+1)
					return nil
				})
			}
		})
		p.Session("clerk", func(s *program.Session) {
			s.Txn("look", func(tx *program.Tx) error { s.Observe("x", x.Get(tx)); return nil })
		})
		p.Invariant("sum", func(o *program.Outcome) error {
			text := ""
			for _, s := range o.Sessions {
				for _, seen := range s.Observations {
					text += fmt.Sprint(seen.Value)
				}
			}
			if apart && text == "0101120" || strings.HasSuffix(text, "6") {
				return fmt.Errorf("they have seen %s", text)
			}
			return nil
		})
	}
}

// Sessions that are alike are so on a cluster, too. Counts, orbits, verdicts and lines of the
// report are those of one process. This holds also where sessions turn out to differ.
func TestSymmetry(t *testing.T) {
	t.Parallel()
	pattern, levels := "ExploreAlike|ExploreUnlike", axiomatic
	scopes := []explore.Scope{{All: true, List: true}, {All: true, Group: true}}
	if !deadlinetest.Full() {
		pattern, levels, scopes = "ExploreUnlike", levels[1:2], scopes[:1]
	}
	least, most := 2, 2
	if *allFlag {
		least, most = 1, 8
	}
	for workers := least; workers <= most; workers++ {
		c := open(t, &Options{Cluster: Embedded}, workers)
		c.calls = 16
		for i, scope := range scopes {
			q := request(levels...)
			q.Scope = scope
			if (i+workers)%2 > 0 {
				q.Options.Engine = "swap"
			}
			got, want := exploreOn(t.Context(), t, c, pattern, q, nil), alone(t, pattern, q)
			same(t, got, want)
			for _, kind := range []string{report.TypeHistory, report.TypeViolation} {
				if a, b := len(got.all[kind]), len(want.all[kind]); a != b {
					t.Errorf("%d lines of type %s, want %d", a, kind, b)
				}
			}
			for name, r := range want.results(t) {
				if y := r.Symmetry; y == nil || len(y.Sets) == 0 || strings.Contains(name, "Unlike") != (len(y.Off) > 0) {
					t.Errorf("%s: %+v", name, y)
				}
			}
		}
		c.Close()
	}
}

// So it is under the models of databases, with workers that are killed and servers that are restarted in full.
func TestSymmetryOfDatabases(t *testing.T) {
	t.Parallel()
	pattern, levels := "Crowd", databases
	scopes := []explore.Scope{{All: true, List: true}, {All: true, Group: true}}
	if !deadlinetest.Full() {
		pattern, levels, scopes = "ExploreCrowd", levels[:1], scopes[:1]
	}
	c := open(t, &Options{Cluster: Embedded}, 2)
	for _, scope := range scopes {
		q := request(levels...)
		q.Scope = scope
		got, want := exploreOn(t.Context(), t, c, pattern, q, nil), alone(t, pattern, q)
		same(t, got, want)
		for _, kind := range []string{report.TypeHistory, report.TypeViolation} {
			if a, b := len(got.all[kind]), len(want.all[kind]); a != b {
				t.Errorf("%d lines of type %s, want %d", a, kind, b)
			}
		}
		for name, r := range want.results(t) {
			if y := r.Symmetry; y == nil || len(y.Sets) == 0 || strings.Contains(name, "Some") != (len(y.Off) > 0) {
				t.Errorf("%s: %+v", name, y)
			}
			t.Logf("%s: %d states, %d on the cluster", name, r.States, got.results(t)[name].States)
		}
	}
	c.Close()
	if deadlinetest.Full() {
		survives(t, "ExploreCrowd", isolation.PgRC)
		resumes(t, "ExploreCrowd", isolation.InnoRR)
	}
}

// The first violation ends it, and so do limits.
func TestSymmetryLimits(t *testing.T) {
	t.Parallel()
	deadlinetest.Long(t)
	c := open(t, &Options{Cluster: Embedded}, 2)
	c.calls = 16
	q := request(isolation.CC)
	q.Scope = explore.Scope{}
	got := exploreOn(t.Context(), t, c, "ExploreAlike", q, nil)
	if r := got.results(t)["ExploreAlike cc"]; r.Stopped != "violation" || r.Violations == 0 || len(got.all[report.TypeViolation]) != 1 {
		t.Errorf("%+v and %d violations", r, len(got.all[report.TypeViolation]))
	}
	q = request(isolation.CC)
	q.MaxHistories, q.Scope = 20, explore.Scope{All: true, List: true}
	got = exploreOn(t.Context(), t, c, "ExploreAlike", q, nil)
	if r := got.results(t)["ExploreAlike cc"]; r.Histories != 20 || r.Stopped != "max-histories" || len(got.all[report.TypeHistory]) != 20 {
		t.Errorf("%+v and %d histories", r, len(got.all[report.TypeHistory]))
	}
}

// Workers are killed and the server is restarted.
func TestSymmetryKills(t *testing.T) {
	t.Parallel()
	deadlinetest.Long(t)
	survives(t, "ExploreAlike|ExploreUnlike", axiomatic...)
}

// A coordinator that is killed goes on from its checkpoint, on another cluster. Lines of the
// report come when it is known that the sessions are alike, once.
func TestSymmetryResumed(t *testing.T) {
	t.Parallel()
	deadlinetest.Long(t)
	const pattern = "Crowd"
	for i, scope := range []explore.Scope{{All: true, List: true}, {All: true, Group: true}} {
		q := request(isolation.CC)
		q.Scope, q.Options.Engine = scope, []string{"auto", "swap"}[i]
		want, resumed := alone(t, pattern, q), 0
		for range deadlinetest.Until(t, 1, func() bool { return resumed >= 2 }) {
			all, times := inLives(t, pattern, q, 16)
			same(t, all, want)
			for _, kind := range []string{report.TypeHistory, report.TypeViolation} {
				if a, b := len(all.all[kind]), len(want.all[kind]); a != b {
					t.Errorf("%d lines of type %s, want %d", a, kind, b)
				}
			}
			resumed += times
		}
		for name, r := range want.results(t) {
			if y := r.Symmetry; y == nil || len(y.Sets) == 0 || strings.Contains(name, "Some") != (len(y.Off) > 0) {
				t.Errorf("%s: %+v", name, y)
			}
		}
	}
}

// What has told sessions apart is in the checkpoint, too.
func TestSymmetryResumedApart(t *testing.T) {
	t.Parallel()
	deadlinetest.Long(t)
	q := request(isolation.CC)
	q.Scope = explore.Scope{All: true, List: true}
	want := alone(t, "ExploreSomeCrowd", q)
	q.Programs = []string{"ExploreSomeCrowd"}
	c := open(t, &Options{Cluster: Embedded}, 2)
	c.calls, q.Checkpoint = 16, time.Millisecond
	first := &lines{all: map[string][][]byte{}}
	c.Run(t.Context(), nil, &load.Harness{Binary: os.Args[0], Dir: "."}, q, os.Stderr, func(line []byte) error {
		first.add(line)
		if report.Type(line) == explore.TypeCheckpoint && bytes.Contains(line, []byte(`"off":["invariant`)) {
			return errors.New("it is killed")
		}
		return nil
	})
	if len(first.results(t)) > 0 {
		t.Fatal("it was not killed")
	}
	q.Resume = resumeFile(t, first)
	got := exploreOn(t.Context(), t, c, "ExploreSomeCrowd", q, nil)
	same(t, got, want)
	for _, kind := range []string{report.TypeHistory, report.TypeViolation} {
		if a, b := len(got.all[kind]), len(want.all[kind]); a != b {
			t.Errorf("%d lines of type %s, want %d", a, kind, b)
		}
	}
}

// What a limit has stopped goes on, and lines that were held then come at the end.
func TestSymmetryStopped(t *testing.T) {
	t.Parallel()
	deadlinetest.Long(t)
	q := request(isolation.CC)
	q.Scope = explore.Scope{All: true, List: true}
	want := alone(t, "ExploreCrowd", q)
	c := open(t, &Options{Cluster: Embedded}, 2)
	c.calls = 16
	q.Checkpoint, q.Timeout = 1<<40, 400*time.Millisecond
	stopped, last := 0, (*lines)(nil)
	for last == nil || len(last.results(t)) == 0 || !last.results(t)["ExploreCrowd cc"].Complete {
		last = exploreOn(t.Context(), t, c, "ExploreCrowd", q, nil)
		if r := last.results(t)["ExploreCrowd cc"]; !r.Complete {
			stopped++
			if n := len(last.all[report.TypeHistory]) + len(last.all[report.TypeViolation]); n > 0 || r.Stopped != "timeout" {
				t.Fatalf("%d lines, %+v", n, r)
			}
			q.Resume = resumeFile(t, last)
			q.Timeout *= 2
		}
	}
	same(t, last, want)
	for _, kind := range []string{report.TypeHistory, report.TypeViolation} {
		if a, b := len(last.all[kind]), len(want.all[kind]); a != b {
			t.Errorf("%d lines of type %s, want %d", a, kind, b)
		}
	}
	t.Logf("stopped %d times", stopped)
}

// resumeFile is a file with the last checkpoint.
func resumeFile(t *testing.T, from *lines) string {
	t.Helper()
	left := from.all[explore.TypeCheckpoint]
	if len(left) == 0 {
		t.Fatal("no checkpoint")
	}
	name := filepath.Join(t.TempDir(), "resume.json")
	if err := os.WriteFile(name, append(append([]byte("["), left[len(left)-1]...), ']'), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// What one process has begun up to symmetry is not for a cluster, nor the other way round, and
// both say so.
func TestSymmetryElsewhere(t *testing.T) {
	t.Parallel()
	deadlinetest.Long(t)
	q := request(isolation.SER)
	q.MaxHistories, q.Checkpoint = 10, 1<<40
	q.Resume = resumeFile(t, checkpointed(t, "ExploreAlike", q))
	c := open(t, &Options{Cluster: Embedded}, 1)
	got := exploreOn(t.Context(), t, c, "ExploreAlike", q, nil)
	if said := got.all[report.TypeError]; len(said) != 1 || !strings.Contains(string(said[0]), "resume it without one") {
		t.Errorf("%q", said)
	}
	q = request(isolation.CC)
	q.Checkpoint, c.calls = time.Millisecond, 16
	ctx, cancel := context.WithCancel(t.Context())
	got = exploreOn(ctx, t, c, "ExploreCrowd", q, func(kind string) {
		if kind == explore.TypeCheckpoint {
			cancel()
		}
	})
	q.Resume = resumeFile(t, got)
	alone := checkpointed(t, "ExploreCrowd", q)
	if said := alone.all[report.TypeError]; len(said) != 1 || !strings.Contains(string(said[0]), "resume it on a cluster") {
		t.Errorf("%q", said)
	}
}
