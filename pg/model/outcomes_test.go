package model_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/postgres"
	"github.com/txmc/txmc/isolation/statement"
	"github.com/txmc/txmc/isolation/statement/random"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
)

var (
	modelPrograms = deadlinetest.Flag("model-programs", 2, 1, "random programs at each level under the model of PostgreSQL")
	modelSeed     = flag.Int64("model-seed", 1, "the first program's seed")
	modelBudget   = flag.Int("model-budget", 60, "most interleavings of a program under the model of PostgreSQL")
)

// modelLevels are the levels of transactions that ask for none.
var modelLevels = map[string]isolation.Level{statement.ReadCommitted: isolation.PgRC, statement.RepeatableRead: isolation.PgRR, statement.Serializable: isolation.PgSer}

// randomLevels are those of random programs.
func randomLevels() map[string]isolation.Level {
	levels := maps.Clone(modelLevels)
	levels[mixedLevels] = isolation.PgRC
	return levels
}

// TestModelOutcomes explores random programs of SQL under the model of PostgreSQL: the
// server's executor runs the statements. The outcomes are those of the model's own
// machine, which is compared with real servers.
func TestModelOutcomes(t *testing.T) {
	t.Parallel()
	for level, at := range randomLevels() {
		t.Run(level, func(t *testing.T) {
			for seed := *modelSeed; seed < *modelSeed+int64(modelPrograms.N()); seed++ {
				compareModel(t, randomSQL(seed, level), at)
			}
		})
	}
}

// mixedLevels is the name of programs whose transactions ask for levels of their own.
const mixedLevels = "mixed"

// randomSQL is a random program at a level, or at several.
func randomSQL(seed int64, level string) *statement.Program {
	if level != mixedLevels {
		return random.Program(seed, random.Mix(seed, statement.PostgreSQL, level, *modelBudget))
	}
	f := random.Mix(seed, statement.PostgreSQL, statement.ReadCommitted, *modelBudget)
	f.Mixed = []string{statement.RepeatableRead, statement.Serializable}
	return random.Program(seed, f)
}

func compareModel(t *testing.T, p *statement.Program, at isolation.Level) {
	t.Helper()
	sqltest.Compare(t, p, machineOutcomes(t, p), modelOutcomes(t, p, at), [2]string{"the machine", "SQL"})
}

// machineOutcomes are the outcomes of the model's machine, over all interleavings and
// races.
func machineOutcomes(t *testing.T, p *statement.Program) map[string]bool {
	t.Helper()
	first, err := postgres.NewMachine(p, true)
	if err != nil {
		t.Fatal(err)
	}
	first.CommitApart()
	var keyer postgres.Keyer
	x := sqltest.Machine[*postgres.Machine, postgres.Key, postgres.Choice]{
		Key:     func(m *postgres.Machine) postgres.Key { return m.Key(&keyer) },
		Enabled: func(m *postgres.Machine) []postgres.Choice { return m.Enabled(nil) },
		Copy: func(m *postgres.Machine) *postgres.Machine {
			n := &postgres.Machine{}
			n.CopyFrom(m)
			return n
		},
		Step:    (*postgres.Machine).Step,
		Outcome: (*postgres.Machine).Outcome,
	}
	return x.Outcomes(first)
}

// modelOutcomes are those of the program as SQL under the model.
func modelOutcomes(t *testing.T, p *statement.Program, at isolation.Level) map[string]bool {
	t.Helper()
	return sqltest.Outcomes(t, p, at, func(q *program.Program) { statements(q, p) })
}

// number is a whole number, 0 of null.
func number(s string) int {
	n, _ := strconv.Atoi(s)
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
	sqltest.Converse(s, p, i, func(a statement.Action) statement.Result { return send(ctx, conn, p, i, a) },
		func() { conn.Exec(ctx, "ROLLBACK").ReadAll() })
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

// The tests of the storage have this flag; here it has no effect, so that it can be
// given for all packages at once.
var _ = flag.String("corpus", "", "directory of recorded statements: see the package storage")
