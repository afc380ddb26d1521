package stress

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/txmc/txmc/server/database"
	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

// Tests run beside each other on servers that they share.

func TestMain(m *testing.M) { scratchtest.Main(m) }

// free are the addresses of the databases that no test has, of so many that there are.
var free struct {
	sync.Mutex
	databases []string
	made      int
}

// shared is the address of a database that tests have one after another. While a test has it,
// others have others.
func shared(t testing.TB) (dsn string) {
	t.Helper()
	s := scratchtest.Shared(t, scratch.Postgres, nil)
	free.Lock()
	defer free.Unlock()
	if n := len(free.databases); n > 0 {
		dsn, free.databases = free.databases[n-1], free.databases[:n-1]
	} else {
		free.made++
		name := fmt.Sprint("txmc_test_", free.made)
		do(t, s, "postgres", "CREATE DATABASE "+name)
		dsn = s.DSN(name)
	}
	t.Cleanup(func() {
		free.Lock()
		defer free.Unlock()
		free.databases = append(free.databases, dsn)
	})
	return dsn
}

// do runs a statement on a server, in a database that it has at first.
func do(t testing.TB, s *scratch.Server, first, sql string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context()) // when the test ends, too
	d, err := database.Open(ctx, s.DSN(first), first)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	c, err := d.Connect(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Do(ctx, sql); err != nil {
		t.Fatal(err)
	}
}

// mariaDB makes a database on a MariaDB server, which keeps SI, for the time of a test.
func mariaDB(t *testing.T) (dsn string) {
	t.Helper()
	return scratchDSN(t) + "&innodb_snapshot_isolation=ON"
}

// onMariaDB lets one test at a time have a MariaDB: the lock of a run is the server's there, not
// the database's.
var onMariaDB sync.Mutex

// scratchDSN makes a database on a MariaDB server for the time of a test.
func scratchDSN(t *testing.T) string {
	t.Helper()
	s := scratchtest.Shared(t, scratch.MariaDB, nil)
	onMariaDB.Lock()
	t.Cleanup(onMariaDB.Unlock)
	do(t, s, "mysql", "CREATE DATABASE txmc_test")
	t.Cleanup(func() { do(t, s, "mysql", "DROP DATABASE txmc_test") })
	return s.DSN("txmc_test")
}
