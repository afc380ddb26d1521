package innodb

import (
	"flag"
	"maps"
	"slices"
	"testing"

	"github.com/txmc/txmc/isolation/statement"
	"github.com/txmc/txmc/isolation/statement/rules"
)

var reduced = flag.Int("reduced", 100, "programs a level that are explored with and without reduction")

// sleeper explores a program with sleep sets (Godefroid, "Partial-Order Methods
// for the Verification of Concurrent Systems", 1996) over the footprints. It is
// the test of the footprints. With seen it does not explore a state again from
// which as much has been explored: all but what was asleep then.
type sleeper struct {
	outcomes                   map[string]int
	executions, steps, blocked int
	seen                       map[Key][][]Choice
	keyer                      Keyer
}

func sleep(t testing.TB, p *statement.Program, o Options, cache bool) *sleeper {
	t.Helper()
	o.Record = true
	m, err := NewMachine(p, o)
	if err != nil {
		t.Fatal(err)
	}
	s := &sleeper{outcomes: map[string]int{}}
	if cache {
		s.seen = map[Key][][]Choice{}
	}
	s.visit(m, nil)
	return s
}

// explored reports whether all but a part of asleep has been explored from m,
// and notes that it will be.
func (s *sleeper) explored(m *Machine, asleep []Choice) bool {
	if s.seen == nil {
		return false
	}
	key := m.Key(&s.keyer)
	before := s.seen[key]
	for _, b := range before {
		if !slices.ContainsFunc(b, func(c Choice) bool { return !slices.Contains(asleep, c) }) {
			return true
		}
	}
	s.seen[key] = append(before, asleep)
	return false
}

// visit explores from m. The choices in asleep have been explored before.
func (s *sleeper) visit(m *Machine, asleep []Choice) {
	if s.explored(m, asleep) {
		return
	}
	choices := m.Enabled(nil)
	if len(choices) == 0 {
		s.executions++
		s.outcomes[m.Outcome()]++
		return
	}
	next := map[Choice][]*Machine{}
	for _, c := range choices {
		next[c] = ends(m, c)
	}
	done := slices.Clone(asleep)
	for _, c := range choices {
		if slices.Contains(done, c) {
			continue
		}
		var inherit []Choice
		for _, d := range done {
			if !conflict(next[d], next[c]) {
				inherit = append(inherit, d)
			}
		}
		for _, n := range next[c] {
			s.steps++
			s.visit(n, inherit)
		}
		done = append(done, c)
	}
	if len(asleep) == len(choices) {
		s.blocked++
	}
}

// ends lists the states after a session's step, one for each way in which it
// can go.
func ends(m *Machine, c Choice) []*Machine {
	n := &Machine{}
	n.CopyFrom(m)
	n.Step(c)
	choices := n.state.pending(nil)
	if len(choices) == 0 {
		return []*Machine{n}
	}
	var out []*Machine
	for _, c := range choices {
		out = append(out, ends(n, c)...)
	}
	return out
}

func conflict(a, b []*Machine) bool {
	for _, m := range a {
		for _, n := range b {
			if m.Footprint().Conflicts(n.Footprint()) {
				return true
			}
		}
	}
	return false
}

// TestReduction: exploring up to equivalence, and exploring every state once,
// give the outcomes of all interleavings.
func TestReduction(t *testing.T) {
	for _, level := range levelNames {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			var all, once, asleep, least, outcomes int
			for seed := range uint64(*reduced) {
				p := generate(seed, level, someFeatures(seed, 600))
				o := Options{Races: seed/2%4 == 1, Purge: seed/2%4 == 2}
				want := explore(t, p, o, false)
				visited := explore(t, p, o, true)
				slept := sleep(t, p, o, false)
				both := sleep(t, p, o, true)
				if missing := lost(want.outcomes, slept.outcomes); missing != "" {
					t.Errorf("seed %d: sleep sets: %s\n%s", seed, missing, p.Text())
				}
				if missing := lost(want.outcomes, both.outcomes); missing != "" {
					t.Errorf("seed %d: sleep sets and states once: %s\n%s", seed, missing, p.Text())
				}
				if missing := lost(want.outcomes, visited.outcomes); missing != "" {
					t.Errorf("seed %d: states once: %s\n%s", seed, missing, p.Text())
				}
				all, once, asleep, least = all+want.steps, once+visited.steps, asleep+slept.steps, least+both.steps
				outcomes += len(want.outcomes)
			}
			t.Logf("%d programs, %d outcomes: %d steps, %d with each state once, %d with sleep sets, %d with both", *reduced, outcomes, all, once, asleep, least)
		})
	}
}

// lost tells an outcome that only one of two explorations has, or "".
func lost(want, got map[string]int) string {
	for _, o := range slices.Sorted(maps.Keys(want)) {
		if got[o] == 0 {
			return o + " is lost"
		}
	}
	for _, o := range slices.Sorted(maps.Keys(got)) {
		if want[o] == 0 {
			return o + " is added"
		}
	}
	return ""
}

// TestReductionForeignKey: with innodb_snapshot_isolation a view decides also
// about rows of other tables that the transaction locks.
func TestReductionForeignKey(t *testing.T) {
	p := &statement.Program{DB: statement.MariaDB, Level: statement.SnapshotReads, HasChild: true,
		Rows: []statement.Row{{ID: 1, V: 10}, {ID: 2, V: 20}}}
	for _, s := range []string{"count 21; delchild 2", "child 2 2", "scan all update"} {
		p.Sessions = append(p.Sessions, []statement.Transaction{rules.Parse(t, s)})
	}
	want := explore(t, p, Options{}, false).outcomes
	for _, cache := range []bool{false, true} {
		if d := lost(want, sleep(t, p, Options{}, cache).outcomes); d != "" {
			t.Errorf("states once %v: %s", cache, d)
		}
	}
}
