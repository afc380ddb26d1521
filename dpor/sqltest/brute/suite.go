// Package brute says what random SQL programs can observe at the axiomatic levels, by
// definition. It explores such programs for the tests of SQL front ends. A small evaluator
// of the statements says which variables they read and write. isolation/reference says
// which histories a level allows. What is by definition shares nothing with the engines,
// the storages or the exploration.
//
// A random program has statements of all kinds on two tables with primary keys, a unique
// key and a foreign key, by two or three sessions. The statements and how they are evaluated
// are a front end's own.
package brute

import (
	"database/sql"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/reference"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
)

// Suite is random programs on a front end.
type Suite struct {
	Language
	Seed uint64
	// Declare declares the database, with Schema and the rows of Seed, and returns what
	// gives sessions connections.
	Declare func(*program.Program) (open func(*program.Session) *sql.DB)
	// Evaluate evaluates a statement by definition.
	Evaluate func(*Evaluator, Statement) string
}

// Levels are the axiomatic levels, weakest first.
var Levels = []isolation.Level{isolation.RC, isolation.RA, isolation.CC, isolation.PC, isolation.SI, isolation.SER}

// Trial is a random program to be explored.
type Trial struct {
	Program
	client *program.Client
	levels []isolation.Level // all, in an order that changes: the first finds out which rows there can be
}

// Explore explores the program at a level, with what the levels before have found.
func (p Trial) Explore(t *testing.T, level isolation.Level) sqltest.Explored {
	t.Helper()
	return sqltest.ExploreAt(t, p.client, level)
}

// declare declares a program that p points to when it runs: so all programs share
// a database.
func (s *Suite) declare(p *Program) func(*program.Program) {
	return func(q *program.Program) {
		open := s.Declare(q)
		for i := range mostSessions {
			q.Session(fmt.Sprint("s", i), func(session *program.Session) {
				if i < len(*p) {
					c := &Client{Language: &s.Language}
					c.Session(open(session), (*p)[i])
					session.Observe(fmt.Sprint(i), c.Seen())
				}
			})
		}
	}
}

// ForPrograms calls f with n random programs that it can decide, and fails when it cannot
// decide more than a few others. Now and then the
// client is made anew, so that no rows are known. One client of four runs
// behaviours again as explorations do, to see whether they repeat.
func (s *Suite) ForPrograms(t *testing.T, n int, f func(t *testing.T, p Trial) bool) {
	t.Logf("seed %d", s.Seed)
	const perClient = 50
	var p Trial
	total, undecided := n, 0
	for i := 0; n > 0 && !t.Failed() && !deadlinetest.Over(t); i++ {
		if i%perClient == 0 {
			recheck := -1
			if i/perClient%4 == 0 {
				recheck = program.DefaultRecheck
			}
			p.client = sqltest.NewClient(t, s.declare(&p.Program), program.Options{Recheck: recheck})
		}
		r := rand.New(rand.NewPCG(s.Seed, uint64(i)))
		p.Program, p.levels = s.New(r), slices.Clone(Levels)
		r.Shuffle(len(p.levels), func(i, j int) { p.levels[i], p.levels[j] = p.levels[j], p.levels[i] })
		if f(t, p) {
			n--
		} else {
			undecided++
		}
		if err := p.client.Renew(); err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			t.Logf("program %d of seed %d:\n%s", i, s.Seed, s.Text(p.Program))
		}
	}
	t.Logf("%d programs had too many histories to be decided", undecided)
	if undecided > 3+total/10 {
		t.Errorf("%d programs of %d could not be decided: too many", undecided, total+undecided)
	}
}

// ByDefinition explores n random programs at all levels. Their outcomes are those of the
// definition. The histories of a level are those of a weaker one that satisfy it.
func (s *Suite) ByDefinition(t *testing.T, n int) {
	const limit, work = 3000, 20_000
	sizes := map[isolation.Level]int{}
	s.ForPrograms(t, n, func(t *testing.T, p Trial) bool {
		d := NewDefinition(p.Program, s.Evaluate)
		histories := d.Histories(Levels[0], limit, work)
		if histories == nil {
			return false
		}
		want := map[isolation.Level]map[string]bool{}
		for _, level := range Levels {
			maps.DeleteFunc(histories, func(_ string, h *reference.History) bool { return !h.Satisfies(level) })
			want[level] = d.Outcomes(histories)
			sizes[level] += len(histories)
		}
		for _, level := range p.levels {
			Compare(t, level.String(), p.Explore(t, level).Outcomes, want[level])
		}
		return true
	})
	t.Logf("histories by level: %v", sizes)
}

// Compare compares sets of outcomes.
func Compare(t *testing.T, what string, got map[string]int, want map[string]bool) {
	t.Helper()
	for o := range want {
		if got[o] == 0 {
			t.Errorf("%s: not explored: %s", what, o)
		}
	}
	for o := range got {
		if !want[o] {
			t.Errorf("%s: not allowed: %s", what, o)
		}
	}
}
