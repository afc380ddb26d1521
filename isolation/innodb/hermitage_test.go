package innodb

import (
	"strings"
	"testing"

	"github.com/txmc/txmc/isolation/statement"
)

// hermitageCase is a case of Hermitage (Martin Kleppmann,
// https://github.com/ept/hermitage, mysql.md): one schedule, and what comes of
// it at each level. Predicates on v are v >= d.
type hermitageCase struct {
	name     string
	sessions [][]statement.Statement
	rollback bool   // the first session ends with ROLLBACK
	schedule string // sessions in the order of their steps
	// want is the outcome by levels; a comma separates levels with the same one.
	want map[string]string
}

func set(id, v int) statement.Statement {
	return statement.Statement{Op: statement.UpdLocal, ID: id, C: v}
}

func add(id, v int) statement.Statement {
	return statement.Statement{Op: statement.UpdKey, ID: id, C: v}
}

func get(id int) statement.Statement { return statement.Statement{Op: statement.Get, ID: id} }

func from(d int) statement.Statement { return statement.Statement{Op: statement.Scan, D: d} }

func insert(id, v int) statement.Statement {
	return statement.Statement{Op: statement.Insert, ID: id, C: v}
}

var hermitage = []hermitageCase{
	{"G0: write cycles", [][]statement.Statement{{set(1, 11), set(2, 21)}, {set(1, 12), set(2, 22)}}, false, "010011",
		map[string]string{"rc,rr,rr-si,ser": "s0[1 1 C] s1[1 1 C] t{1:12:0 2:22:0}"}},
	{"G1a: aborted reads", [][]statement.Statement{{set(1, 101)}, {from(statement.All), from(statement.All)}}, true, "01011",
		map[string]string{
			"rc,rr,rr-si": "s0[1 R] s1[1=10,2=20 1=10,2=20 C] t{1:10:0 2:20:0}",
			"ser":         "s0[1 R] s1[1=10,2=20 1=10,2=20 C] t{1:10:0 2:20:0}"}},
	{"G1b: intermediate reads", [][]statement.Statement{{set(1, 101), set(1, 11)}, {from(statement.All), from(statement.All)}}, false, "010011",
		map[string]string{
			"rc":       "s0[1 1 C] s1[1=10,2=20 1=11,2=20 C] t{1:11:0 2:20:0}",
			"rr,rr-si": "s0[1 1 C] s1[1=10,2=20 1=10,2=20 C] t{1:11:0 2:20:0}",
			"ser":      "s0[1 1 C] s1[1=11,2=20 1=11,2=20 C] t{1:11:0 2:20:0}"}},
	{"G1c: circular information flow", [][]statement.Statement{{set(1, 11), get(2)}, {set(2, 22), get(1)}}, false, "010101",
		map[string]string{
			"rc,rr,rr-si": "s0[1 2=20 C] s1[1 1=10 C] t{1:11:0 2:22:0}",
			"ser":         "s0[1 2=20 C] s1[1 !1213] t{1:11:0 2:20:0}"}},
	{"OTV: observed transaction vanishes", [][]statement.Statement{{set(1, 11), set(2, 19)}, {set(1, 12), set(2, 18)}, {get(1), get(2), get(2), get(1)}}, false, "0010212122",
		map[string]string{
			"rc":       "s0[1 1 C] s1[1 1 C] s2[1=11 2=19 2=18 1=12 C] t{1:12:0 2:18:0}",
			"rr,rr-si": "s0[1 1 C] s1[1 1 C] s2[1=11 2=19 2=19 1=11 C] t{1:12:0 2:18:0}",
			"ser":      "s0[1 1 C] s1[1 1 C] s2[1=12 2=18 2=18 1=12 C] t{1:12:0 2:18:0}"}},
	{"PMP: predicate many preceders", [][]statement.Statement{{from(30), from(30)}, {insert(3, 30)}}, false, "01100",
		map[string]string{
			"rc":       "s0[- 3=30 C] s1[1 C] t{1:10:0 2:20:0 3:30:0}",
			"rr,rr-si": "s0[- - C] s1[1 C] t{1:10:0 2:20:0 3:30:0}",
			"ser":      "s0[- - C] s1[1 C] t{1:10:0 2:20:0 3:30:0}"}},
	{"PMP: write predicates", [][]statement.Statement{{{Op: statement.UpdPred, C: 10, D: statement.All}}, {from(20), {Op: statement.DelPred, D: 20}, from(20)}}, false, "011011",
		map[string]string{
			"rc,rr": "s0[2 C] s1[2=20 2 - C] t{}",
			"rr-si": "s0[2 C] s1[2=20 !1020] t{1:20:0 2:30:0}",
			"ser":   "s0[2 C] s1[1=20,2=30 2 - C] t{}"}},
	{"P4: lost update", [][]statement.Statement{{get(1), add(1, 1)}, {get(1), add(1, 1)}}, false, "010101",
		map[string]string{
			"rc,rr": "s0[1=10 1 C] s1[1=10 1 C] t{1:12:0 2:20:0}",
			"rr-si": "s0[1=10 1 C] s1[1=10 !1020] t{1:11:0 2:20:0}",
			"ser":   "s0[1=10 1 C] s1[1=10 !1213] t{1:11:0 2:20:0}"}},
	{"G-single: read skew", [][]statement.Statement{{get(1), get(2)}, {get(1), get(2), add(1, 2), add(2, -2)}}, false, "01111100",
		map[string]string{
			"rc":       "s0[1=10 2=18 C] s1[1=10 2=20 1 1 C] t{1:12:0 2:18:0}",
			"rr,rr-si": "s0[1=10 2=20 C] s1[1=10 2=20 1 1 C] t{1:12:0 2:18:0}",
			"ser":      "s0[1=10 2=20 C] s1[1=10 2=20 1 1 C] t{1:12:0 2:18:0}"}},
	{"G-single: predicate dependencies", [][]statement.Statement{{from(15), from(30)}, {insert(3, 30)}}, false, "01100",
		map[string]string{
			"rc":       "s0[2=20 3=30 C] s1[1 C] t{1:10:0 2:20:0 3:30:0}",
			"rr,rr-si": "s0[2=20 - C] s1[1 C] t{1:10:0 2:20:0 3:30:0}",
			"ser":      "s0[2=20 - C] s1[1 C] t{1:10:0 2:20:0 3:30:0}"}},
	{"G-single: write predicates", [][]statement.Statement{{get(1), {Op: statement.DelPred, D: 20}}, {set(1, 12), set(2, 18)}}, false, "011100",
		map[string]string{
			"rc,rr": "s0[1=10 0 C] s1[1 1 C] t{1:12:0 2:18:0}",
			"rr-si": "s0[1=10 !1020] s1[1 1 C] t{1:12:0 2:18:0}",
			"ser":   "s0[1=10 1 C] s1[!1213] t{1:10:0}"}},
	{"G2-item: write skew", [][]statement.Statement{{get(1), get(2), add(1, 1)}, {get(1), get(2), add(2, 1)}}, false, "01010101",
		map[string]string{
			"rc,rr,rr-si": "s0[1=10 2=20 1 C] s1[1=10 2=20 1 C] t{1:11:0 2:21:0}",
			"ser":         "s0[1=10 2=20 1 C] s1[1=10 2=20 !1213] t{1:11:0 2:20:0}"}},
	{"G2: anti-dependency cycles", [][]statement.Statement{{from(30), insert(3, 30)}, {from(30), insert(4, 42)}}, false, "010101",
		map[string]string{
			"rc,rr,rr-si": "s0[- 1 C] s1[- 1 C] t{1:10:0 2:20:0 3:30:0 4:42:0}",
			"ser":         "s0[- 1 C] s1[- !1213] t{1:10:0 2:20:0 3:30:0}"}},
	{"G2: two anti-dependency edges", [][]statement.Statement{{from(statement.All), add(1, -10)}, {add(2, 5)}, {from(statement.All)}}, false, "0112200",
		map[string]string{
			"rc,rr,rr-si": "s0[1=10,2=20 1 C] s1[1 C] s2[1=10,2=25 C] t{1:0:0 2:25:0}",
			"ser":         "s0[1=10,2=20 1 C] s1[!1213] s2[1=10,2=20 C] t{1:0:0 2:20:0}"}},
}

