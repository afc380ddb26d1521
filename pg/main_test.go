package pg_test

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

// TestMain holds that no goroutine is left behind, with two exceptions. Client code may
// go on asking after the end of its run. And database/sql keeps a goroutine for a
// transaction that client code never ends.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/txmc/txmc/program.(*Backend).refuse"),
		goleak.IgnoreTopFunction("database/sql.(*Tx).awaitDone"))
}

// The tests of the storage have this flag; here it has no effect, so that it can be
// given for all packages at once.
var _ = flag.String("corpus", "", "directory of recorded statements: see the package storage")
