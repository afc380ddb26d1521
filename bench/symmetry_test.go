package bench

import (
	"flag"
	"fmt"
	"testing"

	"github.com/txmc/txmc/bench/client"
	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

var alikeFlag = flag.Int64("alike", 600, "clients with equal sessions have at most so many histories; 3000 with -long, and five sessions too")

// Three to four sessions, or five, that all run the first transactions of the first session of a
// client. Symmetry leaves the count of histories as it is, by the sizes of orbits. All clients
// together cost at most 1.5 by n! of the calls of explore. Each client costs as little as its
// orbits allow.
func TestEqualSessions(t *testing.T) {
	t.Parallel()
	programs, err := Load(Own(), Apps())
	if err != nil {
		t.Fatal(err)
	}
	sessions := 4
	if *long {
		sessions = 5
	}
	for n, factorial := 3, int64(6); n <= sessions; n, factorial = n+1, factorial*int64(n+1) {
		for _, l := range []isolation.Level{isolation.CC, isolation.SER} {
			var calls, fewer int64
			for _, p := range programs {
				before, after, complete := equalSessions(t, p, n, l)
				if !complete {
					continue
				}
				calls, fewer = calls+before.Explored, fewer+after.Explored
				if b := most(n, factorial, before, after); after.Explored > b {
					t.Errorf("%d sessions of %s/%s at %v: %d calls with symmetry, want at most %d", n, p.App.Name, p.Name, l, after.Explored, b)
				}
				if after.Symmetry.Histories != before.Histories || len(after.Symmetry.Off) > 0 {
					t.Errorf("%d sessions of %s/%s at %v: %v, want %d", n, p.App.Name, p.Name, l, after.Symmetry, before.Histories)
				}
				t.Logf("%d sessions of %s/%s at %v: histories %d, up to symmetry %d; calls %d, %d: %.2f by %d!", n, p.App.Name, p.Name, l,
					before.Histories, after.Histories, before.Explored, after.Explored, float64(factorial*after.Explored)/float64(before.Explored), n)
			}
			if 2*factorial*fewer > 3*calls {
				t.Errorf("%d sessions at %v: %d calls, with symmetry %d: more than 1.5 by %d!", n, l, calls, fewer, n)
			}
			t.Logf("%d sessions at %v, all clients: %d calls, with symmetry %d: %.2f by %d!", n, l, calls, fewer, float64(factorial*fewer)/float64(calls), n)
		}
	}
}

// most is how many calls a client may cost with symmetry. It may cost 1.5 by n! of the calls
// before. Where there are more orbits than n! by the number of histories, it may cost as many
// times more: what permutations leave as it is has a small orbit. One call for each transaction,
// and for what begins there, is allowed in any case.
func most(n int, factorial int64, before, after dpor.Stats) int64 {
	share := max(before.Histories, factorial*after.Histories)
	return max(int64(2*n+1), 3*before.Explored*share/(2*factorial*before.Histories))
}

// equalSessions explores n sessions of the first two transactions of a client without
// and with symmetry; complete is false when there are too many histories.
func equalSessions(t *testing.T, p *client.Program, n int, l isolation.Level) (before, after dpor.Stats, complete bool) {
	t.Helper()
	equal := *p
	equal.Name, equal.Sessions = fmt.Sprint(n), nil
	set := make([]int, n)
	for i := range n {
		set[i] = i
		equal.Sessions = append(equal.Sessions, p.Sessions[0][:min(2, len(p.Sessions[0]))])
	}
	c, err := program.NewClient(t.Name(), equal.Explore, program.Options{})
	if err != nil {
		t.Fatal(err)
	}
	limit := *alikeFlag
	if *long {
		limit = max(limit, 3000)
	}
	opts := dpor.Options{Level: l, Base: l.Base(), Workers: 1, Engine: dpor.Auto, All: true, Scope: dpor.Scope{MaxHistories: limit}}
	if before = ended(t, c, opts); !before.Complete {
		return before, after, false
	}
	opts.Symmetric = [][]int{set}
	return before, ended(t, c, opts), true
}

func ended(t *testing.T, c *program.Client, opts dpor.Options) dpor.Stats {
	t.Helper()
	x := dpor.Explore(t.Context(), c, opts)
	for _, err := range x.Histories() {
		if err != nil {
			t.Fatal(err)
		}
	}
	return x.Stats()
}

// Samples see little of the tree of swap where it is large: that of five sessions of a client has 103 million calls, and
// looks like the smaller one. At SI and SER auto stays with serial.
func TestAutoStays(t *testing.T) {
	t.Parallel()
	programs, err := Load(Own(), Apps())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		if p.App.Name != "tpcc" || p.Name != "case4" {
			continue
		}
		equal := *p
		equal.Sessions = nil
		for range 5 {
			equal.Sessions = append(equal.Sessions, p.Sessions[0][:2])
		}
		c, err := program.NewClient(t.Name(), equal.Explore, program.Options{})
		if err != nil {
			t.Fatal(err)
		}
		opts := dpor.Options{Level: isolation.SER, Base: isolation.CC, Workers: 1, Engine: dpor.Auto, All: true, Scope: dpor.Scope{MaxHistories: 2000}}
		if s := ended(t, c, opts); s.Engine != dpor.Serial || s.Explored <= 8192 {
			t.Errorf("%d calls of %s", s.Explored, s.Engine)
		}
	}
}
