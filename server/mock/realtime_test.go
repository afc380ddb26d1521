package mock

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/deadlinetest"
)

// lockedFirst makes each write of a program one of a row that the transaction has locked.
func (p clients) lockedFirst() clients {
	for _, txns := range p {
		for j, t := range txns {
			var with []step
			for _, s := range t {
				if s.do == 'w' {
					with = append(with, step{'l', s.x})
				}
				with = append(with, s)
			}
			txns[j] = with
		}
	}
	return p
}

// A read misses only what overlaps its transaction: by default, at every level. It does miss
// that.
func TestRealTime(t *testing.T) {
	for _, l := range isolation.Levels() {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(*seedFlag, 200+uint64(l)))
			missed := 0
			for range deadlinetest.Until(t, *runsFlag, func() bool { return missed > 0 }) {
				p := randomClients(r, 2+r.IntN(3), 3, 3, 2+r.IntN(2), []string{"rw", "rrw", "rwl"}[r.IntN(3)]).lockedFirst()
				all, begun := p.timed(t, r, Options{Level: l, Seed: r.Uint64(), Window: []int{0, 2}[r.IntN(2)], DropAborted: r.IntN(2) == 0}, r.IntN(2)*r.IntN(8))
				n, why := missedBy(all, begun)
				if missed += n; why != "" {
					t.Fatalf("%v: %s (-seed=%d)", p, why, *seedFlag)
				}
			}
		})
	}
}

// missedBy counts the reads that miss what has committed before they could, and says of one
// that misses what had committed before its transaction began. The transactions are in the
// order of their ends.
func missedBy(all []*Transaction, begun map[int64]int) (missed int, why string) {
	for _, x := range all {
		newest, last := map[string]int64{}, map[string]int64{}
		for i, u := range all {
			if u == x {
				break
			}
			for _, e := range u.Events {
				if e.Write && u.Committed {
					last[e.Key] = e.Version
					if i < begun[x.Number] {
						newest[e.Key] = e.Version
					}
				}
			}
		}
		for _, e := range x.Events {
			if e.Write || e.Own {
				continue
			}
			if e.Version != last[e.Key] {
				missed++
			}
			if e.Version < newest[e.Key] {
				return missed, fmt.Sprintf("transaction %d reads version %d of %s, which version %d had replaced before", x.Number, e.Version, e.Key, newest[e.Key])
			}
		}
	}
	return missed, ""
}

// Clients say in SQL what their reads may miss, for the session, for a transaction, and at the
// begin of the connection.
func TestWeakMarks(t *testing.T) {
	t.Parallel()
	_, dsn := start(t, Options{Level: isolation.RC}, accounts)
	writer := dial(t, dsn)
	n := 0
	write := func() {
		t.Helper()
		n++
		does(t, writer, fmt.Sprintf("UPDATE account SET balance = %d WHERE id = 1", n))
	}
	// stale counts the reads that miss what was committed before them: in a transaction that
	// was open before, or in one of their own.
	stale := func(c *pgx.Conn, open bool) (count int) {
		t.Helper()
		for range 30 {
			if open {
				does(t, c, "BEGIN; SELECT balance FROM account WHERE id = 2")
			}
			write()
			var got int
			if err := c.QueryRow(t.Context(), "SELECT balance FROM account WHERE id = 1").Scan(&got); err != nil {
				t.Fatal(err)
			}
			if open {
				does(t, c, "COMMIT")
			}
			if got != n {
				count++
			}
		}
		return count
	}
	c := dial(t, dsn)
	for _, test := range []struct {
		set            string
		overlaps, late bool // reads of transactions that overlap the write, and later ones, are stale
	}{
		{"", true, false},
		{"SET txmc.weak = off", false, false},
		{"SET txmc.weak = 'Always'", true, true},
		{"SET txmc.weak = on", true, false},
		{"SET txmc.weak = off; RESET txmc.weak", true, false},
	} {
		does(t, c, test.set)
		if is := stale(c, true) > 0; is != test.overlaps {
			t.Errorf("after %q reads miss what overlaps them: %v", test.set, is)
		}
		if is := stale(c, false) > 0; is != test.late {
			t.Errorf("after %q reads miss what was committed before: %v", test.set, is)
		}
	}
	does(t, c, "SET txmc.weak = often")
	if _, err := c.Exec(t.Context(), "SELECT FROM account"); err == nil || codeOf(err) != "22023" {
		t.Errorf("a word that says nothing: %v", err)
	}
	does(t, c, "RESET txmc.weak; BEGIN; SET LOCAL txmc.weak = off; SELECT FROM account")
	write()
	does(t, c, "COMMIT")
	if n := stale(dial(t, dsn+"&options=-c%20txmc.weak%3Doff"), true); n > 0 {
		t.Errorf("off at the begin of a connection: %d stale reads", n)
	}
}

// Who gets a row's lock, or an advisory lock, sees what its last holder has written elsewhere,
// at RC, RA and CC.
func TestLocksAreSeen(t *testing.T) {
	t.Parallel()
	for _, level := range []isolation.Level{isolation.RC, isolation.RA, isolation.CC} {
		for _, lock := range []string{"SELECT FROM account WHERE id = 1 FOR UPDATE", "SELECT pg_advisory_xact_lock(1)"} {
			_, dsn := start(t, Options{Level: level}, accounts)
			a, b := dial(t, dsn), dial(t, dsn)
			for i := range 12 {
				does(t, a, "BEGIN; "+lock)
				does(t, b, "BEGIN; SELECT FROM account WHERE id = 0")
				does(t, a, "INSERT INTO log (account, amount) VALUES (1, 1); COMMIT")
				does(t, b, lock)
				var n int
				if err := b.QueryRow(t.Context(), "SELECT count(*) FROM log").Scan(&n); err != nil || n != i+1 {
					t.Fatalf("%s: after %s %d rows of %d are there: %v", level, lock, n, i+1, err)
				}
				does(t, b, "COMMIT")
			}
		}
	}
}

// does runs statements.
func does(t *testing.T, c *pgx.Conn, sql string) {
	t.Helper()
	if _, err := c.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}
