package exact

import (
	"context"
	"time"
)

// How long a statement waits for a lock: lock_timeout, which the statement's context has.

type lockTimeout struct{}

// WithLockTimeout is a context of a statement that waits no longer for a lock; 0: as long as it
// has to.
func WithLockTimeout(ctx context.Context, d time.Duration) context.Context {
	if d <= 0 {
		return ctx
	}
	return context.WithValue(ctx, lockTimeout{}, d)
}

// LockTimeout fires when a wait that begins now has taken too long; nil: never.
func LockTimeout(ctx context.Context) <-chan time.Time {
	if d, ok := ctx.Value(lockTimeout{}).(time.Duration); ok {
		return time.After(d)
	}
	return nil
}

// ErrLockTimeout is why a statement ends that has waited too long for a lock.
var ErrLockTimeout error = lockTimeoutError{}

type lockTimeoutError struct{}

func (lockTimeoutError) Error() string { return "canceling statement due to lock timeout" }

// SQLState is lock_not_available.
func (lockTimeoutError) SQLState() string { return "55P03" }
