package bench

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/txmc/txmc/bench/client"
	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares text with the golden file, or rewrites it.
func golden(t *testing.T, file, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v: run the test with -update", err)
	}
	if text == string(want) {
		return
	}
	was := strings.Split(string(want), "\n")
	for i, line := range strings.Split(text, "\n") {
		if i >= len(was) || line != was[i] {
			t.Errorf("%s:%d: got %q", file, i+1, line)
		}
	}
	t.Errorf("%s is not what the test gives: see above, and run it with -update if that is right", file)
}

// limit is how many histories a level may have for its count to be golden.
const limit = 10_000

// counts lists a program's histories by level; "-" where there are more than limit
// histories, or more than that to filter.
func counts(t *testing.T, p *client.Program) string {
	c, err := program.NewClient(p.Name, p.Explore, program.Options{})
	if err != nil {
		t.Fatal(err)
	}
	count := func(level isolation.Level) string {
		x := dpor.Explore(context.Background(), c, dpor.Options{Level: level, Base: level.Base(), All: true, MaxHistories: limit})
		for _, err := range x.Histories() {
			if err != nil {
				t.Fatal(err)
			}
		}
		if s := x.Stats(); s.Complete {
			return fmt.Sprint(s.Histories)
		}
		return "-"
	}
	columns := []string{fmt.Sprintf("%-12s %-9s", p.App.Name, p.Name)}
	cell := map[isolation.Level]string{}
	for _, level := range []isolation.Level{isolation.CC, isolation.PC, isolation.SI, isolation.SER, isolation.RA, isolation.RC} {
		cell[level] = "-"
		many := level == isolation.RC && cell[isolation.RA] == "-" || level != isolation.CC && cell[isolation.CC] == "-"
		if !many {
			cell[level] = count(level)
		}
	}
	for _, level := range isolation.Levels() {
		columns = append(columns, fmt.Sprintf("%8s", cell[level]))
	}
	return strings.Join(columns, " ") + "\n"
}

const header = "# complete histories by level; - where there are more than can be counted here\n" +
	"# client                     rc       ra       cc       pc       si      ser\n"

// TestOwnClients counts the histories of the project's own clients.
func TestOwnClients(t *testing.T) {
	programs, err := Load(Own(), Apps())
	if err != nil {
		t.Fatal(err)
	}
	if len(programs) != 25 {
		t.Errorf("%d clients, want 25", len(programs))
	}
	text := header
	for _, p := range programs {
		text += counts(t, p)
	}
	golden(t, "testdata/clients.golden", text)
}

// TestScalingClients counts those of the scaling experiments, the first of each
// size.
func TestScalingClients(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	text := header
	for _, kind := range []string{Sessions, Transactions} {
		programs, err := scaled(kind, Apps())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range programs {
			for n := 2; n <= 3; n++ {
				q := cut(p, n, 3)
				if kind == Transactions {
					q = cut(p, 3, n)
				}
				text += counts(t, q)
			}
		}
	}
	golden(t, "testdata/scaling.golden", text)
}
