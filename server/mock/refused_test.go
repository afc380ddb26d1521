package mock

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
)

// TestRefused: who serves is told of what is not done as on a server, with the statement. The client gets an error,
// and goes on.
func TestRefused(t *testing.T) {
	t.Parallel()
	for _, level := range []isolation.Level{isolation.SI, isolation.PgRC} {
		var mu sync.Mutex
		var told []string
		db := Open(t, Options{Level: level, Refused: func(why string) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, why)
		}}, pg.Schema("CREATE TABLE t (id int PRIMARY KEY)"))
		for _, statement := range []string{"REINDEX TABLE t", "SELECT pg_read_file('/none')"} {
			_, err := db.ExecContext(t.Context(), statement)
			var e *pgconn.PgError
			mu.Lock()
			if last := strings.Join(told, "\n"); !errors.As(err, &e) || !strings.Contains(last, "the statement \""+statement+"\": ") {
				t.Errorf("%v: %s: %v, told %q", level, statement, err, last)
			}
			mu.Unlock()
		}
		if _, err := db.ExecContext(t.Context(), "INSERT INTO t VALUES (1)"); err != nil {
			t.Errorf("%v: %v", level, err)
		}
	}
}

// TestOnce: a text is written once, and not more of them than so many.
func TestOnce(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	say := once(&b, 2)
	for _, text := range []string{"a", "b", "a", "c"} {
		say(text)
	}
	if want := "txmc serve: not as on a server: a\ntxmc serve: not as on a server: b\n"; b.String() != want {
		t.Errorf("%q", b.String())
	}
}
