// Package sqltest explores programs of package statement as SQL under a database's model,
// for the tests of SQL front ends, and compares outcomes.
package sqltest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/innodb/mariadb"
	"github.com/txmc/txmc/isolation/statement"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// Outcomes are those of a program at a level, as declare declares it: its sessions are
// those of Converse. Each statement is a step, as on a server.
func Outcomes(t testing.TB, p *statement.Program, at isolation.Level, declare func(*program.Program)) map[string]bool {
	t.Helper()
	return OutcomesIn(t, p, at, states.Statements, declare)
}

// OutcomesIn are the outcomes with steps of that size.
func OutcomesIn(t testing.TB, p *statement.Program, at isolation.Level, steps states.Steps, declare func(*program.Program)) map[string]bool {
	t.Helper()
	return explore(t, fmt.Sprintf("seed %d: %s", p.Seed, p.Text()), at, steps, declare, func(c *program.Client, found *dpor.Found) string {
		return OutcomeOf(c, p, found)
	})
}

// OutcomeOf is the outcome of an execution of the program.
func OutcomeOf(c *program.Client, p *statement.Program, found *dpor.Found) string {
	return p.Outcome(observed(c, len(p.Sessions), found), left(c, found))
}

func explore(t testing.TB, text string, at isolation.Level, steps states.Steps, declare func(*program.Program), outcome func(*program.Client, *dpor.Found) string) map[string]bool {
	t.Helper()
	c, err := program.NewClient(t.Name(), declare, program.Options{Patience: 10 * time.Minute, Database: true, Level: at.String(), Recheck: min(4, Recheck(t))})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	defer c.Park()
	outcomes := map[string]bool{}
	x := dpor.Explore(t.Context(), c, dpor.Options{Level: at, All: true, List: true, Workers: 1, Selection: dpor.Selection{Steps: steps}})
	for found, err := range x.Histories() {
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		outcomes[outcome(c, found)] = true
	}
	return outcomes
}

// observed are the results that the sessions have observed.
func observed(c *program.Client, sessions int, found *dpor.Found) [][]string {
	results := make([][]string, sessions)
	for i, n := range found.Ends[:sessions] {
		for _, m := range n.Path() {
			for _, e := range m.Events {
				if e.Kind == behaviour.ObserveEvent {
					results[i] = append(results[i], c.Value(e.Val).(string))
				}
			}
		}
	}
	return results
}

// left are the rows that are left.
func left(c *program.Client, found *dpor.Found) (final statement.Tables) {
	for _, v := range found.Rows {
		var a, b, u string
		text := c.Storage().Describe(v)
		if n, _ := fmt.Sscanf(text, "c {id:%s tid:%s", &a, &b); n == 2 {
			final.C = append(final.C, statement.ChildRow{ID: number(a), Tid: number(b)})
		}
		if n, _ := fmt.Sscanf(text, "t {id:%s u:%s v:%s", &a, &u, &b); n == 3 {
			final.T = append(final.T, statement.Row{ID: number(a), V: number(b), U: number(u)})
		}
	}
	return final
}

// number is a number at the end of a row, 0 of null.
func number(s string) int {
	n, _ := strconv.Atoi(strings.TrimSuffix(s, "}"))
	return n
}

// Converse is the client of a session of the program: it sends what the results before
// make it send. rollback ends a transaction after an error.
func Converse(s *program.Session, p *statement.Program, i int, send func(statement.Action) statement.Result, rollback func()) {
	txns := p.Sessions[i]
	for client := (statement.Client{}); client.Next(txns).Kind != statement.Done; {
		r := send(client.Next(txns))
		s.Observe("", r.String())
		var ends bool
		if client, ends = client.After(txns, p.DB, r); ends {
			rollback()
		}
	}
}

// Machine is a model's own machine for programs of statements: M is the type of its
// states, K that of their keys.
type Machine[M any, K comparable, C any] struct {
	Key     func(M) K
	Enabled func(M) []C
	Copy    func(M) M
	Step    func(M, C)
	Outcome func(M) string
}

