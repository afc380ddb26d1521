package proxy_test

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/server/proxy"
)

const accounts = `CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
	INSERT INTO account VALUES (1, 100), (2, 0)`

// sessions is a program in which each session runs a function on its own connection.
func sessions(schema string, bodies ...func(db *sql.DB) error) func(*program.Program) {
	return func(p *program.Program) {
		db := pg.New(p, pg.Schema(schema))
		for i, body := range bodies {
			p.Session(string(rune('a'+i)), func(s *program.Session) {
				err := body(db.Open(s))
				s.Observe("error", err != nil)
			})
		}
	}
}

// exec is a session that runs statements, one after another.
func exec(statements ...string) func(*sql.DB) error {
	return func(db *sql.DB) error {
		for _, text := range statements {
			if _, err := db.Exec(text); err != nil {
				return err
			}
		}
		return nil
	}
}

// inTx runs the statements in a transaction.
func inTx(statements ...string) func(*sql.DB) error {
	return func(db *sql.DB) error {
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		defer tx.Rollback()
		for _, text := range statements {
			if _, err := tx.Exec(text); err != nil {
				return err
			}
		}
		return tx.Commit()
	}
}

// Where a server fails a run, the run says what has happened and where it stopped, and
// nothing is left on the server.
func TestTrouble(t *testing.T) {
	t.Parallel()
	_, dsn := start(t)
	var current *testing.T
	for name, test := range map[string]struct {
		f    func(*program.Program)
		want []string
	}{
		"full disk": {sessions(accounts, exec(`DO $$ BEGIN RAISE 'no space left on device' USING ERRCODE = '53100'; END $$`)),
			[]string{"in step 1", "no space left on device", "53100", "make room"}},
		"statement timeout": {sessions(accounts, exec(`SET statement_timeout = '5ms'`, `SELECT pg_sleep(1000)`)),
			[]string{"57014", "set no statement_timeout", "in step 1"}},
		"lost connection": {sessions(accounts, inTx(`UPDATE account SET balance = 0`, `SELECT pg_terminate_backend(pg_backend_pid())`)),
			[]string{"in step 2", "57P01", "pg_terminate_backend"}},
		"transaction of somebody else": {sessions(accounts, func(db *sql.DB) error {
			lock(current, dsn)
			return exec(`UPDATE account SET balance = 0 WHERE id = 1`)(db)
		}), []string{"waits for a lock that process", "no session is left that could go on"}},
	} {
		t.Run(name, func(t *testing.T) {
			current = t
			claim(t, dsn)
			e := onServer{at: explore.OnServer{DSN: dsn}}.run(t, t.Context(), test.f, isolation.PgRC)
			problem := e.only(t)
			if problem == nil {
				t.Fatalf("no error: %v", e.list)
			}
			for _, want := range test.want {
				if !strings.Contains(problem.Message, want) {
					t.Errorf("the message lacks %q: %s", want, problem.Message)
				}
			}
			if problem.Session == "" || problem.At == "" {
				t.Errorf("the message names no place: %+v", problem)
			}
		})
	}
	left := []string{""}
	// A process of the server ends a moment after its connection.
	for patience := time.Now().Add(time.Minute); len(left) > 0 && time.Now().Before(patience); time.Sleep(time.Millisecond) {
		left = execute(t, dsn, `SELECT relname FROM pg_class k JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
			UNION ALL SELECT nspname FROM pg_namespace WHERE nspname = 'txmc_scratch'
			UNION ALL SELECT query FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
	}
	if len(left) > 0 {
		t.Errorf("left on the server: %q", left)
	}
}

// lock locks the accounts for as long as the test runs.
func lock(t *testing.T, dsn string) {
	c, err := pgconn.Connect(t.Context(), dsn+" application_name=txmc_test_locks")
	if err == nil {
		_, err = c.Exec(t.Context(), "BEGIN; SELECT * FROM account FOR UPDATE").ReadAll()
	}
	if err != nil {
		t.Error(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		c.Close(ctx)
	})
}

// A server that is killed ends the run, which says at which statement.
func TestKilledServer(t *testing.T) {
	t.Parallel()
	server, dsn := alone(t)
	f := sessions(accounts, func(db *sql.DB) error {
		err := exec(`UPDATE account SET balance = 1`)(db)
		return errors.Join(err, server.Kill(), exec(`UPDATE account SET balance = 2`)(db))
	})
	if _, err := proxy.Take(t.Context(), dsn); err != nil {
		t.Fatal(err)
	}
	e := onServer{at: explore.OnServer{DSN: dsn}}.run(t, t.Context(), f, isolation.PgRC)
	problem := e.only(t)
	if problem == nil || !strings.Contains(problem.Message, "the connection was lost while the server ran") {
		t.Errorf("the error is %+v", problem)
	}
	if list := of[*report.Result](e); len(list) != 1 || list[0].Complete || list[0].Stopped != "error" {
		t.Errorf("the result is %+v", list)
	}
	if err := server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	claim(t, dsn) // what was left is taken over, and goes
	if left := execute(t, dsn, "SELECT relname FROM pg_class WHERE relname = 'account'"); len(left) > 0 {
		t.Errorf("left after a kill: %q", left)
	}
}

// A statement that runs for longer than the patience ends the run, one that waits for a
// lock of another session does not.
func TestPatience(t *testing.T) {
	deadlinetest.Long(t)
	_, dsn := start(t)
	claim(t, dsn)
	f := sessions(accounts, exec(`SELECT pg_sleep(1000)`))
	e := onServer{at: explore.OnServer{DSN: dsn}, patience: 3 * time.Second}.run(t, t.Context(), f, isolation.PgRC)
	if problem := e.only(t); problem == nil || !strings.Contains(problem.Message, "has not answered") || !strings.Contains(problem.Message, "--patience") {
		t.Errorf("the error is %+v", problem)
	}
}

// A limit of time ends a level with what there is so far, and the next level begins anew.
func TestTimeout(t *testing.T) {
	t.Parallel()
	_, dsn := start(t)
	claim(t, dsn)
	f := sessions(accounts, exec(`SELECT pg_sleep(1000)`))
	e := onServer{at: explore.OnServer{DSN: dsn}, timeout: 2 * time.Second}.run(t, t.Context(), f, isolation.PgRC, isolation.PgRR)
	list := of[*report.Result](e)
	if len(list) != 2 || e.only(t) != nil {
		t.Fatalf("the results are %+v, the error %v", list, e.only(t))
	}
	for _, r := range list {
		if r.Stopped != "timeout" || r.Complete || r.Explored != 0 {
			t.Errorf("the result is %+v", r)
		}
	}
}

// An interrupt ends a run with what there is so far, and takes back what is open.
func TestInterrupt(t *testing.T) {
	_, dsn := start(t)
	claim(t, dsn)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	f := sessions(accounts, func(db *sql.DB) error {
		cancel()
		return exec(`SELECT pg_sleep(1000)`)(db)
	})
	e := onServer{at: explore.OnServer{DSN: dsn}}.run(t, ctx, f, isolation.PgRC)
	if list := of[*report.Result](e); len(list) != 1 || list[0].Stopped != "interrupt" || list[0].Complete {
		t.Errorf("the results are %+v, the error %v", list, e.only(t))
	}
}
