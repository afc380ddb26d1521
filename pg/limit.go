package pg

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/txmc/txmc/pg/engine"
)

// limits are of the time of a backend's statements.
type limits struct {
	limit  time.Duration
	begin  func(lock time.Duration) (context.Context, context.CancelCauseFunc)
	during context.Context // of the statement that runs

	process uint32
	signals Signals
}

// Limit ends statements that take longer; 0: none. Begin is called when one begins, with the
// time that the client's session gives it for waiting for a lock, or 0. It returns the
// statement's context, and what ends it with what the log waits for. It is called before the
// backend is used.
func (b *Backend) Limit(limit time.Duration, begin func(lock time.Duration) (context.Context, context.CancelCauseFunc)) {
	b.limit, b.begin = limit, begin
}

// timed limits the time of a statement: by the backend's limit, and by statement_timeout. What
// it returns ends the limit.
func (b *Backend) timed() (done func()) {
	if b.begin == nil {
		return func() {}
	}
	x := b.x
	during, end := b.begin(x.LockTimeout())
	b.during = during
	limit, why := b.limit, error(&limitError{b.limit})
	if own := x.StatementTimeout(); own > 0 && (limit <= 0 || own < limit) {
		limit, why = own, errStatementTimeout
	}
	if limit <= 0 {
		return func() { end(nil) }
	}
	timer := time.AfterFunc(limit, func() {
		end(why)
		x.Cancel()
	})
	return func() {
		timer.Stop()
		end(nil)
	}
}

// limitError is why a statement ends that waits for too long.
type limitError struct{ limit time.Duration }

func (e *limitError) Error() string {
	return fmt.Sprintf("canceling statement: it has taken longer than %v", e.limit)
}

// SQLState is query_canceled.
func (e *limitError) SQLState() string { return "57014" }

// timeoutError is a limit that the client has set.
type timeoutError struct{}

var errStatementTimeout = timeoutError{}

func (timeoutError) Error() string { return "canceling statement due to statement timeout" }

// SQLState is query_canceled.
func (timeoutError) SQLState() string { return "57014" }

// sleep waits in pg_sleep(). Others have their turn.
func (b *Backend) sleep(c *engine.Call, d time.Duration) {
	if b.begin == nil {
		return
	}
	if t, ok := b.log.(Turns); ok {
		t.Works(false)
		defer t.Works(true)
	}
	select {
	case <-time.After(d):
		return
	case <-b.during.Done():
	}
	why := context.Cause(b.during)
	var known interface{ SQLState() string }
	if errors.As(why, &known) {
		c.Raise(known.SQLState(), why.Error())
	}
	c.Raise("57014", "canceling statement due to user request")
}

// IdleTimeout is how long the client's session lets its transaction be idle; 0: as long as it is.
func (b *Backend) IdleTimeout() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.x == nil {
		return 0
	}
	return b.x.IdleTimeout()
}
