package gotest

import (
	"testing"
	"time"
)

func TestShare(t *testing.T) {
	const s = time.Second
	for _, test := range []struct {
		left, timeout time.Duration
		levels        int
		want          time.Duration
	}{
		{600 * s, 600 * s, 1, 590 * s},
		{600 * s, 600 * s, 2, 295 * s},
		{10 * s, 10 * s, 1, 9 * s},
		{9 * s, 600 * s, 1, s / 2}, // for a small program
		{6 * s, 600 * s, 3, s / 2},
		{5 * s, 600 * s, 1, 0},
		{-1 * s, 600 * s, 1, 0},
		{11 * s, 600 * s, 10, s / 2},
	} {
		if got := share(test.left, test.timeout, test.levels); got != test.want {
			t.Errorf("%v left of %v for %d levels: %v, want %v", test.left, test.timeout, test.levels, got, test.want)
		}
	}
}

// However many checks there are, none explores in the last twentieth of the time.
func TestShares(t *testing.T) {
	for _, timeout := range []time.Duration{time.Second, 10 * time.Second, 10 * time.Minute, 24 * time.Hour} {
		left, checks := timeout, 0
		for ; checks < 1000; checks++ {
			d := share(left, timeout, 1)
			if d == 0 {
				break
			}
			left -= d
		}
		if keep := min(timeout/20, 5*time.Second); left < keep-keep/10 {
			t.Errorf("of %v %v are left after %d checks", timeout, left, checks)
		}
		if share(left, timeout, 1) != 0 {
			t.Errorf("of %v %v are left after %d checks, and more are explored", timeout, left, checks)
		}
	}
}

func TestTestTimeout(t *testing.T) {
	deadline, ok := t.Deadline()
	if !ok {
		t.Skip("go test -timeout=0")
	}
	if got, left := testTimeout(time.Nanosecond), time.Until(deadline); got < left {
		t.Errorf("timeout %v, and %v are left of it", got, left)
	}
}
