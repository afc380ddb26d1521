package mock

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/txmc/txmc/isolation"
)

// Transactions that ask for SERIALIZABLE, or for REPEATABLE READ where the level has no
// snapshots, are serializable: no write skew, and no rows that both miss. Others are not.
func TestSerializableIsHonoured(t *testing.T) {
	t.Parallel()
	skew := [2][2]string{
		{"SELECT balance FROM account WHERE id = 1", "UPDATE account SET balance = 0 WHERE id = 2"},
		{"SELECT balance FROM account WHERE id = 2", "UPDATE account SET balance = 0 WHERE id = 1"},
	}
	insert := "INSERT INTO log (account, amount) VALUES (1, 1)"
	phantom := [2][2]string{{"SELECT count(*) FROM log", insert}, {"SELECT count(*) FROM log", insert}}
	for _, level := range []isolation.Level{isolation.RC, isolation.CC, isolation.PC, isolation.SI} {
		for _, asked := range []string{"", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"} {
			for name, statements := range map[string][2][2]string{"write skew": skew, "a phantom": phantom} {
				said := ""
				_, dsn := start(t, Options{Level: level, Refused: func(why string) { said = why }}, accounts)
				both := 0
				for range 6 {
					if twoCommit(t, dial(t, dsn), dial(t, dsn), asked, statements) {
						both++
					}
				}
				serial := asked == "SERIALIZABLE" || asked == "REPEATABLE READ" && level != isolation.SI
				if serial && both > 0 || !serial && both == 0 {
					t.Errorf("%s, asked for %q: %s commits %d of 6 times", level, asked, name, both)
				}
				if says := asked == "REPEATABLE READ" && level != isolation.SI; says != (said != "") {
					t.Errorf("%s, asked for %q: said %q", level, asked, said)
				}
			}
		}
	}
}

// twoCommit runs two transactions that overlap, and reports whether both commit.
func twoCommit(t *testing.T, a, b *pgx.Conn, asked string, statements [2][2]string) bool {
	t.Helper()
	begin := "BEGIN"
	if asked != "" {
		begin += " ISOLATION LEVEL " + asked
	}
	does(t, a, begin)
	does(t, b, begin)
	for step := range 2 {
		for i, c := range []*pgx.Conn{a, b} {
			if _, err := c.Exec(t.Context(), statements[i][step]); err != nil && codeOf(err) != "40001" && codeOf(err) != "25P02" {
				t.Error(err)
			}
		}
	}
	committed := 0
	for _, c := range []*pgx.Conn{a, b} {
		if tag, err := c.Exec(t.Context(), "COMMIT"); err == nil && tag.String() == "COMMIT" {
			committed++
		}
		c.Close(t.Context())
	}
	return committed == 2
}
