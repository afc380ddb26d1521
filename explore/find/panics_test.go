package find

import (
	"strings"
	"testing"

	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/explore/find/configure"
	"github.com/txmc/txmc/explore/find/source"
	"github.com/txmc/txmc/report"
)

// panicked is a run in which a call panics, of sessions in some order.
func panicked(text, sessions string) *report.Violation {
	v := &report.Violation{Failures: []report.Failure{{Kind: "panic", Message: text}}}
	for _, name := range strings.Fields(sessions) {
		v.Schedule = append(v.Schedule, report.Operation{Session: name})
	}
	return v
}

// A panic counts where no serial run has it, whichever of the runs comes first.
func TestPanics(t *testing.T) {
	unserial := func(sessions string) *report.Violation {
		v := panicked("panic: boom", sessions)
		v.Failures = append(v.Failures, report.Failure{Kind: "invariant", Message: states.NotSeen})
		return v
	}
	for _, c := range []struct {
		name  string
		runs  []*report.Violation
		found bool
	}{
		{"of calls that meet", []*report.Violation{panicked("panic: boom", "a b a")}, true},
		{"of one call", []*report.Violation{panicked("panic: boom", "a a b")}, false},
		{"of none", []*report.Violation{panicked("panic: boom", "")}, false},
		{"a serial one first", []*report.Violation{panicked("panic: boom", "a b"), panicked("panic: boom", "a b a")}, false},
		{"a serial one last", []*report.Violation{panicked("panic: boom", "a b a"), panicked("panic: boom", "a b")}, false},
		{"another one", []*report.Violation{panicked("panic: boom", "a b"), panicked("panic: bang", "a b a")}, true},
		{"an outcome of no serial order", []*report.Violation{unserial("a b")}, true},
	} {
		r, p := &runner{finding: &finding{program: &source.Program{}}}, newPlan(&configure.Config{}, false)
		for _, v := range c.runs {
			r.receive(p, v)
		}
		if (p.found != nil) != c.found {
			t.Errorf("%s: found %v", c.name, p.found != nil)
		}
		if p.found == nil && p.missed() != "a call panics, in a serial order too: panic: boom" {
			t.Errorf("%s: %s", c.name, p.missed())
		}
	}
}
