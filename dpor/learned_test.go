package dpor_test

import (
	"context"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// What was learned once changes nothing: an exploration that finds it kept has the histories of one that
// learns, and makes as many calls.
func TestLearnedOnce(t *testing.T) {
	t.Parallel()
	for p := range randomPrograms("learned once", countFlag.N()/8, rich) {
		c, err := compared(p)
		if err != nil {
			t.Fatal(err)
		}
		before := map[isolation.Level]dpor.Stats{}
		for _, l := range append(serialLevels, serialLevels...) {
			_, again := before[l]
			if dpor.Learned(c.client, l) != again {
				t.Fatalf("%v at %v: kept: %v", p, l, !again)
			}
			found, err := list(c.client, serially(l))
			if err == nil {
				err = found.equals(allowed(c.all, l))
			}
			if err == nil {
				err = found.once()
			}
			if err != nil {
				t.Errorf("%v at %v: %v", p, l, err)
			}
			if s, b := found.stats, before[l]; again && (s.Explored != b.Explored || s.Blocked != b.Blocked) {
				t.Errorf("%v at %v: %d calls, %d dead ends; %d and %d when it learned", p, l, s.Explored, s.Blocked, b.Explored, b.Blocked)
			}
			before[l] = found.stats
		}
	}
}

// Where random histories find out more than accesses, they are made each time, and where nothing is
// learned nothing is kept.
func TestWhatIsKept(t *testing.T) {
	t.Parallel()
	p := parse("inc x | inc x | inc x")
	stopped, alike, bounded := serially(isolation.SI), serially(isolation.SI), serially(isolation.SI)
	stopped.MaxHistories = 2
	alike.Symmetric = [][]int{{0, 1, 2}}
	bounded.Bound = &dpor.Bound{Calls: 1000, Nodes: 1000}
	for _, row := range []struct {
		name string
		opts dpor.Options
		want bool
	}{
		{"whole", serially(isolation.SI), true},
		{"auto", dpor.Options{Level: isolation.SI, Engine: dpor.Auto, Workers: 2}, true},
		{"stopped", stopped, true},
		{"by auto, which takes swap", dpor.Trial(dpor.Options{Level: isolation.SI, Engine: dpor.Auto}, 1, dpor.Swap), true},
		{"up to symmetry", alike, false},
		{"bounded", bounded, false},
		{"knowing nothing", dpor.LearnNothing(serially(isolation.SI)), false},
		{"at another level", serially(isolation.PC), false},
		{"by swap", dpor.Options{Level: isolation.SI, Engine: dpor.Swap}, false},
	} {
		client := clientOf(t, p)
		row.opts.All = true
		for _, err := range dpor.Explore(context.Background(), client, row.opts).Histories() {
			if err != nil {
				t.Fatal(err)
			}
		}
		if got := dpor.Learned(client, isolation.SI); got != row.want {
			t.Errorf("%s: what was learned is kept: %v, want %v", row.name, got, row.want)
		}
	}
}

func clientOf(t *testing.T, p *prog) *program.Client {
	t.Helper()
	client, err := newClient(p)
	if err != nil {
		t.Fatal(err)
	}
	return client
}
