package clotho

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/txmc/txmc/explore/find"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/load"
)

var (
	update = flag.Bool("update", false, "rewrite the golden files")
	long   = flag.Bool("long", false, "run all benchmarks at READ COMMITTED; minutes")
)

// benchmarks are those of CLOTHO's table 2; quick ones are run in each test.
var benchmarks = []struct {
	name  string
	quick bool
}{
	{"smallbank", false}, {"voter", true}, {"tatp", true}, {"twitter", true}, {"wikipedia", false}, {"seats", false}, {"tpcc", false},
}

func look(t *testing.T, name string, level isolation.Level, run bool) *find.Report {
	t.Helper()
	return lookWith(t, name, find.Options{Level: level, Run: run})
}

// lookWith looks at a benchmark with some options.
func lookWith(t *testing.T, name string, o find.Options) *find.Report {
	t.Helper()
	dir, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	o.Config = load.Config{Server: o.Server.Package(), Dir: dir, Temp: t.TempDir(), Cache: load.CacheDir(), Determinism: true}
	o.Length, o.Timeout, o.Stderr = 4, 10*time.Minute, os.Stderr
	r, err := find.Find(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// inWords are the figures of a report, without times.
func inWords(name string, r *find.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %d transactions, %d structures", name, r.Iso, r.Transactions, r.Structures)
	if r.Ran {
		fmt.Fprintf(&b, ", %d confirmed", r.Confirmed)
	}
	b.WriteString("\n")
	for _, f := range r.Findings {
		if f.Rank == find.Ended {
			continue // a deadlock, which CLOTHO's store does not have
		}
		fmt.Fprintf(&b, "  %v: %s\n", f.Rank, strings.Join(f.Invoked, ", "))
	}
	for _, u := range r.Unknown {
		fmt.Fprintf(&b, "  unknown: %s %s\n", u.At, u.What)
	}
	return b.String()
}

// The structures at each level, none at SERIALIZABLE, and the anomalies of the benchmarks
// that are run.
func TestBenchmarks(t *testing.T) {
	for _, b := range benchmarks {
		t.Run(b.name, func(t *testing.T) {
			got := ""
			for _, level := range []isolation.Level{isolation.PgRC, isolation.PgRR, isolation.PgSer} {
				got += inWords(b.name, look(t, b.name, level, level == isolation.PgRC && (b.quick || *long)))
			}
			golden := filepath.Join(b.name, "find.golden")
			if !b.quick && !*long {
				golden = filepath.Join(b.name, "structures.golden")
			}
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}
