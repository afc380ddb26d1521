package harness

import (
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// While less than this is in use, in bytes, collecting garbage takes no time
// worth saving.
const small = 32 << 20

// SpareMemory lets the garbage collector run often as long as little memory is in use. By
// itself Go lets the heap grow to 4 MiB before it collects at all: most explorations never
// need as much at a time. With much in use the collector runs as usual, as collecting takes
// time then. SpareMemory returns at once and works until stop is called.
func SpareMemory() (stop func()) {
	usual := debug.SetGCPercent(25)
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for live() < small {
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
		debug.SetGCPercent(usual)
	}()
	return func() { close(done); debug.SetGCPercent(usual) }
}

// live returns what the last collection left, in bytes.
func live() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
