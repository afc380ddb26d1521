package dpor_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation/postgres"
	"github.com/txmc/txmc/isolation/statement"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/program/deadlinetest"
)

var errRollback = errors.New("the client rolls back")

// byKeyProgram makes a program whose statements find rows by key. With one row some
// updates on PostgreSQL have a condition: InnoDB scans for them otherwise than by key.
func byKeyProgram(r *rand.Rand) *statement.Program {
	db := []string{statement.PostgreSQL, statement.MariaDB}[r.IntN(2)]
	names := slices.Sorted(maps.Keys(levelsOf[db]))
	p := &statement.Program{DB: db, Level: names[r.IntN(len(names))]}
	rows := 1 + r.IntN(3)
	for id := 1; id <= rows; id++ {
		p.Rows = append(p.Rows, statement.Row{ID: id, V: 10 * id})
	}
	mixed := r.IntN(3) == 0
	for range 2 + r.IntN(2) {
		var txns []statement.Transaction
		for range 1 + r.IntN(2) {
			t := statement.Transaction{Rollback: r.IntN(8) == 0}
			if mixed && r.IntN(2) == 0 {
				t.Level = names[r.IntN(len(names))]
			}
			conditions := rows == 1 && db == statement.PostgreSQL && p.LevelOf(&t) != statement.Serializable
			for range 1 + r.IntN(3) {
				t.Stmts = append(t.Stmts, byKeyStatement(r, 1+r.IntN(rows), conditions))
			}
			t.Auto = len(t.Stmts) == 1 && r.IntN(2) == 0
			t.Rollback = t.Rollback && !t.Auto
			txns = append(txns, t)
		}
		p.Sessions = append(p.Sessions, txns)
	}
	return p
}

// readersProgram makes a program at PostgreSQL's SERIALIZABLE. Each of three sessions has one
// transaction of reads and updates, many of them in autocommit. Few other programs have an error
// because of a reader.
func readersProgram(r *rand.Rand) *statement.Program {
	p := &statement.Program{DB: statement.PostgreSQL, Level: statement.Serializable, Rows: []statement.Row{{ID: 1, V: 10}, {ID: 2, V: 20}}}
	for range 3 {
		t := statement.Transaction{Rollback: r.IntN(8) == 0}
		for range 1 + r.IntN(2) {
			op := []statement.Op{statement.Get, statement.UpdKey}[r.IntN(2)]
			t.Stmts = append(t.Stmts, statement.Statement{Op: op, ID: 1 + r.IntN(2), C: 1 + r.IntN(3)})
		}
		t.Auto = len(t.Stmts) == 1 && r.IntN(3) > 0
		t.Rollback = t.Rollback && !t.Auto
		p.Sessions = append(p.Sessions, []statement.Transaction{t})
	}
	return p
}

func byKeyStatement(r *rand.Rand, id int, conditions bool) statement.Statement {
	c := 1 + r.IntN(3)
	switch k := r.IntN(6); {
	case k <= 1:
		return statement.Statement{Op: statement.Get, ID: id}
	case k == 2:
		lock := []string{statement.ForUpdate, statement.ForUpdate, statement.ForShare}[r.IntN(3)]
		return statement.Statement{Op: statement.Get, ID: id, Lock: lock, Wait: []string{"", "", statement.NoWait, statement.SkipLocked}[r.IntN(4)]}
	case k == 3:
		return statement.Statement{Op: statement.UpdLocal, ID: id, C: c}
	case k == 4 && conditions:
		return statement.Statement{Op: statement.UpdPred, D: 8 + r.IntN(8), C: r.IntN(9) - 4}
	}
	return statement.Statement{Op: statement.UpdKey, ID: id, C: c}
}

// asClient is the program as a client program.
func asClient(p *statement.Program) func(*program.Program) {
	return func(q *program.Program) {
		vars := map[int]*program.Var[int]{}
		for _, r := range p.Rows {
			vars[r.ID] = program.NewVar(q, fmt.Sprint(r.ID), r.V)
		}
		for i, txns := range p.Sessions {
			q.Session(fmt.Sprint("s", i), func(s *program.Session) {
				local := 0
				for _, t := range txns {
					runTransaction(s, p, t, vars, &local)
				}
			})
		}
	}
}

func runTransaction(s *program.Session, p *statement.Program, t statement.Transaction, vars map[int]*program.Var[int], local *int) {
	if t.Auto {
		text, copied := "", *local
		if err := s.Auto(func(tx *program.Tx) { text = runStatement(tx, p, t.Stmts[0], vars, &copied) }, program.At(levelsOf[p.DB][p.LevelOf(&t)])); err != nil {
			text = errorText(err)
		}
		s.Observe("", text)
		return
	}
	err := s.Txn("t", func(tx *program.Tx) error {
		for _, st := range t.Stmts {
			text := runStatement(tx, p, st, vars, local)
			if err := tx.Err(); err != nil && !errors.Is(err, program.ErrNoRow) {
				if errorText(err) == "!1205" { // the transaction goes on
					s.Observe("", errorText(err))
					return errRollback
				}
				return nil // Txn returns the error
			}
			s.Observe("", text)
		}
		if t.Rollback {
			return errRollback
		}
		return nil
	}, program.At(levelsOf[p.DB][p.LevelOf(&t)]))
	var db *behaviour.DBError
	switch {
	case errors.As(err, &db):
		s.Observe("", errorText(db))
	case err != nil:
		s.Observe("", "R")
	default:
		s.Observe("", "C")
	}
}

