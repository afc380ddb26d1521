package dpor_test

import (
	"runtime"
	"testing"

	"github.com/txmc/txmc/isolation"
)

// Once behaviours are recorded and buffers have grown, calls of serial allocate
// nothing: what a whole exploration allocates does not grow with it.
func TestSerialAllocatesNothingPerCall(t *testing.T) {
	for _, l := range serialLevels {
		sessions, calls := 4, int64(30_000)
		if l == isolation.PC { // it allows far more
			sessions, calls = 3, 10_000
		}
		client, err := newClient(parse(fai(sessions, 2) + " | w y ; r x"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := drain(client, serially(l)); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s, err := drain(client, serially(l))
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if n := after.Mallocs - before.Mallocs; s.Explored < calls || int64(n) > calls/10 {
			t.Errorf("%v: %d allocations in %d calls", l, n, s.Explored)
		}
	}
}
