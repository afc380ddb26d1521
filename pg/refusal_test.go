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
