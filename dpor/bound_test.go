package dpor_test

import (
	"context"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation"
)

// A bounded exploration ends at the same place whatever has been recorded before,
// and says why it ended. A bound that is wide enough changes nothing.
func TestBound(t *testing.T) {
	t.Parallel()
	const text = "inc x ; inc x ; inc y | inc x ; inc y ; inc x | inc x ; inc y ; inc x"
	for _, engine := range []dpor.Engine{dpor.Swap, dpor.Serial} {
		explore := func(warm bool, b *dpor.Bound) dpor.Stats {
			t.Helper()
			client, err := newClient(parse(text))
			if err != nil {
				t.Fatal(err)
			}
			run := func(b *dpor.Bound) dpor.Stats {
				x := dpor.Explore(context.Background(), client, dpor.Options{Level: isolation.SI, Engine: engine, All: true, Scope: dpor.Scope{Bound: b}})
				for _, err := range x.Histories() {
					if err != nil {
						t.Fatal(err)
					}
				}
				return x.Stats()
			}
			if warm {
				run(nil)
			}
			return run(b)
		}
		all := explore(false, nil)
		for _, b := range []*dpor.Bound{{Calls: 512, Nodes: 1 << 20}, {Calls: 1 << 40, Nodes: 30}} {
			cold, warm := explore(false, b), explore(true, b)
			if cold.Stopped != work.ByBound || cold.Complete || cold.Histories >= all.Histories {
				t.Errorf("%s %+v: stopped by %q, complete %v, %d of %d histories", engine, *b, cold.Stopped, cold.Complete, cold.Histories, all.Histories)
			}
			if cold.Histories != warm.Histories || cold.Explored != warm.Explored {
				t.Errorf("%s %+v: %d histories in %d calls, %d in %d when all is recorded", engine, *b, cold.Histories, cold.Explored, warm.Histories, warm.Explored)
			}
		}
		if wide := explore(false, &dpor.Bound{Calls: 1 << 40, Nodes: 1 << 20}); !wide.Complete || wide.Histories != all.Histories {
			t.Errorf("%s: %d of %d histories within a wide bound", engine, wide.Histories, all.Histories)
		}
	}
}
