package txmc

import (
	"testing"
	"time"

	"github.com/txmc/txmc/explore/gotest"
	"github.com/txmc/txmc/isolation"
)

// Level is an isolation level.
type Level = isolation.Level

// The isolation levels, weakest first: every history that a later one allows is
// allowed by the earlier ones.
const (
	RC  = isolation.RC  // read committed
	RA  = isolation.RA  // read atomic
	CC  = isolation.CC  // causal consistency
	PC  = isolation.PC  // prefix consistency
	SI  = isolation.SI  // snapshot isolation
	SER = isolation.SER // serializability
)

// CheckOption is an option of [Check].
type CheckOption = gotest.Option

// Check explores the program in subtests of t, one for each level, such as
// TestTransfer/si. A violation fails the subtest, with the counterexample as the
// message. It is also written to the test's artifacts (go test -artifacts), as a page
// with a diagram and as JSON.
//
// A level that was stopped before everything was explored fails too, unless
// [AllowIncomplete] is given. It is stopped by a limit, or a little before the
// deadline that go test -timeout sets: each level gets its share of that time. Where
// earlier tests have left little of it, a level explores for a moment or not at all,
// and says so before the deadline ends the test binary. Under -short a level is
// bounded to 10000 histories and two seconds. It is skipped if that was not enough
// and no assertion has failed.
func Check(t *testing.T, explore func(*Program), opts ...CheckOption) {
	t.Helper()
	gotest.Run(t, explore, opts...)
}

// Levels chooses the levels of a [Check]. When it is not given the level is snapshot
// isolation. Of a program in SQL on PostgreSQL it is [PgRC]: the database with the
// levels that the code asks for, and READ COMMITTED where the code asks for none.
func Levels(levels ...Level) CheckOption { return gotest.Levels(levels...) }

// Base chooses what the search of a [Check] itself keeps to: "cc", "ra", "rc",
// "true" or "none". It changes the time, not the verdict.
func Base(name string) CheckOption { return gotest.Base(name) }

// Engine chooses how a [Check] explores PC, SI and SER: "swap", "serial", or "auto",
// the default, for the one that looks faster. It changes the time, not the verdict.
func Engine(name string) CheckOption { return gotest.Engine(name) }

// Symmetry chooses which sessions of a [Check] are taken for alike. Then one history of
// each kind is explored. "declared" takes those of [Program.Sessions], and is the
// default; "find" also takes others that look alike; "off" takes none. It changes the
// time, not the verdict.
func Symmetry(which string) CheckOption { return gotest.Symmetry(which) }

// MaxHistories stops each level of a [Check] after n histories.
func MaxHistories(n int64) CheckOption { return gotest.MaxHistories(n) }

// Interruptions bounds how often sessions are interrupted in a [Check] at a level of a database: an
// interruption is a switch to another session while the one before is in a transaction and could go
// on. A level passes that holds within the bound; what is beyond it is not explored. Most mistakes
// show with one or two interruptions.
func Interruptions(most int) CheckOption { return gotest.Interruptions(most) }

// Timeout stops each level of a [Check] after d.
func Timeout(d time.Duration) CheckOption { return gotest.Timeout(d) }

// MaxOps makes more than n operations in a transaction an error; 1000 when it is
// not given.
func MaxOps(n int) CheckOption { return gotest.MaxOps(n) }

// Workers is the number of goroutines that explore; one for each core when it is
// not given.
func Workers(n int) CheckOption { return gotest.Workers(n) }

// AllowIncomplete lets a level of a [Check] pass that was stopped before
// everything was explored, if no assertion has failed by then. That proves
// nothing.
func AllowIncomplete() CheckOption { return gotest.AllowIncomplete() }