// TestHermitage runs Hermitage's cases for MySQL. MySQL has no
// innodb_snapshot_isolation: rr-si is MariaDB's.
func TestHermitage(t *testing.T) {
	for _, c := range hermitage {
		for names, want := range c.want {
			for level := range strings.SplitSeq(names, ",") {
				t.Run(c.name+"/"+level, func(t *testing.T) {
					if got := runSchedule(t, c.program(level), c.schedule); got != want {
						t.Errorf("expected %s\ngot      %s", want, got)
					}
				})
			}
		}
	}
}

func (c *hermitageCase) program(level string) *statement.Program {
	p := &statement.Program{DB: statement.MariaDB, Level: level, Rows: []statement.Row{{ID: 1, V: 10}, {ID: 2, V: 20}}}
	for i, stmts := range c.sessions {
		p.Sessions = append(p.Sessions, []statement.Transaction{{Stmts: stmts, Rollback: c.rollback && i == 0}})
	}
	return p
}

// runSchedule takes the steps of a schedule, leaving out blocked sessions, and
// then what is left in the order of the sessions.
func runSchedule(t *testing.T, p *statement.Program, schedule string) string {
	t.Helper()
	m, err := NewMachine(p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; ; i++ {
		choices := m.Enabled(nil)
		if len(choices) == 0 {
			break
		}
		next := choices[0]
		if i < len(schedule) {
			next = Choice{Kind: RunSession, N: int8(schedule[i] - '0')}
		}
		for _, c := range choices {
			if c == next {
				m.Step(c)
				break
			}
		}
	}
	if err := m.Check(); err != nil {
		t.Error(err)
	}
	return m.Outcome()
}