func runStatement(tx *program.Tx, p *statement.Program, st statement.Statement, vars map[int]*program.Var[int], local *int) string {
	v := vars[max(st.ID, 1)]
	switch {
	case st.Op == statement.Get:
		got := 0
		switch st.Lock {
		case "":
			got = v.Get(tx)
		case statement.ForShare:
			got = v.GetForShare(tx, options(&st)...)
		default:
			got = v.GetForUpdate(tx, options(&st)...)
		}
		if errors.Is(tx.Err(), program.ErrNoRow) {
			*local = 0
			return "-"
		}
		if tx.Err() == nil {
			*local = got
		}
		return fmt.Sprintf("%d=%d", st.ID, got)
	case st.Op == statement.UpdLocal && p.DB == statement.PostgreSQL:
		v.Set(tx, *local+st.C)
		return "1"
	case st.Op == statement.UpdLocal: // which counts rows that it changes alone
		return one(v.Update(tx, func(int) (int, bool) { return *local + st.C, true }))
	}
	if v.Update(tx, func(old int) (int, bool) { return old + st.C, st.Op == statement.UpdKey || old >= st.D }) {
		return "1"
	}
	return "0"
}

// onDatabase gives the outcomes that an exploration finds, as text.
func onDatabase(t testing.TB, p *statement.Program, opts dpor.Options) (map[string]bool, dpor.Stats) {
	t.Helper()
	client, err := program.NewClient("ExploreTest", asClient(p), program.Options{Database: true, Recheck: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Park()
	opts.Level, opts.List, opts.All = levelsOf[p.DB][p.Level], true, true
	x := dpor.Explore(context.Background(), client, opts)
	out, once := map[string]bool{}, map[string]bool{} // the text does not say what an UPDATE found
	for f, err := range x.Histories() {
		if err != nil {
			t.Fatal(err)
		}
		key := fmt.Sprint(f.Ends, f.Values)
		if once[key] {
			t.Fatalf("an outcome comes twice: %s\n%s", outcomeText(p, client, f), p.Text())
		}
		once[key] = true
		out[outcomeText(p, client, f)] = true
	}
	if s := x.Stats(); !s.Complete || s.Histories != int64(len(once)) {
		t.Fatalf("%+v of %d outcomes", s, len(once))
	}
	return out, x.Stats()
}

func outcomeText(p *statement.Program, client *program.Client, f *dpor.Found) string {
	var results [][]string
	for _, end := range f.Ends {
		var list []string
		for _, n := range end.Path() {
			for _, e := range n.Events {
				if e.Kind == behaviour.ObserveEvent {
					list = append(list, client.Value(e.Val).(string))
				}
			}
		}
		results = append(results, list)
	}
	var final statement.Tables
	for i, v := range f.Values {
		final.T = append(final.T, statement.Row{ID: p.Rows[i].ID, V: client.Value(v).(int)})
	}
	return p.Outcome(results, final)
}

// machineOutcomes are the outcomes of the model of statements, over all
// interleavings.
func machineOutcomes(t testing.TB, p *statement.Program) map[string]bool {
	t.Helper()
	m, err := postgres.NewMachine(p, true)
	if err != nil {
		t.Fatal(err)
	}
	m.CommitApart()
	out := map[string]bool{}
	var visit func(m *postgres.Machine)
	visit = func(m *postgres.Machine) {
		choices := m.Enabled(nil)
		if len(choices) == 0 {
			out[m.Outcome()] = true
		}
		for _, c := range choices {
			n := &postgres.Machine{}
			n.CopyFrom(m)
			n.Step(c)
			visit(n)
		}
	}
	visit(m)
	return out
}

func modelOutcomes(t testing.TB, p *statement.Program) map[string]bool {
	if p.DB == statement.MariaDB {
		return innodbOutcomes(t, p)
	}
	return machineOutcomes(t, p)
}

// TestStatesOutcomes: on random programs by key the outcomes are compared twice. They
// are those of the model of statements over all interleavings, which other tests
// compare with real servers. They are also those of the same engine when it visits a
// state by each way to it.
func TestStatesOutcomes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(uint64(seed()), 14))
	done, outcomes, failing := 0, 0, 0
	for i := range deadlinetest.Until(t, portion(1000), func() bool { return failing >= portion(1000)/4 }) {
		random := byKeyProgram
		if i%3 == 0 {
			random = readersProgram
		}
		p := random(r)
		for p.Interleavings() > 400 {
			p = random(r)
		}
		done++
		want := modelOutcomes(t, p)
		for _, every := range []bool{false, true} {
			got, _ := onDatabase(t, p, dpor.EveryPath(every))
			if !maps.Equal(got, want) {
				t.Fatalf("every path %v: got\n%s\nwant\n%s\nof\n%s", every, sorted(got), sorted(want), p.Text())
			}
		}
		outcomes += len(want)
		if strings.Contains(sorted(want), "!") {
			failing++
		}
	}
	t.Logf("%d programs, %d with errors, %d outcomes", done, failing, outcomes)
}

func sorted(set map[string]bool) string {
	return strings.Join(slices.Sorted(maps.Keys(set)), "\n")
}
