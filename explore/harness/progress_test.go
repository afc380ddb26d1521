package harness

import "testing"

// A line says what the level counts: histories of those that were reached, or outcomes in states.
func TestProgressLine(t *testing.T) {
	for iso, want := range map[string]string{
		"si":        "P iso=si  2s  6 histories of 8, 4/s  violations 1",
		"pg-rc":     "P iso=pg-rc  2s  6 outcomes in 20 states, 10/s  violations 1",
		"innodb-rr": "P iso=innodb-rr  2s  6 outcomes in 20 states, 10/s  violations 1",
		"":          "P  preparing",
	} {
		p := Progress{Program: "P", Iso: iso, Seconds: 2, Histories: 6, EndStates: 8, Explored: 20, Violations: 1}
		if got := p.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
