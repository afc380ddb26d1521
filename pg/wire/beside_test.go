package wire_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/txmc/txmc/pg/wire"
)

// Statements of one connection while another one has begun a transaction.

// A transaction in which nothing has run does not mind statements of other connections, nor their transactions.
// Afterwards it is as it was begun, and it is refused while another one has run something.
func TestBegunTransactionIsSetAside(t *testing.T) {
	h, w := newHub(t)
	ctx := t.Context()
	one, two := connect(t, h), connect(t, h)
	ask := func(c *pgx.Conn, sql string) (got string) {
		if err := c.QueryRow(ctx, sql).Scan(&got); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		return got
	}
	tx, err := one.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.Serializable, AccessMode: pgx.ReadOnly})
	if err != nil {
		t.Fatal(err)
	}
	other, err := two.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	ask(two, "insert into t values (7, 'x') returning v")
	if err := other.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	ask(two, "insert into t values (8, 'x') returning v")
	if got := ask(one, "select current_setting('transaction_isolation') || current_setting('transaction_read_only') || (select count(*) from t where id in (7, 8))"); got != "serializableon2" {
		t.Error(got)
	}
	if status := one.PgConn().TxStatus(); status != 'T' || two.PgConn().TxStatus() != 'I' || w.refused != "" {
		t.Errorf("%c, %c, refused: %s", status, two.PgConn().TxStatus(), w.refused)
	}
	if err := tx.Commit(ctx); err != nil {
		t.Error(err)
	}
	if _, err := one.Begin(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := two.Begin(ctx); err != nil {
		t.Fatal(err)
	}
	ask(two, "insert into t values (9, 'x') returning v")
	if _, err := one.Exec(ctx, "select 1"); err == nil || !strings.Contains(w.refused, "is sent on a second connection") {
		t.Errorf("%v, refused: %s", err, w.refused)
	}
}

// A statement beside a transaction is refused with a way out; to look whether the
// connection is alive is not.
func TestBesideATransaction(t *testing.T) {
	h, w := newHub(t)
	one, two := connect(t, h), connect(t, h)
	tx, err := one.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := two.Ping(t.Context()); err != nil || w.refused != "" {
		t.Errorf("ping: %v, %s", err, w.refused)
	}
	if _, err := tx.Exec(t.Context(), "select 1"); err != nil {
		t.Fatal(err)
	}
	if err := two.QueryRow(t.Context(), "select 1").Scan(new(int)); err == nil || !strings.Contains(w.refused, "select 1") || !strings.Contains(w.refused, "Send it on the transaction") {
		t.Errorf("%v, refused: %s", err, w.refused)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Error(err)
	}
}

// slowEnd is a server whose ROLLBACK takes a while.
type slowEnd struct {
	wire.Server
	began chan struct{}
}

func (s slowEnd) Exchange(m []byte) ([]byte, error) {
	if string(m) == string(wire.Query("ROLLBACK")) {
		close(s.began)
		time.Sleep(100 * time.Millisecond)
	}
	return s.Server.Exchange(m)
}

// A statement waits for the end of another connection, which drivers do not wait for. It is
// not one of two that run at the same time.
func TestStatementBesideEnd(t *testing.T) {
	w, s := &watch{}, slowEnd{instance(t), make(chan struct{})}
	h := wire.NewHub(s, w)
	first, second := connect(t, h), connect(t, h)
	for _, sql := range []string{"begin", "select 1"} {
		if _, err := first.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	var ending sync.WaitGroup
	ending.Go(func() { first.Close(t.Context()) })
	<-s.began
	if _, err := second.Exec(t.Context(), "select 2"); err != nil || w.refused != "" {
		t.Error(err, w.refused)
	}
	ending.Wait()
	second.Close(t.Context())
}
