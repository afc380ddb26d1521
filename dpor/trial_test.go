package dpor_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// Whatever auto decides, and whenever, it finds the histories of that engine, each once,
// and counts what that engine counts.
func TestTrial(t *testing.T) {
	shards(t, countFlag.N()/8, rich, func(p *prog) error {
		client, err := newClient(p)
		if err != nil {
			return err
		}
		for _, l := range serialLevels {
			for _, engine := range []dpor.Engine{dpor.Serial, dpor.Swap} {
				o := at(l)
				o.Engine, o.Workers = engine, 1
				want, err := list(client, o)
				if err != nil {
					return err
				}
				for _, calls := range []int64{1, 5, 40, 100_000} {
					o.Engine = dpor.Auto
					if err := tried(client, o, engine, calls, want); err != nil {
						return fmt.Errorf("%v, %s after %d calls: %w", l, engine, calls, err)
					}
				}
			}
		}
		return nil
	})
}

// tried compares explorations by auto, which decides for the engine after so many calls.
func tried(client *program.Client, o dpor.Options, engine dpor.Engine, calls int64, want *listing) error {
	for _, o.Workers = range []int{1, 3} {
		got, err := list(client, dpor.Trial(o, calls, engine))
		if err != nil {
			return err
		}
		if !maps.Equal(got.times, want.times) {
			return fmt.Errorf("%d workers: %d histories, want %d", o.Workers, len(got.times), len(want.times))
		}
		if got.stats.Engine == engine && counts(got.stats) != counts(want.stats) {
			return fmt.Errorf("%d workers count %v, want %v", o.Workers, counts(got.stats), counts(want.stats))
		}
		if engine == dpor.Swap && (got.stats.Engine == dpor.Serial && got.stats.Explored > calls || got.stats.Engine != engine && calls == 1) {
			return fmt.Errorf("%d workers: by %s, %d calls", o.Workers, got.stats.Engine, got.stats.Explored)
		}
	}
	return nil
}

// The first violation, and no other, is handed on, by either engine, and a limit holds.
func TestTrialStops(t *testing.T) {
	client, err := newClient(parse("inc x ; inc x | inc x ; inc x | inc x ; inc x"))
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []dpor.Engine{dpor.Serial, dpor.Swap} {
		for _, calls := range []int64{1, 10, 100_000} {
			o := dpor.Trial(dpor.Options{Level: isolation.SI, Base: isolation.CC, Engine: dpor.Auto, List: true, Scope: dpor.Scope{MaxHistories: 7}, Workers: 1}, calls, engine)
			x := dpor.Explore(t.Context(), client, o)
			found := 0
			for _, err := range x.Histories() {
				if err != nil {
					t.Fatal(err)
				}
				found++
			}
			if s := x.Stats(); found != 7 || s.Histories != 7 || s.Stopped != work.ByMaxHistories {
				t.Errorf("%s after %d calls: %d histories, %+v", engine, calls, found, s)
			}
		}
	}
}

// An exploration that others can go on with has the engine that any other one has: the
// trial is made beforehand.
func TestTrialBeforehand(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"inc x ; inc x | inc x ; inc x", "inc x ; inc x | inc x ; inc x | inc x ; inc x | inc x ; inc x"} {
		client, err := newClient(parse(text))
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range serialLevels {
			if brief() && i < len(serialLevels)-1 && len(text) >= 40 {
				continue
			}
			o := dpor.Trial(dpor.Options{Level: l, Base: isolation.CC, Engine: dpor.Auto, Workers: 1}, 256, dpor.Swap)
			want, err := list(client, o)
			if err != nil {
				t.Fatal(err)
			}
			o.Checkpoint = func(*dpor.Frontier) error { return nil }
			got, err := list(client, o)
			if err != nil {
				t.Fatal(err)
			}
			if a, b := got.stats, want.stats; a.Engine != b.Engine || counts(a) != counts(b) {
				t.Errorf("%s at %v: %s %v beforehand, %s %v", text, l, a.Engine, counts(a), b.Engine, counts(b))
			}
			if want.stats.Engine == dpor.Swap && len(text) < 40 {
				t.Errorf("%s at %v: the small one is explored by %s", text, l, want.stats.Engine)
			}
		}
	}
}
