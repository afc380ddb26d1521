package mock

import (
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/isolation"
)

// Times that clients set pass: of statements, of waits for locks, and of idle transactions;
// and pg_sleep takes its time.
func TestClientsTimeouts(t *testing.T) {
	t.Parallel()
	for level, delay := range map[isolation.Level]time.Duration{isolation.RC: 0, isolation.PgRC: 1} {
		_, dsn := start(t, Options{Level: level, Delay: delay}, accounts)
		holder, c := dial(t, dsn), dial(t, dsn)
		fails := func(sql, want, message string) {
			t.Helper()
			_, err := c.Exec(t.Context(), sql)
			var e *pgconn.PgError
			if !errors.As(err, &e) || e.Code != want || e.Message != message {
				t.Errorf("%s: %s: %v, want %s: %s", level, sql, err, want, message)
			}
		}
		begun := time.Now()
		does(t, c, "SELECT pg_sleep(0.3)")
		if took := time.Since(begun); took < 300*time.Millisecond {
			t.Errorf("%s: pg_sleep(0.3) takes %v", level, took)
		}
		does(t, c, "SET statement_timeout = 100")
		fails("SELECT pg_sleep(1000)", "57014", "canceling statement due to statement timeout")
		does(t, holder, "BEGIN; UPDATE account SET balance = 0 WHERE id = 1")
		fails("UPDATE account SET balance = 1 WHERE id = 1", "57014", "canceling statement due to statement timeout")
		does(t, c, "SET statement_timeout = 0; SET lock_timeout = '50ms'")
		fails("UPDATE account SET balance = 1 WHERE id = 1", "55P03", "canceling statement due to lock timeout")
		does(t, c, "UPDATE account SET balance = 1 WHERE id = 2")
		does(t, holder, "ROLLBACK")
		does(t, c, "UPDATE account SET balance = 1 WHERE id = 1")
		does(t, c, "SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 100")
		does(t, c, "BEGIN; UPDATE account SET balance = 2 WHERE id = 1")
		does(t, holder, "UPDATE account SET balance = 3 WHERE id = 1") // waits until the other one has been ended
		fails("SELECT 1", "25P03", "terminating connection due to idle-in-transaction timeout")
	}
}
