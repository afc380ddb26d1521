package find

import (
	"slices"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/program/load"
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

// A call whose statement on another connection waits for its own transaction hangs; one that has ended the transaction
// before, or sends all in it, does not.
func TestHangs(t *testing.T) {
	t.Parallel()
	deadlinetest.Long(t)
	r := find(t, Options{Level: isolation.PgRC, Run: true, Extent: Extent{Whole: true}, Config: load.Config{Dir: "itself"}})
	if len(r.Findings) == 0 || r.Findings[0].Rank != Hangs || len(r.Findings[0].Bug.At) != 2 {
		t.Fatalf("%d findings: %s", len(r.Findings), r.Short("txmc find"))
	}
	for _, f := range r.Findings {
		if f.Rank == Hangs && !slices.Contains(f.Calls, "Store.Order") {
			t.Errorf("%q hang", f.Calls)
		}
	}
	t.Log(r.Short("txmc find"))
}
