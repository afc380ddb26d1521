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
	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

var (
	update = flag.Bool("update", false, "rewrite the golden files")
	long   = flag.Bool("long", false, "also count what has too many histories, to see that it has")
)

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

// uncounted are the cells of a golden file that say "-", by line and level. They are
// counted again only with -update and -long: most of the time goes there.
type uncounted []map[isolation.Level]bool

func readUncounted(t *testing.T, file string) (dashes uncounted) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !*update {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		cells := strings.Fields(line)
		if *update || *long || cells[0] == "#" {
			continue
		}
		of := map[isolation.Level]bool{}
		for i, level := range isolation.Levels() {
			of[level] = cells[2+i] == "-"
		}
		dashes = append(dashes, of)
	}
	return dashes
}

// at returns those of a line; none behind the last.
func (u uncounted) at(line int) map[isolation.Level]bool {
	if line < len(u) {
		return u[line]
	}
	return nil
}

// counts lists a program's histories by level. It writes "-" where there are more than
// limit histories, or more than that to filter, or where they are not to be counted.
func counts(t *testing.T, p *client.Program, uncounted map[isolation.Level]bool) string {
	c, err := program.NewClient(p.Name, p.Explore, program.Options{Recheck: sqltest.Recheck(t)})
	if err != nil {
		t.Fatal(err)
	}
	count := func(level isolation.Level) string {
		x := dpor.Explore(context.Background(), c, dpor.Options{Level: level, Base: level.Base(), All: true, Scope: dpor.Scope{MaxHistories: limit}})
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
		if !many && !uncounted[level] {
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
	t.Parallel()
	programs, err := Load(Own(), Apps())
	if err != nil {
		t.Fatal(err)
	}
	if len(programs) != 25 {
		t.Errorf("%d clients, want 25", len(programs))
	}
	const file = "testdata/clients.golden"
	text, dashes := header, readUncounted(t, file)
	for i, p := range programs {
		text += counts(t, p, dashes.at(i))
	}
	golden(t, file, text)
}

// TestScalingClients counts those of the scaling experiments, the first of each
// size.
func TestScalingClients(t *testing.T) {
	t.Parallel()
	if testing.Short() || !*long {
		t.Skip("-long counts clients of growing sizes")
	}
	const file = "testdata/scaling.golden"
	text, dashes, line := header, readUncounted(t, file), 0
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
				text += counts(t, q, dashes.at(line))
				line++
			}
		}
	}
	golden(t, file, text)
}
