// Statements of real applications are answered as a MariaDB server answered them. They go
// through database/sql, go-sql-driver/mysql and the protocol. The rows are variables of a
// Memory.

package mysql

import (
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"github.com/txmc/txmc/dpor/sqltest/corpus"
	"github.com/txmc/txmc/mysql/engine"
	"github.com/txmc/txmc/mysql/storage"
	"github.com/txmc/txmc/mysql/wire"
	"github.com/txmc/txmc/program/rows"
)

var corpusDir = flag.String("corpus", "", "directory of recorded statements (default: sql-corpus in the directory shared beside the module, if it is there)")

func TestCorpus(t *testing.T) { corpus.Test(t, *corpusDir, front(99)) }

// TestOwnCorpus has statements of the kinds that applications have few of: errors of a strict
// SQL mode, collations, decimals, dates, numbers of AUTO_INCREMENT, affected rows.
func TestOwnCorpus(t *testing.T) { corpus.Test(t, "testdata/corpus", front(100)) }

// front is the package on the rows of a Memory; least, how many percent are equal at least.
func front(least float64) corpus.Front {
	return corpus.Front{Dialect: "mysql", Least: least, LastID: true,
		Open: func(t *testing.T, dir string) func(string) *sql.Conn { return newSessions(t, dir).open },
		Code: func(err error) string {
			if e := (*driver.MySQLError)(nil); errors.As(err, &e) {
				return strconv.Itoa(int(e.Number))
			}
			return ""
		},
		Value: recorded,
	}
}

// recorded is a value of the driver as it is recorded.
func recorded(v any, typ string) any {
	switch v := v.(type) {
	case float32:
		return float64(v)
	case uint64:
		if v > math.MaxInt64 {
			return strconv.FormatUint(v, 10)
		}
		return int64(v)
	case int8, int16, int32, uint8, uint16, uint32:
		n, _ := strconv.ParseInt(fmt.Sprint(v), 10, 64)
		return n
	}
	return corpus.Recorded(v, typ, "BLOB", "BINARY", "VARBINARY", "LONGBLOB", "MEDIUMBLOB", "TINYBLOB", "BIT")
}

// sessions are an application's, on one store.
type sessions struct {
	t      *testing.T
	base   *base
	memory *rows.Memory
	opened int
}

// newSessions runs the schema and the seed of an application.
func newSessions(t *testing.T, dir string) *sessions {
	scripts := newConfig([]Option{Database("corpus_" + strings.ReplaceAll(filepath.Base(dir), "-", "_"))})
	SchemaFS(os.DirFS(dir), "schema.sql", "seed.sql")(scripts)
	b, err := newBase(scripts)
	if err != nil {
		t.Fatal(err)
	}
	s := &sessions{t: t, base: b, memory: rows.NewMemory()}
	s.memory.Fill(b.initial)
	return s
}

// open opens the connection of a session.
func (s *sessions) open(name string) *sql.Conn {
	index := s.opened
	s.opened++
	run := engine.NewRun(storage.NewRun("session"+name, index, s.memory.Log()), uint64(index), true)
	run.SetTime(time.Now())
	hub := wire.NewHub(s.base.engine, run, &scripted{})
	db := sql.OpenDB(connector(hub.Dial))
	s.t.Cleanup(func() { db.Close(); hub.Close() })
	conn, err := db.Conn(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return conn
}
