package explore

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/report"
)

// An exploration that has gone on from a checkpoint has the size of any other. It has
// its own size, without the symmetry that it cannot have, and the size that symmetry
// would leave.
func TestSizeAfterResume(t *testing.T) {
	t.Parallel()
	client, err := program.NewClient("ExploreCounters", func(p *program.Program) {
		x := program.NewVar(p, "x", 0)
		p.Sessions(5, "s", func(s *program.Session, _ int) {
			for range 3 {
				s.Txn("inc", func(tx *program.Tx) error { x.Set(tx, x.Get(tx)+1); return nil })
			}
		})
	}, program.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var left *dpor.Frontier
	opts := dpor.Options{
		Level: isolation.SI, Base: isolation.CC, Engine: dpor.Auto, All: true, Workers: 1, Scope: dpor.Scope{MaxHistories: 100},
		Progress: dpor.Progress{Checkpoint: func(f *dpor.Frontier) error { left = f; return nil }},
	}
	r := &Run{Estimate: true, Elsewhere: func(context.Context, *Question) (*Answer, error) { return nil, nil }} // with a checkpoint
	for range 2 {
		st := stopped(t, client, opts)
		p := advised(t, r, client, opts, st, func(p *report.Size) bool { return p.Calls >= 1e8 && len(p.Smaller) > 0 })
		if !strings.HasPrefix(p.Smaller[0].What, "symmetry from the beginning") || p.Smaller[0].Calls > 1e7 {
			t.Errorf("after %d histories: %+v", st.Histories, p.Smaller)
		}
		opts.Resume, opts.MaxHistories = left, 200
	}
}

// advised returns a size that is good. A busy machine may come to too little in the time that there usually is: then
// it has more.
func advised(t *testing.T, r *Run, client *program.Client, opts dpor.Options, st dpor.Stats, good func(*report.Size) bool) *report.Size {
	t.Helper()
	for within := adviceTime; ; within *= 3 {
		ctx, cancel := context.WithTimeout(t.Context(), within)
		p := r.sizeIn(ctx, client, opts, st)
		cancel()
		switch {
		case p != nil && good(p):
			return p
		case within > 20*adviceTime:
			t.Fatalf("after %d histories, in %v: %+v", st.Histories, within, p)
		}
		deadlinetest.Skip(t)
	}
}

// Sessions that are alike are alike without one of them, too. Where nothing else ends in the
// time that there was, the first sessions do, and in as many calls as is said.
func TestSizeOfAlike(t *testing.T) {
	t.Parallel()
	client, err := program.NewClient("ExploreCounters", func(p *program.Program) {
		x := program.NewVar(p, "x", 0)
		p.Sessions(7, "s", func(s *program.Session, _ int) {
			for range 2 {
				s.Txn("inc", func(tx *program.Tx) error { x.Set(tx, x.Get(tx)+1); return nil })
			}
		})
		p.Session("reader", func(s *program.Session) {
			s.Txn("look", func(tx *program.Tx) error { x.Get(tx); return nil })
		})
	}, program.Options{})
	if err != nil {
		t.Fatal(err)
	}
	opts := dpor.Options{Level: isolation.SER, Engine: dpor.Auto, All: true, Workers: 1, Scope: dpor.Scope{MaxHistories: 1000}}
	opts.Symmetric = client.Alike()
	st := stopped(t, client, opts)
	st.Elapsed = adviceTime
	n := 0
	p := advised(t, &Run{Estimate: true}, client, opts, st, func(p *report.Size) bool {
		if len(p.Smaller) == 0 {
			return false
		}
		_, err := fmt.Sscanf(p.Smaller[len(p.Smaller)-1].What, "with the first %d sessions alone", &n)
		return err == nil && n >= 3
	})
	last := p.Smaller[len(p.Smaller)-1]
	opts.MaxHistories = 0
	rest := []int{0, 1, 2, 3, 4, 5, 6, 7}[n:]
	smaller, err := client.Without(partsOf(client, rest)...)
	if err != nil {
		t.Fatal(err)
	}
	opts.Symmetric = left(opts.Symmetric, rest)
	if calls := float64(stopped(t, smaller, opts).Explored); last.Calls != calls {
		t.Errorf("%+v, where there are %v calls", last, calls)
	}
}

// A program of few calls, each of which takes long, has a size.
func TestSizeOfSlow(t *testing.T) {
	t.Parallel()
	client, err := program.NewClient("ExploreCounting", counting(5), program.Options{})
	if err != nil {
		t.Fatal(err)
	}
	opts := dpor.Options{Level: isolation.SER, Engine: dpor.Serial, Base: isolation.SER, All: true, Workers: 1, Scope: dpor.Scope{MaxHistories: 100}}
	st := stopped(t, client, opts)
	st.Elapsed = 10 * time.Second
	r := &Run{Estimate: true}
	advised(t, r, client, opts, st, func(p *report.Size) bool { return p.Calls < farAway && p.Seconds >= farOff.Seconds() })
	st.Elapsed = 10 * time.Millisecond
	if p := r.sizeOf(t.Context(), client, opts, st); p != nil {
		t.Errorf("what ends in %+v", p)
	}
}
