package innodb

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/isolation/innodb/mariadb"
	"github.com/txmc/txmc/isolation/statement"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

var (
	serverPrograms = deadlinetest.Flag("programs", 3, 1, "random programs a level that run on a real MariaDB")
	serverSeed     = flag.Uint64("seed", 1, "seed of the first of them")
	serverChildren = flag.Bool("children", false, "programs with a foreign key")
	serverRanges   = flag.Bool("ranges", false, "programs with an index on v, and ranges of indexes")
)

// startServer starts a MariaDB with so many sessions.
func startServer(t *testing.T, sessions int) *mariadb.Runner {
	t.Helper()
	if testing.Short() {
		t.Skip("no server in short mode")
	}
	server := scratchtest.Start(t, scratch.MariaDB, map[string]string{
		"innodb-flush-log-at-trx-commit": "0", "innodb-doublewrite": "0", "innodb-lock-wait-timeout": "10000"})
	r, err := mariadb.Connect(t.Context(), server.DSN(""), sessions)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// TestServer: new random programs give the same outcomes on a real MariaDB,
// over all interleavings, and every step of every execution does the same.
func TestServer(t *testing.T) {
	r := startServer(t, 3)
	for _, level := range levelNames {
		t.Run(level, func(t *testing.T) {
			executions, races := 0, 0
			for i := range uint64(serverPrograms.N()) {
				seed := *serverSeed + i
				f := someFeatures(seed, 150)
				f.Ranges, f.Child = f.Ranges || *serverRanges, f.Child || *serverChildren
				n, race := compareServer(t, r, generate(seed, level, f))
				executions += n
				races += race
			}
			t.Logf("%d programs, %d executions; %d need a race", serverPrograms.N(), executions, races)
		})
	}
}

// TestServerPurge: where purge runs at will, every execution is one of the model
// with purge as a choice.
func TestServerPurge(t *testing.T) {
	r := startServer(t, 3)
	r.Purge = true
	for _, level := range levelNames {
		t.Run(level, func(t *testing.T) {
			needed := 0
			for i := range uint64(serverPrograms.N()) {
				f := someFeatures(*serverSeed+i, 150)
				f.Dense = true
				p := generate(*serverSeed+i, level, f)
				err := r.Explore(t.Context(), p, func(e *mariadb.Execution) error {
					if follow(t, p, e, Options{}) == "" {
						return nil
					}
					needed++
					if report := follow(t, p, e, Options{Purge: true, Races: true}); report != "" {
						t.Errorf("%s%s", p.Text(), report)
					}
					return nil
				})
				if err != nil {
					t.Fatalf("%s%v", p.Text(), err)
				}
			}
			t.Logf("%d programs, %d executions need purge", serverPrograms.N(), needed)
		})
	}
}

// compareServer runs a program on the server and compares. It returns how many
// executions there were, and how many that only another victim explains.
func compareServer(t *testing.T, r *mariadb.Runner, p *statement.Program) (executions, races int) {
	t.Helper()
	real := map[string]bool{}
	reported := false
	err := r.Explore(t.Context(), p, func(e *mariadb.Execution) error {
		executions++
		real[e.Outcome] = true
		report := follow(t, p, e, Options{})
		if report != "" && follow(t, p, e, Options{Races: true}) == "" {
			races++
			report = ""
		}
		if report != "" && !reported {
			reported = true
			t.Errorf("%s%s", p.Text(), report)
		}
		return nil
	})
	if err != nil {
		t.Fatalf("%s%v", p.Text(), err)
	}
	if reported || races > 0 {
		return executions, races
	}
	if d := lost(counts(real), explore(t, p, Options{}, true).outcomes); d != "" {
		t.Errorf("%s%s", p.Text(), d)
	}
	return executions, races
}

func counts(outcomes map[string]bool) map[string]int {
	n := map[string]int{}
	for o := range outcomes {
		n[o]++
	}
	return n
}

// follow runs the model along a real execution: "" when some execution of the
// model does the same, else a report.
func follow(t *testing.T, p *statement.Program, e *mariadb.Execution, o Options) string {
	t.Helper()
	m, err := NewMachine(p, o)
	if err != nil {
		t.Fatal(err)
	}
	states := []*Machine{m}
	var trace strings.Builder
	for i, step := range e.Steps {
		fmt.Fprintf(&trace, "  %2d s%d %-70s -> %s\n", i, step.Session, step.SQL, completions(step.Done))
		var next []*Machine
		var others []string
		for _, m := range states {
			c := Choice{Kind: RunSession, N: int8(step.Session)}
			if !slices.Contains(m.Enabled(nil), c) {
				others = append(others, "blocked before")
				continue
			}
			for _, b := range branches(m, c, nil) {
				if completions(b.done) == completions(step.Done) {
					next = append(next, b.m)
				} else {
					others = append(others, completions(b.done))
				}
			}
		}
		if states = next; len(states) == 0 {
			return trace.String() + "     model: " + strings.Join(others, " or ")
		}
	}
	for _, m := range states {
		if m.Outcome() == e.Outcome {
			return ""
		}
	}
	return trace.String() + "     real:  " + e.Outcome + "\n     model: " + states[0].Outcome()
}

// branch is a way in which a step can go, with purge behind it.
type branch struct {
	m    *Machine
	done []mariadb.Completion
}

// branches lists the ways in which a choice can go. What purge releases behind
// the step belongs to it.
func branches(m *Machine, c Choice, done []mariadb.Completion) (out []branch) {
	for _, n := range ends(m, c) {
		b := branch{n, slices.Clone(done)}
		for _, d := range n.Done() {
			b.done = append(b.done, mariadb.Completion(d))
		}
		out = append(out, b)
		if purge := (Choice{Kind: RunPurge}); n.state.options.Purge && n.state.Purgeable() > 0 {
			out = append(out, branches(n, purge, b.done)...)
		}
	}
	return out
}

// completions is results as text, in the order of sessions.
func completions(done []mariadb.Completion) string {
	done = slices.Clone(done)
	slices.SortStableFunc(done, func(a, b mariadb.Completion) int { return a.Session - b.Session })
	var out []string
	for _, d := range done {
		out = append(out, fmt.Sprintf("s%d %s", d.Session, d.Result))
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// Random programs are those that run on real servers.

var (
	levelNames   = append(mariadb.Levels[:len(mariadb.Levels):len(mariadb.Levels)], statement.ReadUncommitted)
	generate     = mariadb.Generate
	someFeatures = mariadb.Mix
)
