package mock

import (
	"testing"

	"github.com/txmc/txmc/isolation"
)

// Connections have numbers of processes, by which others cancel their statements and end them.
func TestSignals(t *testing.T) {
	t.Parallel()
	for _, level := range []isolation.Level{isolation.RC, isolation.PgRC} {
		_, dsn := start(t, Options{Level: level}, accounts)
		a, b := dial(t, dsn), dial(t, dsn)
		var pid uint32
		if err := b.QueryRow(t.Context(), "SELECT pg_backend_pid()").Scan(&pid); err != nil || pid != b.PgConn().PID() {
			t.Errorf("%s: the process %d, of %d: %v", level, pid, b.PgConn().PID(), err)
		}
		ended := make(chan string)
		go func() {
			_, err := b.Exec(t.Context(), "SELECT pg_sleep(1000)")
			ended <- codeOf(err)
		}()
		signal := func(function string, process uint32) (is bool) {
			if err := a.QueryRow(t.Context(), "SELECT "+function+"($1)", process).Scan(&is); err != nil {
				t.Fatal(err)
			}
			return is
		}
		for done := false; !done; { // the statement may not have begun
			if !signal("pg_cancel_backend", pid) {
				t.Fatalf("%s: there is no %d", level, pid)
			}
			select {
			case code := <-ended:
				if done = true; code != "57014" {
					t.Errorf("%s: cancelled: %s", level, code)
				}
			default:
			}
		}
		does(t, b, "BEGIN; UPDATE account SET balance = 0 WHERE id = 1")
		if !signal("pg_terminate_backend", pid) || signal("pg_terminate_backend", 123456) {
			t.Errorf("%s: which processes there are", level)
		}
		does(t, a, "UPDATE account SET balance = balance + 1 WHERE id = 1")
		if _, err := b.Exec(t.Context(), "SELECT 1"); codeOf(err) != "57P01" {
			t.Errorf("%s: terminated: %v", level, err)
		}
	}
}
