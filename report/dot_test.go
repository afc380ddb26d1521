package report_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/txmc/txmc/report"
)

func TestDOT(t *testing.T) {
	golden(t, "violation.dot", (&report.DOT{}).Violation(explained()))
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
	source := d.Result(&report.Result{Program: "ExploreTransfer", Iso: "cc", Violations: 2}) + d.Violation(explained()) + d.Violation(strange)
	cmd := exec.Command(dot, "-Tsvg")
	cmd.Stdin = strings.NewReader(source)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil || errs.Len() > 0 {
		t.Fatalf("dot: %v\n%s\n%s", err, &errs, source)
	}
	if n := strings.Count(out.String(), "</svg>"); n != 2 {
		t.Errorf("%d drawings, want 2", n)
	}
	if n := strings.Count(out.String(), `stroke-width="3"`); n < 2 {
		t.Errorf("%d thick lines, want those of the cycle's 2 edges", n)
	}
}
