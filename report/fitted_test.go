package report

import (
	"slices"
	"strings"
	"testing"
)

// The column that is to be kept is cut when the others are narrow, and not before;
// what is cut comes back in full.
func TestFitted(t *testing.T) {
	op, from, name := strings.Repeat("o", 60), strings.Repeat("f", 40), strings.Repeat("n", 60)
	text, cut := fitted([][]string{{"operation", "from"}, {op, from}}, 0)
	if !strings.Contains(text, op) || !slices.Equal(cut, []string{from}) {
		t.Errorf("cut %q of\n%s", cut, text)
	}
	text, cut = fitted([][]string{{"name", "operation", "from"}, {name, op + op, from}}, 1)
	if !slices.Equal(cut, []string{name, op + op, from}) {
		t.Errorf("cut %q of\n%s", cut, text)
	}
	for line := range strings.Lines(text) {
		if n := cells(strings.TrimRight(line, "\n")); n > width {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if want := "  " + name[:narrow-1] + "…  oo"; !strings.Contains(text, want) {
		t.Errorf("the first column is not as narrow as can be:\n%s", text)
	}
}
