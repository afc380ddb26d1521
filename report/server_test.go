package report_test

import (
	"strings"
	"testing"

	"github.com/txmc/txmc/report"
)

// What has become of a violation on a server is said in a line, and in no other words for
// what is known and what is not.
func TestConfirmationLines(t *testing.T) {
	const where = "PostgreSQL 15.18 at REPEATABLE READ"
	for want, c := range map[string]report.Confirmation{
		"confirmed on " + where:                                                                  {Verdict: report.Confirmed},
		"confirmed on " + where + ", in the last of 7 executions":                                {Verdict: report.Confirmed, Executions: 7},
		"not confirmed on " + where + ": after 1 statement the server does something else":       {Verdict: report.Diverges, Answers: make([]report.Answered, 1)},
		"not confirmed on " + where + ": no assertion fails there":                               {Verdict: report.Unconfirmed},
		"not confirmed on " + where + ": no assertion fails there in any of 9 executions":        {Verdict: report.Unconfirmed, Executions: 9, Complete: true},
		"not confirmed on " + where + ": no assertion fails in 9 executions, and there are more": {Verdict: report.Unconfirmed, Executions: 9},
		"not tried on " + where: {Verdict: report.Unsaid, Message: "why"},
	} {
		c.Server, c.Level = "PostgreSQL 15.18", "REPEATABLE READ"
		if got := c.Line(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if text := c.Text(); c.Message != "" && !strings.Contains(text, c.Message) {
			t.Errorf("the text lacks %q: %s", c.Message, text)
		}
	}
	if (*report.Confirmation)(nil).Text() != "" {
		t.Error("a violation that was not run on a server has a text")
	}
}

// A replay on a server shows what both have answered, once where it is the same, and the
// difference.
func TestReplayOnServer(t *testing.T) {
	c := &report.Confirmation{
		Server: "PostgreSQL 15.18", Level: "READ COMMITTED", Verdict: report.Diverges,
		Answers: []report.Answered{
			{Step: 1, Session: "ann", Statement: "UPDATE account SET balance = 1", Model: "1 row", Server: "1 row"},
			{Step: 2, Session: "bob", Statement: "UPDATE account SET balance = 2 WHERE id = 1 AND owner = 'somebody with a long name'", Model: "waits for ann", Server: "1 row"},
		},
		Difference: &report.Difference{Session: "bob", Recorded: "UPDATE: waits for ann", RecordedAt: "a.go:7", Now: "UPDATE → 1 row", NowAt: "a.go:7"},
	}
	text := (&report.Text{}).Replay(&report.Replay{Program: "ExploreIt", Iso: "pg-rc", Verdict: c.Verdict, Confirmation: c})
	for _, want := range []string{"   1  ann  UPDATE account SET balance = 1\n           both: 1 row\n", "model: waits for ann\n", "server: 1 row\n", "UPDATE → 1 row"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, " ") && len([]rune(line)) > 81 {
			t.Errorf("a line is too long: %q", line)
		}
	}
}

// A comparison says what both have, or shows what one of them has.
func TestServerComparison(t *testing.T) {
	same := &report.ServerComparison{Program: "ExploreIt", Iso: "pg-rc", Server: "PostgreSQL 15.18", Outcomes: 3, Executions: 8, Complete: true}
	if got := (&report.Text{}).ServerComparison(same); !strings.HasPrefix(got, "same  ExploreIt  iso=pg-rc  3 outcomes on PostgreSQL 15.18 and under the model, 8 executions, complete") {
		t.Error(got)
	}
	same.Complete, same.Stopped = false, "interrupt"
	if got := (&report.Text{}).ServerComparison(same); !strings.HasPrefix(got, "INCOMPLETE") || !strings.Contains(got, "stopped by an interrupt") {
		t.Error(got)
	}
	same.OnlyServer = []report.Outcome{{
		Execution: report.Execution{Schedule: []report.Operation{{Step: 1, Session: "ann", Op: report.OpStatement, Statement: "DELETE FROM a", What: report.StepRan, Result: "1 row"}}},
		Saw:       []report.Assigned{{Key: "ann", Value: "DELETE 1"}},
	}}
	got := (&report.Text{}).ServerComparison(same)
	for _, want := range []string{"DIFFER", "only PostgreSQL 15.18 has this outcome", "DELETE FROM a → 1 row", "ann sees: DELETE 1"} {
		if !strings.Contains(got, want) {
			t.Errorf("the text lacks %q:\n%s", want, got)
		}
	}
}
