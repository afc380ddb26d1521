package report

import (
	"fmt"
	"strings"
	"testing"
)

// Operations of irrelevant sessions behind all others are counted where they are many, and
// shown where they are few or another session's come after them.
func TestBystanders(t *testing.T) {
	schedule := func(sessions ...string) (list []Operation) {
		for i, s := range sessions {
			list = append(list, Operation{Step: i + 1, Session: s, Transaction: s, What: StepRan, Op: "commit"})
		}
		return list
	}
	others := func(n int) []string { return strings.Fields(strings.Repeat("idle ", n)) }
	for name, test := range map[string]struct {
		sessions []string
		shown    int
	}{
		"many":        {append([]string{"idle", "a", "b"}, others(11)...), 3},
		"few":         {append([]string{"a", "b"}, others(10)...), 12},
		"in between":  {append(others(11), "a", "b"), 13},
		"none at all": {[]string{"a", "b"}, 2},
	} {
		v := &Violation{Iso: "pg-rc", Execution: Execution{Schedule: schedule(test.sessions...)}, Selection: Selection{Irrelevant: []Part{{Session: "idle"}}}}
		text := new(Text).executed(v)
		if rows := strings.Count(text, "commit"); rows != test.shown {
			t.Errorf("%s: %d operations are shown, want %d\n%s", name, rows, test.shown, text)
		}
		rest, line := len(test.sessions)-test.shown, "operations of sessions that are irrelevant"
		if rest > 0 && !strings.Contains(text, fmt.Sprintf("… and %d %s", rest, line)) || rest == 0 && strings.Contains(text, line) {
			t.Errorf("%s: %s", name, text)
		}
	}
}
