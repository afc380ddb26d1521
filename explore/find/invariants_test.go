package find

import (
	"go/token"
	"go/types"
	"slices"
	"testing"

	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/explore/find/configure"
	"github.com/txmc/txmc/explore/find/generate"
	"github.com/txmc/txmc/explore/find/source"
	"github.com/txmc/txmc/report"
)

// An invariant counts as broken where a run that is not serializable breaks it, and no
// serializable run does. The anomaly is then the worst.
func TestInvariants(t *testing.T) {
	program := &source.Program{}
	for _, name := range []string{"InvariantA", "InvariantB", "InvariantC"} {
		program.Invariants = append(program.Invariants, types.NewFunc(token.NoPos, nil, name, types.NewSignatureType(nil, nil, nil, nil, nil, false)))
	}
	r := &runner{finding: &finding{program: program}}
	run := func(steps int, failures ...report.Failure) *report.Violation {
		return &report.Violation{Failures: failures, Execution: report.Execution{Schedule: make([]report.Operation, steps)}}
	}
	skew := report.Failure{Name: "serializable", Message: states.NotLeft}
	broken := func(lines string) report.Failure { return report.Failure{Name: generate.Invariants, Message: lines} }
	for _, row := range []struct {
		what string
		runs []*report.Violation
		rank Rank
		want []string
		len  int // of the run that is reported
	}{
		{"none", []*report.Violation{run(3, skew)}, DataLost, nil, 3},
		{"two, of which serial runs break one", []*report.Violation{
			run(3, skew), run(5, skew, broken("InvariantA: a\nInvariantB: b")), run(2, broken("InvariantB: b")), run(4, skew, broken("InvariantA: a")),
		}, Broken, []string{"InvariantA"}, 4},
		{"one that serial runs break", []*report.Violation{run(2, broken("InvariantC: c")), run(3, skew, broken("InvariantC: c"))}, DataLost, nil, 3},
	} {
		p := &plan{config: &configure.Config{}, outcomes: outcomes{broken: map[string]*Finding{}, anyway: map[string]bool{}}}
		for _, v := range row.runs {
			r.receive(p, v)
		}
		r.settle(p)
		if p.found == nil || p.found.Rank != row.rank || !slices.Equal(p.found.Invariants, row.want) || len(p.found.Violation.Schedule) != row.len {
			t.Errorf("%s: %+v", row.what, p.found)
		}
	}
	p := &plan{config: &configure.Config{}, outcomes: outcomes{broken: map[string]*Finding{}, anyway: map[string]bool{}}}
	if r.receive(p, run(1, broken("InvariantA: a"))); p.found != nil {
		t.Error("a serializable run that breaks an invariant is no anomaly")
	}
}
