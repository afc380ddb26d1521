package model_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/postgres"
	"github.com/txmc/txmc/isolation/statement"
	"github.com/txmc/txmc/isolation/statement/random"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
)

var (
	modelPrograms = flag.Int("model-programs", 3, "random programs at each level under the model of PostgreSQL")
	modelSeed     = flag.Int64("model-seed", 1, "the first program's seed")
	modelBudget   = flag.Int("model-budget", 60, "most interleavings of a program under the model of PostgreSQL")
)

var modelLevels = map[string]isolation.Level{statement.ReadCommitted: isolation.PgRC, statement.RepeatableRead: isolation.PgRR, statement.Serializable: isolation.PgSer}

// TestModelOutcomes explores random programs of SQL under the model of PostgreSQL: the
// server's executor runs the statements. The outcomes are those of the model's own
// machine, which is compared with real servers.
func TestModelOutcomes(t *testing.T) {
	for level, at := range modelLevels {
		t.Run(level, func(t *testing.T) {
			for seed := *modelSeed; seed < *modelSeed+int64(*modelPrograms); seed++ {
				p := random.Program(seed, random.Mix(seed, statement.PostgreSQL, level, *modelBudget))
				compareModel(t, p, at)
			}
		})
	}
}

func compareModel(t *testing.T, p *statement.Program, at isolation.Level) {
	t.Helper()
	want := machineOutcomes(t, p)
	got := modelOutcomes(t, p, at)
	for _, o := range slices.Sorted(maps.Keys(want)) {
		if !got[o] {
			t.Errorf("seed %d: only the machine has %s\n%s", p.Seed, o, p.Text())
			break
		}
	}
	for _, o := range slices.Sorted(maps.Keys(got)) {
		if !want[o] {
			t.Errorf("seed %d: only SQL has %s\n%s", p.Seed, o, p.Text())
			break
		}
	}
}

// machineOutcomes are the outcomes of the model's machine, over all interleavings and
// races.
func machineOutcomes(t *testing.T, p *statement.Program) map[string]bool {
	first, err := postgres.NewMachine(p, true)
	if err != nil {
		t.Fatal(err)
	}
	outcomes, seen := map[string]bool{}, map[postgres.Key]bool{}
	var keyer postgres.Keyer
	var visit func(m *postgres.Machine)
	visit = func(m *postgres.Machine) {
		key := m.Key(&keyer)
		if seen[key] {
			return
		}
		seen[key] = true
		choices := m.Enabled(nil)
		if len(choices) == 0 {
			outcomes[m.Outcome()] = true
		}
		for _, c := range choices {
			n := &postgres.Machine{}
			n.CopyFrom(m)
			n.Step(c)
			visit(n)
		}
	}
	visit(first)
	return outcomes
}

// modelOutcomes are those of the program as SQL under the model.
func modelOutcomes(t *testing.T, p *statement.Program, at isolation.Level) map[string]bool {
	return outcomesOf(t, p, at, func(q *program.Program) { statements(q, p) })
}

