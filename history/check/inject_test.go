package check_test

import (
	"testing"

	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/anomaly"
)

// An anomaly in the midst of a serializable workload is found at the levels that
// forbid it and only there, and what is shown of it is it and nothing else.
func TestInjected(t *testing.T) {
	t.Parallel()
	s := store{8, 60, 6, 200, 0.5, isolation.SER}
	txns := s.run(3)
	for name, c := range map[string]struct {
		txns      []string
		strongest isolation.Level
	}{
		"nothing":                   {nil, isolation.SER},
		"lost update":               {[]string{"1 rx0 wx1", "2 rx0 wx2"}, isolation.PC},
		"write skew":                {[]string{"1 rx0 ry0 wx1", "2 rx0 ry0 wy2"}, isolation.SI},
		"long fork":                 {[]string{"1 wx1", "2 wy1", "3 rx1 ry0", "4 ry1 rx0"}, isolation.CC},
		"causality violation":       {[]string{"1 wx1", "2 rx1 wy1", "3 ry1 rx0"}, isolation.RA},
		"fractured read":            {[]string{"1 wx1 wy1", "2 ry0 rx1"}, isolation.RC},
		"non-monotonic read":        {[]string{"1 wx1", "2 rx1 rx0"}, isolation.True},
		"circular information flow": {[]string{"1 rx1 wy1", "2 ry1 wx1"}, isolation.True},
		"dirty read":                {[]string{"1! wx1", "2 rx1"}, isolation.True},
		"lost write":                {[]string{"1 wx1", "2 rx1 wx2", "3 rx2", "4 rx1 wx3"}, isolation.PC},
		"stale read":                {[]string{"1 wx1", "1 rx0"}, isolation.RC},
	} {
		for _, l := range isolation.Levels() {
			r := s.record(txns[:len(txns)/2])
			first := into(r, 100, c.txns)
			rest(r, s, txns[len(txns)/2:])
			v := decide(t, r, l, check.Options{})
			if (v.Outcome == check.Satisfied) != (l <= c.strongest) || v.Outcome == check.Undecided {
				t.Errorf("%s, %v: %v", name, l, v.Outcome)
			}
			if v.Violation == nil {
				continue
			}
			for _, u := range v.Violation.Txns[1:] {
				if u < first || u >= first+len(c.txns) {
					t.Errorf("%s, %v: shown by %v", name, l, v.Violation.Txns)
				}
			}
			if got := anomaly.Explain(v.Violation.History).Anomaly.Name; l == c.strongest+1 && name != "lost write" && name != "stale read" && got != name {
				t.Errorf("%s, %v: called %s", name, l, got)
			}
		}
	}
}

// into adds transactions, see parse, with sessions from base on.
func into(r *check.Recording, base int, txns []string) int {
	first := -1
	for _, line := range txns {
		if n := add(r, base, line); first < 0 {
			first = n
		}
	}
	return first
}

func rest(r *check.Recording, s store, txns []storeTxn) {
	for _, t := range txns {
		s.add(r, t)
	}
}
