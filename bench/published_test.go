package bench

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/txmc/txmc/bench/client"
	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// publishedDir finds the published client files (PLDI 2023 artifact, Apache-2.0):
// where TXMC_PAPER_CLIENTS says, or beside the module.
func publishedDir() string {
	if dir := os.Getenv("TXMC_PAPER_CLIENTS"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			beside := filepath.Join(dir, "..", "shared", "paper-clients")
			if _, err := os.Stat(beside); err == nil {
				return beside
			}
			return ""
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
		dir = filepath.Dir(dir)
	}
	return ""
}

// published loads the published clients, or skips the test.
func published(t testing.TB) []*client.Program {
	t.Helper()
	dir := publishedDir()
	if dir == "" {
		t.Skip("the published client files are not here: set TXMC_PAPER_CLIENTS to the directory that has them")
	}
	programs, err := Load(os.DirFS(dir), Apps())
	if err != nil {
		t.Fatal(err)
	}
	return programs
}

// explored counts a program's histories.
func explored(t testing.TB, p *client.Program, opts dpor.Options) dpor.Stats {
	t.Helper()
	c, err := program.NewClient(p.App.Name+"/"+p.Name, p.Explore, program.Options{Recheck: sqltest.Recheck(t)})
	if err != nil {
		t.Fatal(err)
	}
	x := dpor.Explore(context.Background(), c, opts)
	for _, err := range x.Histories() {
		if err != nil {
			t.Fatal(err)
		}
	}
	return x.Stats()
}

// publishedCounts are the complete histories of the published clients at ra, cc,
// si and ser; -1 where the count at ra was not found by two methods.
var publishedCounts = []struct {
	app, name       string
	ra, cc, si, ser int64
}{
	{"courseware", "case1", 893, 216, 138, 72},
	{"courseware", "case2", 106, 46, 45, 34},
	{"courseware", "case3", 56458, 12790, 960, 960},
	{"shoppingCart", "case1", 1620, 444, 114, 81},
	{"shoppingCart", "case2", 32976, 2934, 605, 480},
	{"shoppingCart", "case3", 6291, 1594, 338, 338},
	{"tpcc", "case1", 958, 165, 47, 47},
	{"tpcc", "case2", 7995, 747, 101, 99},
	{"tpcc", "case3", -1, 1593, 116, 116},
	{"twitter", "case1", 44, 36, 18, 18},
	{"twitter", "case2", 2917, 876, 122, 122},
	{"twitter", "case3", 2272, 1072, 216, 216},
	{"wikipedia", "case1", -1, 649, 148, 95},
	{"wikipedia", "case2", -1, 3610, 388, 292},
	{"wikipedia", "case3", -1, 2339, 275, 175},
}

func TestPublishedClients(t *testing.T) {
	t.Parallel()
	programs := published(t)
	if len(programs) != len(publishedCounts) {
		t.Fatalf("%d clients, want %d", len(programs), len(publishedCounts))
	}
	for i, want := range publishedCounts {
		p := programs[i]
		t.Run(want.app+"/"+want.name, func(t *testing.T) {
			if p.App.Name != want.app || p.Name != want.name {
				t.Fatalf("client %s/%s", p.App.Name, p.Name)
			}
			for level, n := range map[isolation.Level]int64{isolation.RA: want.ra, isolation.CC: want.cc, isolation.SI: want.si, isolation.SER: want.ser} {
				if n < 0 {
					continue
				}
				stats := explored(t, p, dpor.Options{Level: level, Base: level.Base(), All: true})
				if !stats.Complete || stats.Histories != n {
					t.Errorf("%v: %d histories (complete: %v), want %d", level, stats.Histories, stats.Complete, n)
				}
			}
		})
	}
}
