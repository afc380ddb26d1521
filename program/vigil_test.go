package program

import (
	"testing"
	"time"
)

// Who waits for its host is given up before the patience ends, however long a look takes.
func TestVigil(t *testing.T) {
	const patience = 10 * time.Second
	for _, state := range []string{"sync.Mutex.Lock\nserve", "chan send\nserve"} {
		for took := time.Microsecond; took < patience/5; took *= 2 {
			for _, runs := range []int{0, 1, 5} { // as many looks find it running
				w, now := vigil{patience: patience}, time.Unix(0, 0).Add(lookAtGuest)
				for range runs {
					if w.isOver("", now) {
						t.Error("given up while it runs")
					}
					now = now.Add(took + w.pause(took))
				}
				began, looks := now, 0
				for ; !w.isOver(state, now); looks++ {
					now = now.Add(took + w.pause(took))
				}
				if lasted := now.Sub(began) + took; lasted > patience*3/5 || looks == 0 {
					t.Errorf("%.9s, looks of %v, %d while it ran: given up after %v and %d looks", state, took, runs, lasted, looks)
				}
				if lasted := now.Sub(began); took < time.Millisecond/2 && (lasted < atLock*lookAtGuest || !isLock(state) && lasted < elsewhere*lookAtGuest) {
					t.Errorf("%.9s, looks of %v: given up after %v already", state, took, lasted)
				}
			}
		}
	}
}
