package innodb

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/txmc/txmc/isolation/statement"
)

var outcomesDir = flag.String("outcomes", "", "directory with recorded outcome sets, files maria-*.jsonl")

// sharedOutcomes is where recorded outcome sets may stand beside the module.
const sharedOutcomes = "../../../shared/database-outcomes"

// TestOutcomes: the outcomes of the model are the outcomes that MariaDB gave
// over all interleavings, for every recorded program.
func TestOutcomes(t *testing.T) {
	dir := *outcomesDir
	if dir == "" {
		dir = sharedOutcomes
	}
	files, _ := filepath.Glob(filepath.Join(dir, "maria-*.jsonl"))
	switch {
	case len(files) == 0 && *outcomesDir != "":
		t.Fatalf("no files maria-*.jsonl in %s", dir)
	case len(files) == 0:
		t.Skipf("no recorded outcomes in %s; -outcomes names another directory", dir)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			n, races := 0, 0
			err := statement.ReadFile(name, func(r *statement.Recorded) error {
				n++
				if compareOutcomes(t, r) {
					races++
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d programs; %d need a race", n, races)
		})
	}
}

// compareOutcomes compares a program's recorded outcomes with the model's. It
// reports whether the server gave an outcome that only another victim of a
// deadlock explains. Then the server need not have given the model's own.
func compareOutcomes(t *testing.T, r *statement.Recorded) (race bool) {
	t.Helper()
	got := explore(t, &r.Program, Options{}, true).outcomes
	var any map[string]int
	for o, schedule := range r.Outcomes {
		if got[o] > 0 {
			continue
		}
		if any == nil {
			any = explore(t, &r.Program, Options{Races: true}, true).outcomes
		}
		if race = true; any[o] == 0 {
			t.Errorf("seed %d: the server's outcome %s by %s is none of the model's\n%s", r.Program.Seed, o, schedule, r.Program.Text())
		}
	}
	for o := range got {
		if _, recorded := r.Outcomes[o]; !recorded && !race {
			t.Errorf("seed %d: the model's outcome %s is none of the server's\n%s", r.Program.Seed, o, r.Program.Text())
		}
	}
	return race
}

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(m.Run())
}
