package deadlinetest

import (
	"fmt"
	"testing"
)

// record is a test that fails or is skipped without an end for the one that looks.
type record struct {
	testing.TB
	failed string
}

func (r *record) Helper()                      {}
func (r *record) Errorf(f string, args ...any) { r.failed = fmt.Sprintf(f, args...) }

// There are as many cases as usual, and more only until there are enough. A test that
// never has enough fails, and one that ends by itself does not.
func TestUntil(t *testing.T) {
	for _, c := range []struct {
		n, enough, end int // cases; enough from this one on; the test ends itself after these
		want           int
		fails          bool
	}{
		{5, 0, 1000, 5, false},
		{5, 5, 1000, 5, false},
		{5, 6, 1000, 6, false},
		{5, 300, 1000, 300, false},
		{5, 750, 1000, 750, false},
		{5, 751, 1000, 750, true},
		{5, 300, 7, 7, false},
		{0, 1, 1000, 1, false},
	} {
		r, got := &record{TB: t}, 0
		for i := range Until(r, c.n, func() bool { return got >= c.enough }) {
			if i != got {
				t.Errorf("case %d is %d", got, i)
			}
			if got++; got == c.end {
				break
			}
		}
		if got != c.want || r.failed != "" != c.fails {
			t.Errorf("%+v: %d cases, %q", c, got, r.failed)
		}
	}
}
