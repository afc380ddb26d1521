package find

import (
	"context"
	"errors"
	"testing"
	"time"
)

// A budget takes nothing while the go command works, and ends the context when it is over.
func TestBudget(t *testing.T) {
	t.Parallel()
	b, ctx, cancel := NewBudget(t.Context(), time.Hour)
	defer cancel()
	f := &finding{Options: Options{Execution: Execution{Budget: b}}}
	first, end := b.half(ctx)
	defer end()
	if at, ok := first.Deadline(); !ok || time.Until(at) > 30*time.Minute {
		t.Error("half of the budget is not half of the time")
	}
	err := f.waiting("waiting", func() error {
		b.left = 0 // nothing is left, and it stands still
		if b.running != nil || ctx.Err() != nil {
			t.Error("the budget runs while the go command works")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	<-ctx.Done()
	if !errors.Is(context.Cause(ctx), errBudget) {
		t.Errorf("the cause is %v", context.Cause(ctx))
	}
}
