package mysql_test

import (
	"context"
	"errors"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"

	exploring "github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/mysql"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
)

// TestSavepointAfterDeadlock: the victim of a deadlock has no savepoint any more (MariaDB's
// documentation, "SAVEPOINT": 1305 for a name that does not exist).
func TestSavepointAfterDeadlock(t *testing.T) {
	t.Parallel()
	met := false
	p := func(p *program.Program) {
		db := mysql.New(p, mysql.Schema("CREATE TABLE t (id int PRIMARY KEY, n int)"), mysql.Seed("INSERT INTO t VALUES (1, 0), (2, 0)"))
		for i, name := range []string{"up", "down"} {
			p.Session(name, func(s *program.Session) {
				ctx := context.Background()
				tx, err := db.Open(s).BeginTx(ctx, nil)
				s.Assert(err == nil, err)
				defer tx.Rollback()
				for _, id := range []int{1 + i, 2 - i} {
					if _, err = tx.ExecContext(ctx, "UPDATE t SET n = n + 1 WHERE id = ?", id); err != nil {
						break
					}
					_, err = tx.ExecContext(ctx, "SAVEPOINT s")
					s.Assert(err == nil, err)
				}
				if number(err) == 1213 {
					met = true
					_, err = tx.ExecContext(ctx, "ROLLBACK TO SAVEPOINT s")
					s.Assertf(number(err) == 1305, "after a deadlock: %v", err)
				}
			})
		}
	}
	e := &reported{}
	r := &exploring.Run{Package: "test", Sink: e, Task: exploring.Find, Options: exploring.Options{Levels: []isolation.Level{isolation.InnoRR}, Patience: time.Minute, MaxOps: 1000, Workers: 1}}
	r.Programs(t.Context(), []exploring.Program{{Name: "ExploreSavepoint", Explore: p}})
	for _, v := range reportsOf[*report.Violation](e) {
		t.Error((&report.Text{}).Violation(v))
	}
	if results := reportsOf[*report.Result](e); len(results) != 1 || !results[0].Complete || !met {
		t.Errorf("%v: %+v", met, e.list)
	}
}

// number is that of an error of the server; 0 for none.
func number(err error) uint16 {
	var e *driver.MySQLError
	if errors.As(err, &e) {
		return e.Number
	}
	return 0
}