// Outcomes are the outcomes that follow a state, over all interleavings and races.
func (x *Machine[M, K, C]) Outcomes(first M) map[string]bool {
	outcomes, seen := map[string]bool{}, map[K]bool{}
	var visit func(m M)
	visit = func(m M) {
		if key := x.Key(m); seen[key] {
			return
		} else {
			seen[key] = true
		}
		choices := x.Enabled(m)
		if len(choices) == 0 {
			outcomes[x.Outcome(m)] = true
		}
		for _, c := range choices {
			n := x.Copy(m)
			x.Step(n, c)
			visit(n)
		}
	}
	visit(first)
	return outcomes
}

// Compare compares two sets of outcomes of a program. whose are the names of theirs.
func Compare(t testing.TB, p *statement.Program, a, b map[string]bool, whose [2]string) {
	t.Helper()
	Within(t, p, a, b, whose[0])
	Within(t, p, b, a, whose[1])
}

// Within reports an outcome of a that is none of b.
func Within(t testing.TB, p *statement.Program, a, b map[string]bool, whose string) {
	t.Helper()
	for _, o := range slices.Sorted(maps.Keys(a)) {
		if !b[o] {
			t.Errorf("seed %d: only %s has %s\n%s", p.Seed, whose, o, p.Text())
			return
		}
	}
}

// ScriptOutcomes are those of a program of SQL text at a level, as declare declares it: each
// session observes its results.
func ScriptOutcomes(t testing.TB, p *mariadb.Script, at isolation.Level, declare func(*program.Program)) map[string]bool {
	t.Helper()
	return ScriptOutcomesIn(t, p, at, states.Statements, declare)
}

// ScriptOutcomesIn are the outcomes with steps of that size.
func ScriptOutcomesIn(t testing.TB, p *mariadb.Script, at isolation.Level, steps states.Steps, declare func(*program.Program)) map[string]bool {
	t.Helper()
	return explore(t, p.Text(), at, steps, declare, func(c *program.Client, found *dpor.Found) string {
		tables := make([][]string, len(p.Tables))
		for _, v := range found.Rows {
			name, content, _ := strings.Cut(c.Storage().Describe(v), " ")
			i := slices.Index(p.Tables, name)
			tables[i] = append(tables[i], columns(content))
		}
		texts := make([]string, len(tables))
		for i, rows := range tables {
			slices.SortFunc(rows, byColumns)
			texts[i] = "[" + strings.Join(rows, " ") + "]"
		}
		return p.Outcome(observed(c, len(p.Sessions), found), texts)
	})
}

// columns are the values of a row that is written as {a:1 b:2}.
func columns(content string) string {
	var list []string
	for _, f := range strings.Fields(strings.Trim(content, "{}")) {
		_, v, _ := strings.Cut(f, ":")
		list = append(list, v)
	}
	return strings.Join(list, ",")
}

// byColumns orders rows by their first two columns, NULL first, and texts whatever their
// case.
func byColumns(a, b string) int {
	x, y := strings.Split(a, ","), strings.Split(b, ",")
	for i := range min(2, len(x)) {
		if c := compare(x[i], y[i]); c != 0 {
			return c
		}
	}
	return 0
}

func compare(a, b string) int {
	if null := "NULL"; a == null || b == null {
		return cmp.Compare(notNull(a), notNull(b))
	}
	m, errA := strconv.Atoi(a)
	n, errB := strconv.Atoi(b)
	if errA != nil || errB != nil {
		return strings.Compare(strings.ToLower(a), strings.ToLower(b))
	}
	return cmp.Compare(m, n)
}

func notNull(s string) int {
	if s == "NULL" {
		return 0
	}
	return 1
}

// Decoded takes checkpoints as another process reads them: encoded, and decoded again. The last
// one is in *last.
func Decoded(last **dpor.Frontier) func(*dpor.Frontier) error {
	return func(f *dpor.Frontier) error {
		data, err := json.Marshal(f)
		if err != nil {
			return err
		}
		*last = &dpor.Frontier{}
		return (*last).Decode(data)
	}
}