func outcomesOf(t *testing.T, p *statement.Program, at isolation.Level, declare func(*program.Program)) map[string]bool {
	axiomatic, err := program.NewClient(t.Name(), declare, program.Options{Patience: 10 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	c, err := axiomatic.DatabaseAt(at.String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Park()
	outcomes := map[string]bool{}
	x := dpor.Explore(t.Context(), c, dpor.Options{Level: at, All: true, List: true, Workers: 1})
	for found, err := range x.Histories() {
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", p.Seed, err, p.Text())
		}
		outcomes[outcomeOf(c, p, found)] = true
	}
	return outcomes
}

func outcomeOf(c *program.Client, p *statement.Program, found *dpor.Found) string {
	results := make([][]string, len(p.Sessions))
	var final statement.Tables
	for i, n := range found.Ends {
		for _, m := range n.Path() {
			for _, e := range m.Events {
				if e.Kind == program.ObserveEvent {
					results[i] = append(results[i], c.Value(e.Val).(string))
				}
			}
		}
	}
	for _, v := range found.Rows {
		var a, b string
		text := c.Storage().Describe(v)
		if n, _ := fmt.Sscanf(text, "c {id:%s tid:%s", &a, &b); n == 2 {
			final.C = append(final.C, statement.ChildRow{ID: number(a), Tid: number(b)})
		}
		var u string
		if n, _ := fmt.Sscanf(text, "t {id:%s u:%s v:%s", &a, &u, &b); n == 3 {
			final.T = append(final.T, statement.Row{ID: number(a), V: number(b), U: number(u)})
		}
	}
	return p.Outcome(results, final)
}

func number(s string) int {
	n, _ := strconv.Atoi(strings.TrimSuffix(s, "}"))
	return n
}

// statements declares the program: each session sends its statements as its client
// decides.
func statements(q *program.Program, p *statement.Program) {
	schema := "CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL, u int UNIQUE); CREATE TABLE c (id int PRIMARY KEY, tid int NOT NULL"
	if p.HasChild {
		schema += " REFERENCES t (id)"
	}
	seed := ""
	for _, r := range p.Rows {
		seed += fmt.Sprintf("INSERT INTO t VALUES (%d, %d, %s);", r.ID, r.V, statement.Null(r.U))
	}
	for _, r := range p.Children {
		seed += fmt.Sprintf("INSERT INTO c VALUES (%d, %d);", r.ID, r.Tid)
	}
	db := pg.New(q, pg.Schema(schema+")"), pg.Seed(seed))
	for i := range p.Sessions {
		q.Session(fmt.Sprint("s", i), func(s *program.Session) { converse(s, db.Config(s), p, i) })
	}
}

// converse is the client of a session.
func converse(s *program.Session, config *pgx.ConnConfig, p *statement.Program, i int) {
	ctx := context.Background()
	conn, err := pgconn.ConnectConfig(ctx, &config.Config)
	if err != nil {
		s.Observe("", err.Error())
		return
	}
	defer conn.Close(ctx)
	txns := p.Sessions[i]
	for client := (statement.Client{}); client.Next(txns).Kind != statement.Done; {
		r := send(ctx, conn, p, i, client.Next(txns))
		s.Observe("", r.String())
		var rollback bool
		if client, rollback = client.After(txns, statement.PostgreSQL, r); rollback {
			conn.Exec(ctx, "ROLLBACK").ReadAll()
		}
	}
}

var sqlLevels = map[string]string{statement.ReadCommitted: "READ COMMITTED", statement.RepeatableRead: "REPEATABLE READ", statement.Serializable: "SERIALIZABLE"}

func send(ctx context.Context, conn *pgconn.PgConn, p *statement.Program, i int, a statement.Action) statement.Result {
	t := &p.Sessions[i][a.Txn]
	sql := a.SQL(p, i)
	level := sqlLevels[p.LevelOf(t)]
	switch {
	case a.First && t.ReadOnly:
		sql = "BEGIN ISOLATION LEVEL " + level + " READ ONLY;" + sql
	case a.First:
		sql = "BEGIN ISOLATION LEVEL " + level + ";" + sql
	case t.Auto:
		conn.Exec(ctx, "SET default_transaction_isolation = '"+strings.ToLower(level)+"'").ReadAll()
	}
	return exec(ctx, conn, sql)
}

func exec(ctx context.Context, conn *pgconn.PgConn, sql string) statement.Result {
	results, err := conn.Exec(ctx, sql).ReadAll()
	var failed *pgconn.PgError
	if errors.As(err, &failed) {
		return statement.Fail(failed.Code)
	}
	if err != nil {
		return statement.Fail(err.Error())
	}
	return resultOf(results[len(results)-1])
}

func resultOf(r *pgconn.Result) statement.Result {
	switch tag := r.CommandTag.String(); {
	case tag == "COMMIT":
		return statement.Result{Kind: statement.Committed}
	case tag == "ROLLBACK":
		return statement.Result{Kind: statement.RolledBack}
	case tag == "SAVEPOINT":
		return statement.Result{Kind: statement.Saved}
	case !r.CommandTag.Select():
		return statement.Result{Kind: statement.Count, N: int(r.CommandTag.RowsAffected())}
	}
	var pairs []statement.IDValue
	for _, row := range r.Rows {
		pairs = append(pairs, statement.IDValue{ID: number(string(row[0])), V: number(string(row[1]))})
	}
	if len(pairs) == 1 && r.FieldDescriptions[0].Name == "count" {
		return statement.Result{Kind: statement.Aggregate, N: pairs[0].ID, Sum: pairs[0].V}
	}
	return statement.Result{Kind: statement.Rows, Rows: pairs}
}
