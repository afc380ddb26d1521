package terminal

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

// On a terminal of any width the line fits, and no new line is begun.
func TestBarFits(t *testing.T) {
	t.Parallel()
	for _, columns := range []int{0, 4, 20, 40, 80, 200} {
		var b bytes.Buffer
		bar := on(&b, func() int { return columns })
		bar.Show("ExploreTransfer iso=si  1.2s  1 histories of 2, 1/s  violations 0")
		bar.Show("ExploreTransfer iso=si  1.4s  2 histories of 3, 1/s  violations 0")
		bar.Clear()
		if strings.Contains(b.String(), "\n") {
			t.Errorf("%d columns: a new line in %q", columns, &b)
		}
		for part := range strings.SplitSeq(b.String(), "\r") {
			if n := utf8.RuneCountInString(part); n >= max(columns, beside) {
				t.Errorf("%d columns: %d in %q", columns, n, part)
			}
		}
		if columns == 80 && !strings.Contains(b.String(), "2 histories of 3, 1/s  violations 0") {
			t.Errorf("%d columns: %q", columns, &b)
		}
	}
}

// Without a terminal there is no line, and nothing between a process and its output.
func TestNoBar(t *testing.T) {
	t.Parallel()
	var bar *Bar
	bar.Show("x")
	bar.Clear()
	if bar.Beside(io.Discard) != io.Discard {
		t.Error("a writer of its own")
	}
}
