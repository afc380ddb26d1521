package explore

import (
	"context"
	"strings"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// An exploration that has gone on from a checkpoint has the prospects of any other: its
// own, without the symmetry that it cannot have, and what symmetry would save.
func TestProspectsAfterResume(t *testing.T) {
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
		p := r.prospects(t.Context(), client, opts, st)
		if p == nil || p.Calls < 1e8 {
			t.Fatalf("after %d histories: %+v", st.Histories, p)
		}
		if len(p.Less) == 0 || !strings.HasPrefix(p.Less[0].What, "symmetry, which goes without checkpoints on a cluster") || p.Less[0].Calls > 1e7 {
			t.Errorf("after %d histories: %+v", st.Histories, p.Less)
		}
		opts.Resume, opts.MaxHistories = left, 200
	}
}
