package pg

import (
	"context"
	"fmt"
	"time"
)

// limits are of the time of a backend's statements.
type limits struct {
	limit time.Duration
	begin func() context.CancelCauseFunc
}

// timed limits the time of a statement. What it returns ends the limit.
func (b *Backend) timed() (done func()) {
	if b.begin == nil {
		return func() {}
	}
	end, x := b.begin(), b.x
	if b.limit <= 0 {
		return func() { end(nil) }
	}
	timer := time.AfterFunc(b.limit, func() {
		end(&limitError{b.limit})
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
