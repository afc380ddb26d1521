package report

import (
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
)

// Another engine is advised to whom it would help.
func TestAdvice(t *testing.T) {
	vain := dpor.Stats{Engine: dpor.Swap, Stopped: dpor.ByTimeout, Histories: 3, EndStates: 31}
	for name, test := range map[string]struct {
		opts   dpor.Options
		change func(*dpor.Stats)
		want   string
	}{
		"stopped":      {dpor.Options{Level: isolation.SER, Base: isolation.CC}, func(*dpor.Stats) {}, "ser forbids 28 of the 31 histories of cc found so far; --engine=auto explores ser alone"},
		"weaker base":  {dpor.Options{Level: isolation.SER, Base: isolation.RA}, func(*dpor.Stats) {}, ""},
		"weaker level": {dpor.Options{Level: isolation.CC, Base: isolation.CC}, func(*dpor.Stats) {}, ""},
		"baseline":     {dpor.Options{Level: isolation.SER, Base: isolation.CC, DFS: true}, func(*dpor.Stats) {}, ""},
		"worth it":     {dpor.Options{Level: isolation.SI, Base: isolation.CC}, func(s *dpor.Stats) { s.Histories = 4 }, ""},
		"serial":       {dpor.Options{Level: isolation.SI, Base: isolation.CC}, func(s *dpor.Stats) { s.Engine = dpor.Serial }, ""},
		"a violation":  {dpor.Options{Level: isolation.SI, Base: isolation.CC}, func(s *dpor.Stats) { s.Stopped = dpor.ByViolation }, ""},
		"complete":     {dpor.Options{Level: isolation.SI, Base: isolation.CC}, func(s *dpor.Stats) { s.Complete = true }, ""},
	} {
		st := vain
		test.change(&st)
		if got := (Source{Options: test.opts}).advice(st); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
