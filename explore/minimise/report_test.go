package minimise_test

import (
	"fmt"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/explore/minimise"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
)

// A report names everything that is irrelevant, and what is known at
// serializability where the history shown is not serializable.
func TestReport(t *testing.T) {
	always := func(p *program.Program) {
		bystanders(p)
		p.Invariant("never", func(*program.Outcome) error { return fmt.Errorf("not even in a serial execution") })
	}
	for name, test := range map[string]struct {
		explore    func(*program.Program)
		iso        isolation.Level
		irrelevant string
		atSER      string
	}{
		"isolation is the cause":  {bystanders, isolation.CC, "[reader a/1]", "holds"},
		"weaker":                  {bystanders, isolation.RC, "[reader a/1]", "holds"},
		"isolation is not at all": {always, isolation.SER, "[reader a b]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			opts := dpor.Options{Level: test.iso, Base: test.iso.Base(), Workers: 1}
			c := client(t, test.explore)
			src := report.Source{Package: "example.com/it", Program: c.Name, Level: opts.Level, Names: c}
			first := violations(t, c, opts)[0]
			v := minimise.Report(t.Context(), src, c, opts, first)
			parts := []string{}
			for _, p := range v.Irrelevant {
				if p.Transaction != "" {
					parts = append(parts, p.Transaction)
				} else {
					parts = append(parts, p.Session)
				}
			}
			if got := fmt.Sprint(parts); got != test.irrelevant {
				t.Errorf("irrelevant are %s, want %s", got, test.irrelevant)
			}
			if v.AtSER != test.atSER {
				t.Errorf("at ser %q, want %q", v.AtSER, test.atSER)
			}
			if serial := v.Explanation.ForbiddenBy == ""; serial != (test.iso == isolation.SER) {
				t.Errorf("the history shown is serializable: %v", serial)
			}
		})
	}
}
