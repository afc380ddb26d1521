package harness

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// The first lines are shown, in whatever parts they come, and so is the end of a process.
func TestFirst(t *testing.T) {
	lines := func(from, to int) string {
		var b strings.Builder
		for i := from; i < to; i++ {
			fmt.Fprintf(&b, "line %d %s\n", i, strings.Repeat("x", i%100))
		}
		return b.String()
	}
	note := func(n int) string {
		return fmt.Sprintf("txmc: %d more lines that the program has printed are left out; --verbose shows all\n", n)
	}
	for name, x := range map[string]struct {
		most     int
		in, want string
	}{
		"all":      {0, lines(0, 300), lines(0, 300)},
		"few":      {5, lines(0, 5), lines(0, 5)},
		"open":     {5, lines(0, 4) + "abc", lines(0, 4) + "abc"},
		"one more": {5, lines(0, 5) + "abc", lines(0, 5) + strings.Replace(note(1), "lines that", "line that", 1)},
		"more":     {5, lines(0, 300), lines(0, 5) + note(295)},
		"txmc":     {5, lines(0, 100) + "txmc: a word\n" + lines(0, 10), lines(0, 5) + "txmc: a word\n" + note(105)},
		"panic":    {5, lines(0, 100) + "panic: no\n\ngoroutine 1:\n" + lines(0, 10), lines(0, 5) + "panic: no\n\ngoroutine 1:\n" + lines(0, 10) + note(95)},
		"early":    {5, "fatal error: all goroutines are asleep\n" + lines(0, 10), "fatal error: all goroutines are asleep\n" + lines(0, 10)},
	} {
		for seed := range uint64(50) {
			r := rand.New(rand.NewPCG(seed, 1))
			var b strings.Builder
			f := &First{To: &b, Most: x.most}
			for in := []byte(x.in); len(in) > 0; {
				n := min(1+r.IntN(1+int(seed)*5), len(in))
				if wrote, err := f.Write(in[:n]); wrote != n || err != nil {
					t.Fatal(wrote, err)
				}
				in = in[n:]
			}
			if err := f.Close(); err != nil || b.String() != x.want {
				t.Fatalf("%s, seed %d: %v\n%s\nwant\n%s", name, seed, err, b.String(), x.want)
			}
		}
	}
	if n, err := (&First{To: broken{}, Most: 1}).Write([]byte("x")); n != 0 || err == nil {
		t.Error(n, err)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken") }
