package report_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/txmc/txmc/report"
)

func TestDOT(t *testing.T) {
	golden(t, "violation.dot", (&report.DOT{}).Violation(explained()))
}

// executed is a violation under a database's model: bob waits for ann, and fails.
func executed() *report.Violation {
	step := func(n int, who, what, op string) report.Operation {
		return report.Operation{Step: n, Session: who, Transaction: who + "/1", Name: "count", What: what, Op: op, At: "count.go:7"}
	}
	v := &report.Violation{
		Type: report.TypeViolation, Schema: report.Schema, Package: "example.com/count", Program: "ExploreCount", Iso: "pg-rr",
		Failures:  []report.Failure{{Kind: "final", Name: "both count", Message: "n is 1", At: "count.go:9"}},
		Selection: report.Selection{AtSerial: "holds", AtSER: "fails", ErrorsAtSER: []string{"40001"}},
	}
	first, waits, fails := step(1, "ann", report.StepRan, report.OpUpdate), step(2, "bob", report.StepWaits, report.OpUpdate), step(3, "bob", report.StepGoesOn, report.OpUpdate)
	first.Key, first.Value, first.Found = "n", "1", "0"
	waits.Key, waits.Value, waits.For = "n", "1", []string{"ann"}
	fails.Key, fails.After, fails.Error, fails.Message = "n", "ann's commit", "40001", "could not serialize access"
	v.Schedule = []report.Operation{first, waits, step(3, "ann", report.StepRan, report.OpCommit), fails, step(3, "bob", report.StepRan, report.OpRollback)}
	v.Left = []report.Assigned{{Key: "n", Value: "1"}}
	return v
}

func TestDOTExecution(t *testing.T) {
	golden(t, "execution.dot", (&report.DOT{}).Violation(executed()))
}

func TestExecution(t *testing.T) {
	text := &report.Text{}
	golden(t, "execution.golden", text.Violation(executed()))
	prevented, notMine := executed(), executed()
	prevented.AtSER = "holds"
	notMine.AtSerial = "fails"
	for want, v := range map[string]*report.Violation{"  SERIALIZABLE prevents this: there code has to expect 40001\n": prevented, "  isolation is not the cause: ": notMine} {
		if got := text.Violation(v); !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

// A page shows the rows of an execution in the order of its steps.
func TestToldExecution(t *testing.T) {
	told := executed().StepTable()
	var rows []string
	for _, r := range told.Rows {
		rows = append(rows, fmt.Sprint(r.Step, " ", r.Session, " ", r.Kind, ": ", r.Text))
	}
	want := []string{
		"1 ann ran: update n = 1, finds 0", "2 bob waits: update n = 1: waits for ann", "3 ann commit: commit",
		"3 bob goes on: update n goes on after ann's commit and fails: could not serialize access (40001)", "3 bob abort: rollback",
	}
	if diff := cmp.Diff(want, rows); diff != "" || told.Steps != 3 || told.Title != "PostgreSQL REPEATABLE READ" {
		t.Errorf("%+v\n%s", told, diff)
	}
}

// Graphviz reads what is written, whatever names there are, and draws the cycle.
func TestDOTRenders(t *testing.T) {
	dot, err := exec.LookPath("dot")
	if err != nil {
		t.Skip("dot is not installed: install Graphviz to have its output checked")
	}
	strange := violation()
	strange.History.Transactions[1].Name = "a \"b\" \\n {c|d} <e>\n\\"
	strange.History.Transactions[1].Events[0].Key = "\\"
	d := &report.DOT{}
	source := d.Result(&report.Result{Program: "ExploreTransfer", Iso: "cc", Violations: 2}) + d.Violation(explained()) + d.Violation(strange) + d.Violation(executed())
	cmd := exec.Command(dot, "-Tsvg")
	cmd.Stdin = strings.NewReader(source)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil || errs.Len() > 0 {
		t.Fatalf("dot: %v\n%s\n%s", err, &errs, source)
	}
	if n := strings.Count(out.String(), "</svg>"); n != 3 {
		t.Errorf("%d drawings, want 3", n)
	}
	if n := strings.Count(out.String(), `stroke-width="3"`); n < 2 {
		t.Errorf("%d thick lines, want those of the cycle's 2 edges", n)
	}
}
