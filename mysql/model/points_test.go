package model_test

import (
	"flag"
	"maps"
	"slices"
	"testing"

	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/isolation/innodb/mariadb"
	"github.com/txmc/txmc/isolation/statement"
	"github.com/txmc/txmc/program"
)

var pointsPrograms = flag.Int("points-programs", 2, "random programs whose statements are explored request by request, at each level")

// TestPoints: the points inside statements lose no outcome. Where each request of an
// executor is a step, and a woken statement goes on whenever it likes, the outcomes are the
// same. Where each statement is a step there are fewer.
func TestPoints(t *testing.T) {
	for _, level := range mariadb.Levels {
		t.Run(level, func(t *testing.T) {
			more := 0
			for seed := *modelSeed; seed < *modelSeed+uint64(*pointsPrograms); seed++ {
				p := mariadb.Generate(seed, level, mariadb.Mix(seed, 20))
				points, requests := sqlOutcomesIn(t, p, states.Points), sqlOutcomesIn(t, p, states.Requests)
				unbroken, statements := sqlOutcomesIn(t, p, states.Unbroken), sqlOutcomes(t, p)
				sqltest.Compare(t, p, points, requests, [2]string{"points", "requests"})
				sqltest.Within(t, p, statements, unbroken, "statements")
				sqltest.Within(t, p, unbroken, points, "unbroken statements")
				if len(points) > len(statements) {
					more++
				}
			}
			t.Logf("%d of %d programs have outcomes that no order of whole statements has", more, *pointsPrograms)
		})
	}
}

// inside are programs whose outcomes need that others run inside a statement.
var inside = []known{
	{"a write by the primary key meets a locking read by a secondary index", mariadb.Script{Level: statement.ReadCommitted, Schema: []string{pairs}, Rows: []string{pairs12}, Tables: []string{"t"},
		Sessions: [][]string{{"UPDATE t SET b = 30 WHERE a = 1"}, {"SELECT a FROM t FORCE INDEX (kb) WHERE b = 10 FOR UPDATE"}}},
		[]string{"s0[!1213] s1[[1]] t[1,10 2,20]", "s0[1] s1[!1213] t[1,30 2,20]", "s0[1] s1[[1]] t[1,30 2,20]", "s0[1] s1[[]] t[1,30 2,20]"}},
	{"two statements lock two rows in opposite orders", mariadb.Script{Level: statement.ReadCommitted, Schema: []string{counters}, Rows: []string{"INSERT INTO l VALUES (1, 1), (2, 2)"}, Tables: []string{"l"},
		Sessions: [][]string{{"UPDATE l SET b = 3 ORDER BY a"}, {"UPDATE l SET b = 4 ORDER BY a DESC"}}},
		[]string{"s0[!1213] s1[2] l[1,4 2,4]", "s0[2] s1[!1213] l[1,3 2,3]", "s0[2] s1[2] l[1,3 2,3]", "s0[2] s1[2] l[1,4 2,4]"}},
	{"another transaction comes between a lock that is given back and the next one of the scan", mariadb.Script{Level: statement.ReadCommitted, Schema: []string{counters}, Rows: []string{"INSERT INTO l VALUES (1, 1), (2, 100)"}, Tables: []string{"l"},
		Sessions: [][]string{{"SELECT a FROM l WHERE b = 100 FOR UPDATE"}, {mariadb.Begin, "UPDATE l SET b = 100 WHERE a = 1", "UPDATE l SET b = 7 WHERE a = 2", mariadb.Commit}}},
		[]string{"s0[[1]] s1[1 1 C] l[1,100 2,7]", "s0[[2]] s1[1 1 C] l[1,100 2,7]", "s0[[]] s1[1 1 C] l[1,100 2,7]"}},
}

// TestInside: they have these outcomes and no others, and some that no order of whole statements has.
func TestInside(t *testing.T) {
	for _, x := range inside {
		t.Run(x.name, func(t *testing.T) {
			declare := func(q *program.Program) { script(q, &x.p) }
			got := sqltest.ScriptOutcomesIn(t, &x.p, modelLevels[x.p.Level], states.Points, declare)
			if list := slices.Sorted(maps.Keys(got)); !slices.Equal(list, slices.Sorted(slices.Values(x.want))) {
				t.Errorf("got %q", list)
			}
			if whole := sqltest.ScriptOutcomes(t, &x.p, modelLevels[x.p.Level], declare); len(whole) >= len(got) {
				t.Errorf("whole statements have all of them: %q", slices.Sorted(maps.Keys(whole)))
			}
		})
	}
}
