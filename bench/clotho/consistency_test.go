package clotho

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/driver"
	"github.com/txmc/txmc/explore/find"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/load"
)

// consistent looks for anomalies of one of TPC-C's packages. An anomaly begins with rows on which
// all consistency conditions of TPC-C hold. consistent keeps the programs that show anomalies in
// a directory.
func consistent(t *testing.T, name string, level isolation.Level, out string) *find.Report {
	t.Helper()
	dir, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := find.Find(t.Context(), find.Options{
		Config: load.Config{Dir: dir, Temp: t.TempDir(), Cache: load.CacheDir(), Determinism: true},
		Level:  level, Extent: find.Extent{Length: 4, Calls: 3}, Run: true, Execution: find.Execution{Timeout: 10 * time.Minute, Out: out}, Printing: find.Printing{Stderr: os.Stderr},
		Initial: find.Initial{Schema: []string{filepath.Join(dir, "schema.sql")}, Seed: []string{filepath.Join(dir, "seed.sql")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// brokenIn says of each of the twelve conditions by which anomalies it is broken.
func brokenIn(r *find.Report) string {
	var b strings.Builder
	for i := range 12 {
		var by []string
		for _, f := range r.Findings {
			if slices.Contains(f.Invariants, fmt.Sprintf("Invariant%d", i+1)) {
				by = append(by, strings.Join(f.Invoked, " with "))
			}
		}
		fmt.Fprintf(&b, "%s %d: %s\n", r.Iso, i+1, strings.Join(by, "; "))
	}
	return strings.ReplaceAll(b.String(), ": \n", ": kept\n")
}

// Which of TPC-C's consistency conditions anomalies break at each level. The calls that break
// some at READ COMMITTED break none at SERIALIZABLE.
func TestConsistency(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds programs and explores them")
	}
	for _, name := range []string{"tpcc", "tpccsave"} {
		t.Run(name, func(t *testing.T) { conditions(t, name) })
	}
}

func conditions(t *testing.T, name string) {
	out, err := os.MkdirTemp(name, "kept")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(out)
	got := brokenIn(consistent(t, name, isolation.PgRC, out)) + brokenIn(consistent(t, name, isolation.PgRR, ""))
	golden := filepath.Join(name, "consistency.golden")
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
	for level, want := range map[isolation.Level]driver.Status{isolation.PgRC: driver.Violation, isolation.PgSer: driver.OK} {
		if status := exploreKept(t, out, level); status != want {
			t.Errorf("%v: the kept programs end with status %d, not %d", level, status, want)
		}
	}
}

// exploreKept explores the programs in a directory.
func exploreKept(t *testing.T, dir string, level isolation.Level) driver.Status {
	t.Helper()
	o := explore.Defaults()
	o.Levels = []isolation.Level{level}
	printed, err := os.Create(filepath.Join(t.TempDir(), "printed"))
	if err != nil {
		t.Fatal(err)
	}
	defer printed.Close()
	status := driver.Run(driver.Config{
		Options: driver.Options{Options: o, Packages: []string{"./" + filepath.ToSlash(dir)}, Determinism: "on"}, Format: "text", Vet: driver.VetOff,
	}, driver.Process{Stdout: printed, Stderr: printed, Soft: t.Context(), Hard: context.Background()})
	if text, err := os.ReadFile(printed.Name()); status == driver.Failed {
		t.Fatalf("%s%v", text, err)
	}
	return status
}
