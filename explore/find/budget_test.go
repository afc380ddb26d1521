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
	if half := b.limits[0]; half.left > 30*time.Minute || half.left < 20*time.Minute || first.Err() != nil {
		t.Errorf("half of the budget is %v", half.left)
	}
	end()
	if first.Err() == nil || len(b.limits) != 1 {
		t.Error("the half has not ended")
	}
	err := f.waiting("waiting", func() error {
		b.limits[0].left = 0 // nothing is left, and it stands still
		if b.running || ctx.Err() != nil {
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
