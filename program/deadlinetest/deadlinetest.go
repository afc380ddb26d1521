// Package deadlinetest is for tests that take long or have many parts. It leaves out what takes
// long, unless tests run in full. And it leaves parts out when go test's time limit comes near.
// On a busy machine a test then is shorter, and says so. Without this it would fail by the limit.
// It lets random tests go on until they have had the cases that they need. And it gives tests
// enough threads for a busy machine.
package deadlinetest

import (
	"testing"
	"time"
)

// started is when the test binary began; go test counts its time limit from then.
var started = time.Now()

// least is the share of the time limit that has to be left for another part to begin.
const least = 0.4

// Over reports whether no part should begin any more: of the time that go test gives the
// package, ten minutes if -timeout says nothing else, less than two fifths are left. It
// logs so. Tests without a time limit are never over.
func Over(t testing.TB) bool {
	t.Helper()
	deadline := time.Time{}
	if d, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		deadline, _ = d.Deadline()
	}
	over := over(started, deadline, time.Now())
	if over {
		t.Logf("left out from here: after %v the time limit of %v comes near; go test -timeout=60m gives more",
			time.Since(started).Round(time.Second), deadline.Sub(started).Round(time.Second))
	}
	return over
}

// Skip skips a part that would begin when the test is [Over].
func Skip(t testing.TB) {
	t.Helper()
	if Over(t) {
		t.SkipNow()
	}
}

// over decides; a deadline of zero is none.
func over(started, deadline, now time.Time) bool {
	return !deadline.IsZero() && float64(deadline.Sub(now)) < least*float64(deadline.Sub(started))
}
