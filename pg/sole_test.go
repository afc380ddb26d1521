package pg_test

import (
	"context"
	"maps"
	"testing"

	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/dpor/sqltest/brute"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
)

// updater declares two sessions that run a statement with an argument n times each, in autocommit, and observe the
// value that it returns.
func updater(schema, statement string, n int) func(*program.Program) {
	return func(p *program.Program) {
		db := pg.New(p, pg.Schema(schema), pg.Seed("INSERT INTO t VALUES (1, 'a', 0)"))
		for _, name := range []string{"one", "two"} {
			p.Session(name, func(s *program.Session) {
				d := db.Open(s)
				for range n {
					var v int
					if err := d.QueryRowContext(context.Background(), statement, 1).Scan(&v); err != nil {
						s.Observe(name, err.Error())
						return
					}
					s.Observe(name, v)
				}
			})
		}
	}
}

const oneTable = "CREATE TABLE t (id int PRIMARY KEY, u text UNIQUE, v int NOT NULL);"

// A statement that finds a row by its key and locks it reads it once. So two sessions have as
// many histories as there are orders of their statements, at each level.
func TestSoleReads(t *testing.T) {
	t.Parallel()
	for _, statement := range []string{
		"UPDATE t SET v = v + 1 WHERE id = $1 RETURNING v",
		"UPDATE t SET v = v + 1 WHERE id = $1 AND v < 100 RETURNING v",
	} {
		for n, want := range map[int]int64{1: 2, 2: 6, 3: 20} {
			if n > deadlinetest.Of(3, 2) {
				continue
			}
			client := newClient(t, updater(oneTable, statement, n))
			for _, level := range brute.Levels {
				if got := sqltest.ExploreAt(t, client, level).Histories; got != want {
					t.Errorf("%s: %d times at %s: %d histories, not %d", statement, n, level, got, want)
				}
			}
		}
	}
}

// Other parts of a statement may look at the row by the statement's snapshot. They see what the
// snapshot has, not what is locked. Such parts are a subquery, the other side of a join, a
// function of the user's, and a trigger's STABLE function.
func TestNotSole(t *testing.T) {
	t.Parallel()
	const (
		function = `CREATE FUNCTION seen(i int) RETURNS int STABLE LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT v FROM t WHERE id = i); END';`
		trigger  = `CREATE FUNCTION was() RETURNS trigger STABLE LANGUAGE plpgsql AS 'BEGIN NEW.v := 10 * (SELECT v FROM t WHERE id = 1) + NEW.v; RETURN NEW; END';
			CREATE TRIGGER was BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION was();`
	)
	both := map[string]bool{"one=0 two=0 ": true, "one=0 two=1 ": true, "one=1 two=0 ": true}
	for _, x := range []struct {
		schema, statement string
		want              map[string]bool
	}{
		{oneTable, "UPDATE t SET v = v + 1 WHERE id = $1 RETURNING (SELECT o.v FROM t o WHERE o.id = t.id)", both},
		{oneTable, "UPDATE t SET v = t.v + 1 FROM t o WHERE t.id = $1 AND o.id = t.id RETURNING o.v", both},
		{oneTable + function, "UPDATE t SET v = v + 1 WHERE id = $1 RETURNING seen(id)", both},
		// With the latest version both times the second one has 10*1 + 2.
		{oneTable + trigger, "UPDATE t SET v = v + 1 WHERE id = $1 RETURNING v",
			map[string]bool{"one=1 two=2 ": true, "one=2 two=1 ": true, "one=1 two=12 ": true, "one=12 two=1 ": true}},
	} {
		got := sqltest.Explore(t, updater(x.schema, x.statement, 1), brute.Levels[0]).Outcomes
		if outcomes := keys(got); !maps.Equal(outcomes, x.want) {
			t.Errorf("%s: %v, not %v", x.statement, outcomes, x.want)
		}
	}
}

func keys(counts map[string]int) map[string]bool {
	set := map[string]bool{}
	for k := range counts {
		set[k] = true
	}
	return set
}
