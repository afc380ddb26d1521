package model_test

import (
	"encoding/json"
	"maps"
	"testing"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/statement"
	"github.com/txmc/txmc/isolation/statement/random"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
)

// sharedPrograms are programs in SQL with three sessions, savepoints and foreign keys.
func sharedPrograms(t *testing.T, level string) (list []*statement.Program) {
	t.Helper()
	for seed := *modelSeed; len(list) < 3; seed++ {
		f := random.Mix(seed, statement.PostgreSQL, level, 400)
		f.Three, f.Save, f.Child = true, true, len(list) == 1
		if p := random.Program(seed, f); len(p.Sessions) == 3 && p.Interleavings() > 100 && len(machineOutcomes(t, p)) > 5 {
			list = append(list, p)
		}
	}
	return list
}

// inSQL is a client of a program in SQL.
func inSQL(t *testing.T, p *statement.Program, at isolation.Level) *program.Client {
	t.Helper()
	c, err := program.NewClient(t.Name(), func(q *program.Program) { statements(q, p) }, program.Options{Patience: 10 * time.Minute, Database: true, Level: at.String(), Recheck: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Park)
	return c
}

// found explores and counts outcomes, by their text.
func found(t *testing.T, c *program.Client, p *statement.Program, opts dpor.Options, out map[string]int) dpor.Stats {
	t.Helper()
	opts.All, opts.List = true, true
	x := dpor.Explore(t.Context(), c, opts)
	for f, err := range x.Histories() {
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", p.Seed, err, p.Text())
		}
		out[sqltest.OutcomeOf(c, p, f)]++
	}
	return x.Stats()
}

func sums(s dpor.Stats) [4]int64 { return [4]int64{s.Histories, s.EndStates, s.Explored, s.Violations} }

// shared are the counts that do not depend on who shares the states. With three sessions at
// SERIALIZABLE the number of states may: the order of SIREAD locks is no part of a key.
func shared(s dpor.Stats, p *statement.Program, at isolation.Level) [4]int64 {
	if at == isolation.PgSer && len(p.Sessions) > 2 {
		s.Explored = 0
	}
	return sums(s)
}

// TestWorkersInSQL: outcomes and counts are the same however many workers share the states.
func TestWorkersInSQL(t *testing.T) {
	t.Parallel()
	deadlinetest.Long(t)
	for level, at := range modelLevels {
		for _, p := range sharedPrograms(t, level) {
			want := map[string]int{}
			one := found(t, inSQL(t, p, at), p, dpor.Options{Level: at, Workers: 1}, want)
			for _, workers := range []int{2, 3} {
				got := map[string]int{}
				stats := found(t, inSQL(t, p, at), p, dpor.Options{Level: at, Workers: workers, SearchOrder: dpor.SearchOrder{ShareAtOnce: true}}, got)
				if shared(stats, p, at) != shared(one, p, at) || !stats.Complete || !maps.Equal(got, want) {
					t.Errorf("seed %d at %v: %d workers count %v, one counts %v\n%s", p.Seed, at, workers, shared(stats, p, at), shared(one, p, at), p.Text())
				}
			}
		}
	}
}

// TestResumedInSQL: an exploration in pieces, each with an executor of its own, finds the
// same outcomes, each once, and ends with the same counts.
func TestResumedInSQL(t *testing.T) {
	t.Parallel()
	deadlinetest.Long(t)
	for level, at := range modelLevels {
		for i, p := range sharedPrograms(t, level) {
			want, got := map[string]int{}, map[string]int{}
			one := found(t, inSQL(t, p, at), p, dpor.Options{Level: at, Workers: 1}, want)
			opts, pieces := dpor.Options{Level: at, Workers: 1 + i, SearchOrder: dpor.SearchOrder{ShareAtOnce: true}}, 0
			opts.Checkpoint = func(f *dpor.Frontier) error {
				data, err := json.Marshal(f)
				if err != nil {
					return err
				}
				opts.Resume = &dpor.Frontier{}
				return opts.Resume.Decode(data)
			}
			stats := dpor.Stats{}
			for ; !stats.Complete; pieces++ {
				opts.MaxHistories = one.Histories/3 + 1
				if opts.Resume != nil {
					opts.MaxHistories += opts.Resume.Counts.Histories
				}
				stats = found(t, inSQL(t, p, at), p, opts, got)
			}
			if shared(stats, p, at) != shared(one, p, at) || !maps.Equal(got, want) || pieces < 2 {
				t.Errorf("seed %d at %v: %v in %d pieces, %v in one; %d outcomes and %d\n%s", p.Seed, at, shared(stats, p, at), pieces, shared(one, p, at), len(got), len(want), p.Text())
			}
		}
	}
}
