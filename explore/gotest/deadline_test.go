package gotest

import (
	"strings"
	"testing"
	"time"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
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
		if got := timeFor(test.left, test.timeout, test.levels); got != test.want {
			t.Errorf("%v left of %v for %d levels: %v, want %v", test.left, test.timeout, test.levels, got, test.want)
		}
	}
}

// However many checks there are, none explores in the last twentieth of the time.
func TestShares(t *testing.T) {
	for _, timeout := range []time.Duration{time.Second, 10 * time.Second, 10 * time.Minute, 24 * time.Hour} {
		left, checks := timeout, 0
		for ; checks < 1000; checks++ {
			d := timeFor(left, timeout, 1)
			if d == 0 {
				break
			}
			left -= d
		}
		if keep := min(timeout/20, 5*time.Second); left < keep-keep/10 {
			t.Errorf("of %v %v are left after %d checks", timeout, left, checks)
		}
		if timeFor(left, timeout, 1) != 0 {
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

// Before the deadline everything says how far it has come, and what comes too late that
// there was no time. These deadlines are far off and long past, so that it does not
// matter how fast the machine is; the time of an exploration is over before it begins.
func TestDeadline(t *testing.T) {
	c, err := configure([]Option{Levels(isolation.CC)})
	if err != nil {
		t.Fatal(err)
	}
	client, err := program.NewClient("exploreCounter", exploreCounter, c.Program())
	if err != nil {
		t.Fatal(err)
	}
	r := &level{config: *c, pkg: "p", client: client, iso: isolation.CC}
	if !r.bound(time.Time{}, false, 2) || r.Timeout != 0 || r.deadline {
		t.Errorf("no deadline: timeout %v", r.Timeout)
	}
	if !r.bound(time.Now().Add(1000*time.Hour), true, 2) || !r.deadline || r.Timeout < 400*time.Hour || r.Timeout > 500*time.Hour {
		t.Errorf("1000 hours for two levels: timeout %v", r.Timeout)
	}
	r.Timeout = time.Nanosecond
	o := r.explore(t.Context())
	want := "INCOMPLETE  exploreCounter  iso=cc  0 histories: no violation so far, not a proof\nstopped after 0s, before the deadline of go test -timeout"
	if o.verdict != incomplete || o.text != want {
		t.Errorf("verdict %d:\n%s", o.verdict, o.text)
	}
	r.Timeout, r.deadline = 0, false
	if r.bound(time.Now().Add(-time.Hour), true, 1) {
		t.Errorf("an hour after the deadline: timeout %v", r.Timeout)
	}
	if o := r.late(); o.verdict != incomplete || !strings.Contains(o.text, "no time was left before the deadline of go test -timeout") {
		t.Errorf("verdict %d:\n%s", o.verdict, o.text)
	}
}

// A limit of the user's that is shorter stays, and is not called a deadline.
func TestDeadlineBesideTimeout(t *testing.T) {
	c, err := configure([]Option{Levels(isolation.CC), Timeout(time.Minute)})
	if err != nil {
		t.Fatal(err)
	}
	r := &level{config: *c, iso: isolation.CC}
	if !r.bound(time.Now().Add(1000*time.Hour), true, 1) || r.deadline || r.Timeout != time.Minute {
		t.Errorf("timeout %v, of the deadline: %v", r.Timeout, r.deadline)
	}
}
