package cluster

import (
	"io"
	"strings"
	"testing"
)

// What a process has printed is told from the words of Go's runtime on, however long the dump
// of its goroutines is, or else its end.
func TestPrinted(t *testing.T) {
	t.Parallel()
	dump := strings.Repeat("goroutine 7 [running]:\n", 8_000)
	for _, row := range []struct{ printed, begins, ends string }{
		{"", "", ""},
		{"out of luck\n", "out of luck", "out of luck"},
		{"noise\npanic: no\n\n" + dump, "panic: no\n\ngoroutine 7", ""},
		{"panic: first\n\nfatal error: all goroutines are asleep\n" + dump, "panic: first", ""},
		{strings.Repeat("noise\n", 200_000) + "no panic: here\nthe end\n", "", "no panic: here\nthe end"},
		{"SIGSEGV: segmentation violation\nPC=0x0\n", "SIGSEGV", "PC=0x0"},
	} {
		p := &printed{to: io.Discard}
		for rest := row.printed; rest != ""; {
			n := min(len(rest), 1_000)
			p.Write([]byte(rest[:n]))
			rest = rest[n:]
		}
		got := p.text()
		if !strings.HasPrefix(got, row.begins) || !strings.HasSuffix(got, row.ends) || len(got) > mostSaid || row.printed != "" && got == "" {
			t.Errorf("%.40q: %.100q", row.printed, got)
		}
		if len(p.last) > 2*mostKept {
			t.Errorf("%.40q: %d bytes are kept", row.printed, len(p.last))
		}
	}
}
