package dpor_test

import (
	"runtime"
	"testing"
)

// Once behaviours are recorded and buffers have grown, calls of serial allocate
// nothing: what a whole exploration allocates does not grow with it.
func TestSerialAllocatesNothingPerCall(t *testing.T) {
	client, err := newClient(parse(fai(4, 2) + " | w y ; r x"))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range serialLevels {
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
		if n := after.Mallocs - before.Mallocs; s.Explored < 30_000 || n > 3_000 {
			t.Errorf("%v: %d allocations in %d calls", l, n, s.Explored)
		}
	}
}
