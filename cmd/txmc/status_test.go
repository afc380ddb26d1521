package main

import "testing"

// 2 beats 1 beats 3 beats 0, whichever comes first.
func TestWorse(t *testing.T) {
	order := []int{statusError, statusViolation, statusIncomplete, statusOK}
	for i, a := range order {
		for _, b := range order[i:] {
			if worse(a, b) != a || worse(b, a) != a {
				t.Errorf("worse of %d and %d: %d and %d, want %d", a, b, worse(a, b), worse(b, a), a)
			}
		}
	}
}
