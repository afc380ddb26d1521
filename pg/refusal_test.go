package pg_test

import (
	"context"
	"testing"

	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
)

// Who tries to take an advisory lock, does not get it and changes nothing has been refused, which no serial order shows.
// Who changes something then has an outcome that is judged.
func TestRefusedByTryLock(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, changes := range map[string]bool{"refused": false, "goes on": true} {
		t.Run(name, func(t *testing.T) {
			failures, observed := onModel(t, func(p *program.Program) {
				db := pg.New(p, pg.Schema("CREATE TABLE note (who text)"))
				for _, who := range []string{"a", "b"} {
					p.Session(who, func(s *program.Session) {
						conn, err := db.Open(s).Conn(ctx)
						if err != nil {
							s.Assert(false, err)
						}
						defer conn.Close()
						var got bool
						if err := conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock(7)").Scan(&got); err != nil {
							s.Assert(false, err)
						}
						s.Observe("got", got)
						text := "in turn"
						if !got {
							text = "beside"
						}
						if got || changes {
							if _, err := conn.ExecContext(ctx, "INSERT INTO note VALUES ($1)", text); err != nil {
								s.Assert(false, err)
							}
						}
						if got {
							if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_unlock(7)"); err != nil {
								s.Assert(false, err)
							}
						}
					})
				}
				p.SerialSessions("one after another")
			})
			if !observed["got false"] {
				t.Error("nobody is refused")
			}
			if (len(failures) > 0) != changes {
				t.Errorf("failures: %q", failures)
			}
		})
	}
}

// Who finds another version of a row than it has read, tells its user to try again and commits nothing has not run. Without a word
// that is an outcome which no serial order has; so is one in which it commits.
func TestRefusedByVersion(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, c := range map[string]struct{ says, commits, judged bool }{"says so": {says: true}, "says nothing": {judged: true}, "commits": {says: true, commits: true, judged: true}} {
		t.Run(name, func(t *testing.T) {
			failures, observed := onModel(t, func(p *program.Program) {
				db := pg.New(p, pg.Schema("CREATE TABLE seat (id int PRIMARY KEY, version int); CREATE TABLE log (who text)"), pg.Seed("INSERT INTO seat VALUES (1, 1)"))
				for _, who := range []string{"a", "b"} {
					p.Session(who, func(s *program.Session) {
						tx, err := db.Open(s).BeginTx(ctx, nil)
						s.Assert(err == nil, err)
						defer tx.Rollback()
						var version int
						s.Assert(tx.QueryRowContext(ctx, "SELECT version FROM seat WHERE id = 1").Scan(&version) == nil)
						if !c.commits {
							_, err = tx.ExecContext(ctx, "INSERT INTO log VALUES ('met')")
							s.Assert(err == nil, err)
						}
						done, err := tx.ExecContext(ctx, "UPDATE seat SET version = version + 1 WHERE id = 1 AND version = $1", version)
						s.Assert(err == nil, err)
						n, err := done.RowsAffected()
						s.Assert(err == nil, err)
						s.Observe("rows", n)
						if n == 0 && c.says {
							s.Backend().Refused()
						}
						if n == 1 || c.commits {
							s.Assert(tx.Commit() == nil)
						}
					})
				}
				p.SerialSessions("one after another")
			})
			if !observed["rows 0"] {
				t.Error("nobody meets another version")
			}
			if (len(failures) > 0) != c.judged {
				t.Errorf("failures: %q", failures)
			}
		})
	}
}
