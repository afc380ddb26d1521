package driver

import "testing"

// 2 beats 1 beats 3 beats 0, whichever comes first.
func TestWorse(t *testing.T) {
	order := []Status{Failed, Violation, Incomplete, OK}
	for i, a := range order {
		for _, b := range order[i:] {
			if a.Worse(b) != a || b.Worse(a) != a {
				t.Errorf("worse of %d and %d: %d and %d, want %d", a, b, a.Worse(b), b.Worse(a), a)
			}
		}
	}
}
