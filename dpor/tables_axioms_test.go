package dpor_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/reference"
	"github.com/txmc/txmc/isolation/statement"
	programs "github.com/txmc/txmc/isolation/statement/random"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// Tables at axiomatic levels (docs/levels.md): the engines against the reference, which
// reads and writes what the definition says.

// tableBehaviour is what a program does, for the reference. rows are those that some
// transaction inserts: note is told of them.
func tableBehaviour(p *statement.Program, rows []int, note func(id int)) *reference.Program {
	b := &reference.Program{Sessions: len(p.Sessions), Final: -1}
	b.Initial = func(x int) int {
		for _, r := range p.Rows {
			if x == r.ID {
				return packed(line{r.V, r.U})
			}
			if r.U != 0 && x == uniqueVar+r.U {
				return r.ID
			}
		}
		return 0
	}
	b.Run = func(s int, before []reference.Log, answers []int) reference.Run {
		if len(before) == len(p.Sessions[s]) {
			return reference.Run{None: true}
		}
		m := &tableMachine{rows: rows, insert: note}
		for i, l := range before { // what it has read makes its local variable
			past := &tableMachine{rows: rows, insert: note, local: m.local}
			for _, step := range l.Steps {
				if !step.Write && !step.Own {
					past.answers = append(past.answers, step.Val)
				}
			}
			past.transaction(&p.Sessions[s][i])
			m.local = past.local
		}
		m.answers = answers
		m.transaction(&p.Sessions[s][len(before)])
		return reference.Run{Log: reference.Log{Status: m.status, Steps: m.steps}, Asks: m.asks}
	}
	return b
}

// tableHistories are the histories of a program by the definition; nil if they are many.
func tableHistories(p *statement.Program, limit int) map[string]*reference.History {
	inserted := map[int]bool{}
	for _, r := range p.Rows {
		inserted[r.ID] = true
	}
	for {
		rows := slices.Sorted(maps.Keys(inserted))
		all := tableBehaviour(p, rows, func(id int) { inserted[id] = true }).Histories(limit, nil)
		if all == nil || len(rows) == len(inserted) {
			return all
		}
	}
}

// exploredHistories are those that the engine lists.
func exploredHistories(t *testing.T, p *statement.Program, level isolation.Level) map[string]bool {
	t.Helper()
	c, err := program.NewClient("ExploreTest", withTable(p), program.Options{Recheck: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Park()
	x := dpor.Explore(context.Background(), c, dpor.Options{Level: level, Base: level.Base(), List: true, All: true, Workers: 1})
	out := map[string]bool{}
	for f, err := range x.Histories() {
		if err != nil {
			t.Fatalf("%v\n%s", err, p.Text())
		}
		h, err := reference.Of(f.History, func(x behaviour.VarID) int {
			n := 0
			if _, err := fmt.Sscanf(c.Key(x), "t(u)/%d", &n); err == nil {
				return uniqueVar + n
			}
			fmt.Sscanf(c.Key(x), "t/%d", &n)
			return n
		}, func(v behaviour.ValueID) int {
			switch v := c.Value(v).(type) {
			case line:
				return packed(v)
			case int:
				return v
			}
			return 0
		})
		if err != nil {
			t.Fatal(err)
		}
		out[withOrder(h)] = true
	}
	return out
}

// TestTableAxioms: on random programs with a table, the engines list exactly the
// histories of the reference at all six levels.
func TestTableAxioms(t *testing.T) {
	t.Parallel()
	done, total, saves := 0, 0, 0
	for k := int64(seed()) * 1_000_000; done < tablesFlag.N()/2; k++ {
		p := programs.Program(k, programs.Features{DB: statement.PostgreSQL, Level: statement.ReadCommitted, Budget: 150, Save: k%2 == 0})
		if !axiomatic(p) {
			continue
		}
		all := tableHistories(p, 400)
		if all == nil {
			continue
		}
		done++
		if strings.Contains(p.Text(), "ROLLBACK TO") {
			saves++
		}
		for _, level := range isolation.Levels() {
			want := map[string]bool{}
			for _, h := range all {
				if h.Relations().Satisfies(level) {
					want[withOrder(h)] = true
				}
			}
			total += len(want)
			if got := exploredHistories(t, p, level); !maps.Equal(got, want) {
				t.Fatalf("seed %d at %v: got %d\n%s\nwant %d\n%s\nof\n%s", k, level, len(got), sorted(got), len(want), sorted(want), p.Text())
			}
		}
	}
	t.Logf("%d programs, %d with ROLLBACK TO, %d histories", done, saves, total)
}

// axiomatic gives a program the same meaning on a database and at an axiomatic level.
// It leaves out what a client does after an error, and locks that do not wait.
func axiomatic(p *statement.Program) bool {
	for _, txns := range p.Sessions {
		for i := range txns {
			txns[i].GoOn = false
			for k := range txns[i].Stmts {
				txns[i].Stmts[k].Wait = ""
			}
		}
	}
	return known(p)
}
