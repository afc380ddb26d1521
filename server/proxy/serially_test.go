package proxy_test

import (
	"testing"

	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/report"
)

// lostUpdate reads a sum, and writes it with one more, twice.
func lostUpdate(p *program.Program) {
	db := pg.New(p, pg.Schema("CREATE TABLE sum (id int PRIMARY KEY, n int NOT NULL)"), pg.Seed("INSERT INTO sum VALUES (1, 0)"))
	for _, name := range []string{"ann", "bob"} {
		p.Session(name, func(s *program.Session) {
			tx, err := db.Open(s).Begin()
			if err != nil {
				return
			}
			defer tx.Rollback()
			var n int
			if tx.QueryRow("SELECT n FROM sum WHERE id = 1").Scan(&n) != nil {
				return
			}
			if _, err := tx.Exec("UPDATE sum SET n = $1 WHERE id = 1", n+1); err == nil {
				_ = tx.Commit()
			}
		})
	}
	p.Serializable("serializable")
}

// lookAndWrite reads a sum, and writes it with one more in a transaction of its own, twice.
func lookAndWrite(p *program.Program) {
	db := pg.New(p, pg.Schema("CREATE TABLE sum (id int PRIMARY KEY, n int NOT NULL)"), pg.Seed("INSERT INTO sum VALUES (1, 0)"))
	for _, name := range []string{"ann", "bob"} {
		p.Session(name, func(s *program.Session) {
			var n int
			if db.Open(s).QueryRow("SELECT n FROM sum WHERE id = 1").Scan(&n) == nil {
				_, err := db.Open(s).Exec("UPDATE sum SET n = $1 WHERE id = 1", n+1)
				s.Observe("failed", err != nil)
			}
		})
	}
	p.SerialSessions("one after another")
}

// A server that leaves what no serial order leaves confirms the violation.
func TestConfirmedByWhatIsLeft(t *testing.T) {
	deadlinetest.Long(t)
	_, dsn := start(t)
	for want, program := range map[string]func(*program.Program){states.NotLeft: lostUpdate, states.NotLeftWhole: lookAndWrite} {
		t.Run(want, func(t *testing.T) {
			claim(t, dsn)
			e := onServer{at: explore.OnServer{DSN: dsn, Confirm: true}}.run(t, t.Context(), program, isolation.PgRC)
			list := of[*report.Violation](e)
			if len(list) == 0 {
				t.Fatal("no violation")
			}
			for _, v := range list {
				if c := v.Confirmation; c.Verdict != report.Confirmed || len(c.Failures) != 1 || c.Failures[0].Message != want {
					t.Errorf("%s: %+v", c.Text(), c.Failures)
				}
			}
		})
	}
}

// staleRead reads a number twice while another session changes it, and observes both, and
// what else a query says.
func staleRead(query string) func(p *program.Program) {
	return func(p *program.Program) {
		db := pg.New(p, pg.Schema("CREATE TABLE sum (id int PRIMARY KEY, n int NOT NULL)"), pg.Seed("INSERT INTO sum VALUES (1, 0)"))
		p.Session("writer", func(s *program.Session) { _, _ = db.Open(s).Exec("UPDATE sum SET n = 1 WHERE id = 1") })
		p.Session("reader", func(s *program.Session) {
			tx, err := db.Open(s).Begin()
			if err != nil {
				return
			}
			defer tx.Rollback()
			var first, second int
			var said string
			if tx.QueryRow("SELECT n FROM sum").Scan(&first) == nil && tx.QueryRow("SELECT n FROM sum").Scan(&second) == nil && tx.QueryRow(query).Scan(&said) == nil {
				s.Observe("seen", []any{first, second, said})
			}
		})
		p.Serializable("serializable")
	}
}

// A server that lets the sessions observe what no serial order does confirms the violation;
// one on which they observe something else does not.
func TestConfirmedByWhatIsObserved(t *testing.T) {
	if !inFull() {
		t.Skip("with -full, on a real server")
	}
	_, dsn := start(t)
	for query, want := range map[string]string{"SELECT 'same'": report.Confirmed, "SELECT version()": report.Unconfirmed} {
		t.Run(query, func(t *testing.T) {
			claim(t, dsn)
			list := of[*report.Violation](onServer{at: explore.OnServer{DSN: dsn, Confirm: true}}.run(t, t.Context(), staleRead(query), isolation.PgRC))
			if len(list) != 1 {
				t.Fatalf("%d violations", len(list))
			}
			if v := list[0]; v.Failures[0].Message != states.NotSeen || v.Confirmation.Verdict != want {
				t.Errorf("%s: %s", v.Failures[0].Message, v.Confirmation.Text())
			}
		})
	}
}

// add adds to a number in one statement, twice.
func add(p *program.Program) {
	db := pg.New(p, pg.Schema("CREATE TABLE sum (id int PRIMARY KEY, n int NOT NULL)"), pg.Seed("INSERT INTO sum VALUES (1, 0)"))
	for i, name := range []string{"ann", "bob"} {
		p.Session(name, func(s *program.Session) {
			var n int
			err := db.Open(s).QueryRow("UPDATE sum SET n = n * 2 + $1 WHERE id = 1 RETURNING n", i+1).Scan(&n)
			s.Observe("n", []any{n, err == nil})
		})
	}
	p.Serializable("serializable")
}

// Explored on a server, a program's outcomes are judged by the serial orders on the server.
func TestSerialOrdersOnServer(t *testing.T) {
	deadlinetest.Long(t)
	_, dsn := start(t)
	for _, test := range []struct {
		name    string
		program func(*program.Program)
		level   isolation.Level
		want    string
	}{
		{"lost update", lostUpdate, isolation.PgRC, states.NotLeft},
		{"lost update", lostUpdate, isolation.PgRR, ""}, // one ends by 40001
		{"stale read", staleRead("SELECT 'same'"), isolation.PgRC, states.NotSeen},
		{"stale read", staleRead("SELECT 'same'"), isolation.PgRR, ""},
		{"add", add, isolation.PgRC, ""},
		{"look and write", lookAndWrite, isolation.PgRC, states.NotLeftWhole},
		{"look and write", lookAndWrite, isolation.PgSer, states.NotLeftWhole},
	} {
		t.Run(test.name+" "+test.level.String(), func(t *testing.T) {
			claim(t, dsn)
			e := onServer{at: explore.OnServer{DSN: dsn}}.run(t, t.Context(), test.program, test.level)
			for _, v := range of[*report.Violation](e) {
				if v.Failures[0].Message != test.want {
					t.Errorf("%s", v.Failures[0].Message)
				}
			}
			if r := of[*report.Result](e); len(r) != 1 || (r[0].Violations == 1) != (test.want != "") || r[0].Complete != (test.want == "") {
				t.Errorf("%+v", r)
			}
		})
	}
}
