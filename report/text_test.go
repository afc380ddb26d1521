package report_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/txmc/txmc/report"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with a file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s: -want +got; go test -update rewrites it\n%s", name, diff)
	}
}

func TestResultLine(t *testing.T) {
	text := &report.Text{Limits: map[string]string{"timeout": "--timeout=1m", "max-histories": "--max-histories=7"}, Qualify: map[string]bool{"ExploreTwice": true}}
	for _, c := range []struct {
		r    report.Result
		want string
	}{
		{report.Result{Program: "ExploreTransfer", Iso: "ser", Histories: 2, EndStates: 3, Complete: true, Seconds: 0.001},
			"ok    ExploreTransfer  iso=ser  2 histories of 3 explored, complete  0.00s\n"},
		{report.Result{Program: "ExploreTransfer", Iso: "si", Histories: 1, EndStates: 1, Complete: true, Seconds: 12.345},
			"ok    ExploreTransfer  iso=si   1 history of 1 explored, complete  12.35s\n"},
		{report.Result{Package: "example.com/b", Program: "ExploreTwice", Iso: "si", Histories: 1, EndStates: 1, Complete: true},
			"ok    example.com/b.ExploreTwice  iso=si   1 history of 1 explored, complete  0.00s\n"},
		{report.Result{Program: "ExploreTransfer", Iso: "si", Histories: 3, EndStates: 4, Violations: 1, Stopped: "violation"},
			"FAIL  ExploreTransfer  iso=si   first violation after 3 histories of 4 explored  0.00s\n"},
		{report.Result{Program: "ExploreTransfer", Iso: "si", Histories: 3, EndStates: 4, Violations: 2, Complete: true},
			"FAIL  ExploreTransfer  iso=si   2 violations in 3 histories of 4 explored, complete  0.00s\n"},
		{report.Result{Program: "ExploreTransfer", Iso: "si", Histories: 3, EndStates: 4, Violations: 2, Stopped: "timeout", Seconds: 60},
			"FAIL  ExploreTransfer  iso=si   2 violations in 3 histories of 4 explored, stopped by --timeout=1m  60.00s\n"},
		{report.Result{Program: "ExploreTransfer", Iso: "cc", Histories: 250000, EndStates: 250000, Stopped: "timeout"},
			"INCOMPLETE  ExploreTransfer  iso=cc  250000 histories, stopped by --timeout=1m: no violation so far, not a proof\n"},
		{report.Result{Program: "ExploreTransfer", Iso: "cc", Histories: 7, EndStates: 7, Stopped: "max-histories"},
			"INCOMPLETE  ExploreTransfer  iso=cc  7 histories, stopped by --max-histories=7: no violation so far, not a proof\n"},
		{report.Result{Program: "ExploreTransfer", Iso: "cc", Histories: 1, EndStates: 1, Stopped: "interrupt"},
			"INCOMPLETE  ExploreTransfer  iso=cc  1 history, stopped by an interrupt: no violation so far, not a proof\n"},
		{report.Result{Program: "ExploreTransfer", Iso: "cc", Stopped: "error"},
			"ERROR  ExploreTransfer  iso=cc  stopped by an error after 0 histories of 0 explored: nothing is proved\n"},
		// What is not known to be complete is never ok.
		{report.Result{Program: "ExploreTransfer", Iso: "cc"},
			"INCOMPLETE  ExploreTransfer  iso=cc  0 histories, stopped (for an unknown reason): no violation so far, not a proof\n"},
	} {
		if diff := cmp.Diff(c.want, text.Result(&c.r)); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	}
}

// violation is one with everything that a report can show.
func violation() *report.Violation {
	return &report.Violation{
		Program: "ExploreTransfer", Iso: "cc",
		Failures: []report.Failure{
			{Kind: "assertion", Name: "transfer", Session: "teller1", Transaction: "teller1/1", Message: "no money", At: "bank.go:41"},
			{Kind: "final", Name: "audit", Session: "final", Transaction: "final/1", Message: "two\nlines", At: "bank.go:52"},
			{Kind: "invariant", Name: "sum", Message: "is 3"},
			{Kind: "panic", Session: "teller2", Message: "panic: boom", At: "bank.go:9", Stack: []string{"bank.f (bank.go:9)", "bank.g (bank.go:10)"}},
		},
		History: report.History{
			Transactions: []report.Transaction{
				{ID: "init", Session: "init", Name: "init", Status: "committed", Events: []report.Event{
					{Op: "write", Key: "alice", Value: 100}, {Op: "write", Key: "list", Value: "[1 2]", Text: "[1 2]"}}},
				{ID: "teller1/1", Session: "teller1", Index: 1, Name: "transfer", Status: "committed", At: "bank.go:40", Events: []report.Event{
					{Op: "read", Key: "alice", Value: 100, From: "init", At: "bank.go:41"},
					{Op: "write", Key: "alice", Value: 30, At: "bank.go:42"},
					{Op: "read", Key: "alice", Value: 30, From: "own", At: "bank.go:43"}}},
				{ID: "teller2/1", Session: "teller2", Index: 1, Name: "transfer", Status: "aborted", Error: "insufficient funds", At: "bank.go:40", Events: []report.Event{
					{Op: "read", Key: "alice", Value: 30, From: "teller1/1", At: "bank.go:41"},
					{Op: "read", Key: "nobody", Value: nil, From: "init", At: "bank.go:41"}}},
				{ID: "teller2/2", Session: "teller2", Index: 2, Name: "", Status: "aborted", Events: []report.Event{}},
			},
			Observations: []report.Observation{
				{Session: "teller1", Name: "start", Value: true, At: "bank.go:39"},
				{Session: "teller1", Name: "seen", Value: 100, At: "bank.go:41", Place: report.Place{After: "teller1/1", Open: true, Events: 1}},
				{Session: "teller1", Name: "receipt", Value: "r<1>", At: "bank.go:44", Place: report.Place{After: "teller1/1"}},
				{Session: "silent", Name: "note", Value: 1.5},
			},
		},
		Order: []string{"init", "teller1/1", "teller2/1", "teller2/2"},
	}
}

func TestViolation(t *testing.T) {
	golden(t, "violation.golden", (&report.Text{}).Violation(violation()))
}

// However long names, values and messages are, a report fits its columns.
func TestViolationWidth(t *testing.T) {
	v := violation()
	long := strings.Repeat("long ", 30)
	v.History.Transactions[1].Name = long
	v.History.Transactions[1].Events[0].Key = long
	v.History.Transactions[2].Error = long + "\n" + long
	v.Failures[0].Message = long
	v.Failures[1].Message = "short\n" + long
	for line := range strings.Lines((&report.Text{}).Violation(v)) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 100 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

func TestListed(t *testing.T) {
	v := violation()
	golden(t, "listed.golden", (&report.Text{}).Listed(3, &report.Listed{Program: "ExploreTransfer", Iso: "cc", History: v.History}))
}

func TestErrorText(t *testing.T) {
	got := (&report.Text{}).Problem(&report.Error{
		Program: "ExploreX", At: "bank.go:12", Session: "a", Message: "it does not return", Stack: []string{"bank.f (bank.go:12)"},
	})
	want := "ExploreX: bank.go:12: session \"a\": it does not return\n    bank.f (bank.go:12)"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
