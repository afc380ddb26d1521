package postgres

import (
	"flag"
	"path/filepath"
	"testing"

	"github.com/txmc/txmc/isolation/statement"
)

const recordedDir = "../../../shared/database-outcomes"

var outcomesDir = flag.String("outcomes", recordedDir, "directory of recorded outcomes, *.jsonl")

// TestOutcomes compares with outcomes recorded from a real server over all
// interleavings. Every recorded outcome is one of the model with races after the
// recorded schedule. Every outcome of the model that no race decides is recorded.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(*outcomesDir, "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 && *outcomesDir == recordedDir {
		t.Skip("no recorded outcomes here; -outcomes names their directory")
	}
	total := 0
	for _, name := range files {
		programs, exact := 0, 0
		err := statement.ReadFile(name, func(r *statement.Recorded) error {
			if r.Program.DB == statement.PostgreSQL {
				programs++
				if compareRecorded(t, r) {
					exact++
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if programs > 0 {
			t.Logf("%s: %d programs; %d have no outcome that needs a race", filepath.Base(name), programs, exact)
		}
		total += programs
	}
	if total == 0 {
		t.Fatalf("no programs of PostgreSQL in %s", *outcomesDir)
	}
}

// compareRecorded reports whether the outcomes equal those of the model without races.
// The server ran each schedule once. So an outcome that only a race gives need not be
// recorded. Races are about the victim of a deadlock, and about the order in which
// woken statements run.
func compareRecorded(t *testing.T, r *statement.Recorded) (exact bool) {
	p := &r.Program
	plain := exploreAll(t, p, false)
	exact = len(plain.outcomes) == len(r.Outcomes)
	for o := range plain.outcomes {
		if _, is := r.Outcomes[o]; !is {
			exact = false
		}
	}
	for _, o := range lacks(plain, r) {
		t.Errorf("seed %d: only the model has %s\n%s", p.Seed, o, p.Text())
	}
	if plain.stuck > 0 {
		t.Errorf("seed %d: %d executions end with a blocked session\n%s", p.Seed, plain.stuck, p.Text())
	}
	for o, schedule := range r.Outcomes {
		if !follow(t, p, schedule)[o] {
			t.Errorf("seed %d: the model lacks %s of schedule %s\n%s", p.Seed, o, schedule, p.Text())
		}
	}
	return exact
}

// lacks are the outcomes that time does not decide and that were not recorded.
func lacks(plain *explorer, r *statement.Recorded) (list []string) {
	for o, certain := range plain.outcomes {
		if _, is := r.Outcomes[o]; certain && !is {
			list = append(list, o)
		}
	}
	return list
}

// follow is the set of the model's outcomes, with races, of a schedule.
func follow(t *testing.T, p *statement.Program, schedule string) map[string]bool {
	first, err := NewMachine(p, true)
	if err != nil {
		t.Fatal(err)
	}
	outcomes := map[string]bool{}
	var visit func(m *Machine, rest string)
	visit = func(m *Machine, rest string) {
		choices := m.Enabled(nil)
		if len(choices) == 0 && rest == "" {
			outcomes[m.Outcome()] = true
		}
		for _, c := range choices {
			after := rest
			if c.Kind == RunSession {
				if rest == "" || int(rest[0]-'0') != int(c.N) {
					continue
				}
				after = rest[1:]
			}
			n := &Machine{}
			n.CopyFrom(m)
			n.Step(c)
			visit(n, after)
		}
	}
	visit(first, schedule)
	return outcomes
}
