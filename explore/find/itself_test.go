package find

import (
	"testing"

	"github.com/txmc/txmc/report"
)

// A lock that a call keeps is a bug where the call has tried to give it up, and not where it is made for taking it.
func TestKeptOnPurpose(t *testing.T) {
	t.Parallel()
	v := &report.Violation{Failures: []report.Failure{{Kind: "kept", Session: "Lock 1", Message: "keeps it"}}}
	v.Schedule = []report.Operation{{Session: "Lock 1", Statement: "SELECT pg_advisory_lock(7)"}, {Session: "Bill 2", Statement: "SELECT pg_advisory_unlock(7)"}}
	if anomalous(v) {
		t.Error("a call that takes a lock is to give it up")
	}
	v.Schedule = append(v.Schedule, report.Operation{Session: "Lock 1", Statement: "SELECT pg_advisory_unlock(7)"})
	if !anomalous(v) || rankOf(v) != Keeps {
		t.Errorf("a lock that is given up on another connection is %v", rankOf(v))
	}
	hangs := &report.Violation{Failures: []report.Failure{{Kind: "hang", Session: "Order 1", Message: "waits"}}}
	if !anomalous(hangs) || rankOf(hangs) != Hangs {
		t.Errorf("a call that waits for itself is %v", rankOf(hangs))
	}
}
