package postgres

import (
	"fmt"
	"testing"
)

// TestCounts pins, for the contended programs, the interleavings, the executions
// without reduction where they are few, the states and the outcomes.
func TestCounts(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"2x1x6 rc":  "112 executions, 86 states, 6 outcomes",
		"2x1x6 rr":  "112 executions, 66 states, 6 outcomes",
		"2x1x6 ser": "112 executions, 66 states, 6 outcomes",
		"3x1x4 rc":  "897 states, 61 outcomes",
		"3x1x4 rr":  "384 states, 34 outcomes",
		"3x1x4 ser": "445 states, 34 outcomes",
		"3x1x6 rc":  "1355 states, 61 outcomes",
		"3x1x6 rr":  "554 states, 34 outcomes",
		"3x1x6 ser": "653 states, 34 outcomes",
		"4x1x4 rc":  "23428 states, 1256 outcomes",
		"4x1x4 rr":  "4220 states, 296 outcomes",
		"4x1x4 ser": "5664 states, 296 outcomes",
	}
	for _, size := range shapes[:4] {
		for _, level := range levels[:3] {
			name := fmt.Sprintf("%v %s", size, level)
			p := contended(size, level)
			x := exploreReduced(t, p, false, false, true)
			got := fmt.Sprintf("%d states, %d outcomes", len(x.seen), len(x.outcomes))
			if p.Interleavings() < 10_000 {
				got = fmt.Sprintf("%d executions, %s", exploreAll(t, p, false).executions, got)
			}
			if got != want[name] {
				t.Errorf("%s: got %s, want %s", name, got, want[name])
			}
		}
	}
}
