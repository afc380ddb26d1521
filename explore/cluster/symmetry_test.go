package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
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

// Sessions that are alike are so on a cluster, too: counts, orbits, verdicts and lines of the
// report are those of one process, also where sessions turn out to differ.
func TestSymmetry(t *testing.T) {
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
				if y := r.Symmetry; y == nil || len(y.Sets) == 0 || strings.Contains(name, "Unlike") != (len(y.Off) > 0) {
					t.Errorf("%s: %+v", name, y)
				}
			}
		}
		c.Close()
	}
}

// The first violation ends it, and so do limits.
func TestSymmetryLimits(t *testing.T) {
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
	deadlinetest.Long(t)
	survives(t, "ExploreAlike|ExploreUnlike", axiomatic...)
}

// What one process has begun up to symmetry is not for a cluster, and it says so.
func TestSymmetryElsewhere(t *testing.T) {
	deadlinetest.Long(t)
	q := request(isolation.SER)
	q.MaxHistories, q.Checkpoint = 10, 1<<40
	left := checkpointed(t, "ExploreAlike", q).all[explore.TypeCheckpoint]
	q.Resume = filepath.Join(t.TempDir(), "resume.json")
	if err := os.WriteFile(q.Resume, append(append([]byte("["), left[len(left)-1]...), ']'), 0o600); err != nil {
		t.Fatal(err)
	}
	c := open(t, &Options{Cluster: Embedded}, 1)
	got := exploreOn(t.Context(), t, c, "ExploreAlike", q, nil)
	if said := got.all[report.TypeError]; len(said) != 1 || !strings.Contains(string(said[0]), "resume it without one") {
		t.Errorf("%q", said)
	}
}

// With a checkpoint all histories are explored, and the report says so.
func TestSymmetryCheckpoint(t *testing.T) {
	deadlinetest.Long(t)
	c := open(t, &Options{Cluster: Embedded}, 1)
	q := request(isolation.SER)
	q.Checkpoint = 1 << 40
	got := exploreOn(t.Context(), t, c, "ExploreAlike", q, nil).results(t)["ExploreAlike ser"]
	q.Checkpoint = 0
	want := alone(t, "ExploreAlike", q).results(t)["ExploreAlike ser"]
	if got.Histories != want.Symmetry.Histories || len(got.Symmetry.Off) != 1 || len(got.Symmetry.Sets) > 0 {
		t.Errorf("%+v, want %+v", got, want)
	}
}
