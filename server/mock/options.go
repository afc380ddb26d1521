package mock

import (
	"fmt"
	"time"

	"github.com/txmc/txmc/isolation"
)

// Options say what a store answers.
type Options struct {
	// Level is one of the axiomatic levels: RC, RA, CC, PC, SI or SER. A server takes PgRC,
	// PgRR and PgSer as well. Then it answers as PostgreSQL does, by its model, and delays
	// statements at random. The level is that of transactions that ask for none.
	Level isolation.Level
	// Seed makes the answers the same in every run whose clients do the same in the
	// same order.
	Seed uint64
	// Latest is the probability, from 0 to 1, that a read takes the newest version
	// that the level allows. Otherwise it takes any of those allowed, each as likely.
	Latest float64
	// Fresh is the probability, from 0 to 1, that a read prefers the versions of the key
	// that have been served least often. Then a version that has been served n times is
	// drawn 1/(1+n) times as often as a version that never was.
	Fresh float64
	// BySession draws a session that has written a version first, and then one of its
	// versions: what sessions that write seldom have written is served more often. It is how
	// MonkeyDB's server for SQL draws.
	BySession bool
	// DropAborted makes what rolled-back transactions have read count for nothing: the
	// history is that of the others. So a client that asks and rolls back may be told older
	// versions when it asks again. MonkeyDB does so.
	DropAborted bool
	// NoLocks makes a locking read a read as any other, and an UPDATE or DELETE a read
	// and a write: of stores that do not lock, and of MonkeyDB. A value that must be
	// unique may then be written twice.
	NoLocks bool
	// Weak says what reads may miss.
	Weak Weak
	// Window is how many ended transactions are remembered at least; mostly there are
	// up to twice as many. What they have overwritten before is not served. 0 means
	// DefaultWindow.
	Window int
	// Delay is the mean of the delays at the levels of PostgreSQL, of which half are none.
	// 0 means exact.DefaultDelay.
	Delay time.Duration
	// Refused, unless nil, is told why a statement fails that would not fail on a server,
	// from any goroutine. The client gets an error of SQL.
	Refused func(why string)
}

// exact reports whether answers are those of PostgreSQL.
func (o *Options) exact() bool { return o.Level.Database() == isolation.PostgreSQL }

// DefaultWindow is how many ended transactions are remembered at least.
const DefaultWindow = 32

// minWindow leaves something to choose from.
const minWindow = 2

func (o *Options) check() error {
	switch {
	case o.exact() && (o.Latest != 0 || o.Fresh != 0 || o.BySession || o.DropAborted || o.NoLocks || o.Window != 0 || o.Weak != WeakOn):
		return fmt.Errorf("at %s answers are PostgreSQL's own: no bias, window, weakness or lack of locks changes them", o.Level)
	case o.exact() && o.Delay >= 0:
		return nil
	case o.Delay != 0:
		return fmt.Errorf("a delay of %v: only PostgreSQL's own levels have delays, which are not negative", o.Delay)
	case o.Level.Database() != isolation.NoDatabase || o.Level == isolation.True:
		return fmt.Errorf("the mock server answers at rc, ra, cc, pc, si or ser, or as PostgreSQL, not at %s", o.Level)
	case !(o.Latest >= 0 && o.Latest <= 1):
		return fmt.Errorf("latest=%v is not a probability: give a number from 0 to 1", o.Latest)
	case !(o.Fresh >= 0 && o.Fresh <= 1):
		return fmt.Errorf("fresh=%v is not a probability: give a number from 0 to 1", o.Fresh)
	case o.Window < 0 || o.Window > 0 && o.Window < minWindow:
		return fmt.Errorf("a window of %d transactions is too small: give at least %d", o.Window, minWindow)
	}
	if o.Window == 0 {
		o.Window = DefaultWindow
	}
	return nil
}
