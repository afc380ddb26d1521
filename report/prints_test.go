package report_test

import (
	"strings"
	"testing"

	"github.com/txmc/txmc/report"
)

// What a session prints stands below its operation, or above its first one; what is left out prints nothing.
func TestPrints(t *testing.T) {
	t.Parallel()
	op := func(step int, session string) report.Operation {
		return report.Operation{Step: step, Session: session, Transaction: session + "/1", Name: "t", What: report.StepRan, Op: report.OpCommit}
	}
	v := &report.Violation{Iso: "pg-rc", Failures: []report.Failure{{Kind: "final", Name: "f", Session: "final", Message: "no"}}}
	v.Irrelevant = []report.Part{{Session: "c"}}
	v.Schedule = []report.Operation{op(1, "a"), op(2, "b"), op(3, "c")}
	v.Printed = []report.Printed{
		{Session: "a", Text: "before\x1b[0m all\n"}, {Session: "a", Text: "\r\none\n\ntwo\tx\nthree\nfour\n", Operations: 1}, {Session: "b", Text: "hello", Operations: 1},
		{Session: "b", Text: strings.Repeat("l\n", 9), Operations: 2}, {Session: "c", Text: "nothing", Operations: 3},
	}
	var got []string
	for line := range strings.Lines((&report.Text{}).Violation(v)) {
		if strings.Contains(line, "prints") || strings.Contains(line, "commit") {
			got = append(got, strings.Join(strings.Fields(line), " "))
		}
	}
	want := []string{"a prints before all", "1 a t commit", "prints one", "prints two x", "prints three", "prints four", "b prints hello", "2 b t commit",
		"prints l", "prints l", "prints l", "prints 6 lines more"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	rows := 0
	for _, r := range v.StepTable().Rows {
		if r.Kind == "prints" {
			rows++
		}
	}
	if rows != len(v.Printed) {
		t.Errorf("a page has %d rows of what is printed", rows)
	}
}
