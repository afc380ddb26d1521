package report_test

import (
	"strings"
	"testing"

	"github.com/txmc/txmc/report"
)

// TestFreeComparison: the first line says what became of the runs; an outcome that the model lacks
// is shown with what differs from its nearest one, and with the command that begins there.
func TestFreeComparison(t *testing.T) {
	c := report.FreeComparison{Package: "p", Program: "ExploreX", Iso: "pg-rc", Server: "PostgreSQL 15.18", Runs: 7, Outcomes: 2, Model: 3, TimedOut: 1, Complete: true}
	outside := c
	outside.Outside = []report.Outside{{
		Outcome: report.Outcome{Saw: []report.Assigned{{Key: "a", Value: "SELECT 1"}}}, Runs: 1, Seed: 5,
		Differs: []report.Different{{What: "a, answer 1", Model: "SELECT 0", Server: "SELECT 1"}}, Again: "txmc explore p --seed=5",
	}}
	stopped := c
	stopped.Complete, stopped.Unknown, stopped.Stopped = false, 2, "timeout"
	for _, test := range []struct {
		c    report.FreeComparison
		want []string
	}{
		{c, []string{"inside  ", "7 runs on PostgreSQL 15.18 gave 2 of the model's 3 outcomes, 1 ended by a time limit, and no other"}},
		{outside, []string{"OUTSIDE  ", "1 outcome of 7 runs", "which has 3", "in 1 run;", "a sees: SELECT 1", "a, answer 1  SELECT 0  SELECT 1", "again: txmc explore p --seed=5"}},
		{report.FreeComparison{Package: "p", Program: "ExploreX", Iso: "pg-rc", Stopped: "interrupt"}, []string{"INCOMPLETE  ExploreX  iso=pg-rc  not explored: interrupted before\n"}},
		{stopped, []string{"INCOMPLETE  ", "and 2 of which it is not known whether it has them", "timeout"}},
	} {
		text := (&report.Text{}).FreeComparison(&test.c)
		for _, want := range test.want {
			if !strings.Contains(text, want) {
				t.Errorf("%q is missing:\n%s", want, text)
			}
		}
	}
}
