package find

import (
	"context"
	"slices"
	"sync"
	"time"
)

// The time of a search, without that of the go command: how long it compiles depends on the machine, and on what it has
// compiled before.

// Budget is the time that a search may take. It stands still while the go command works.
type Budget struct {
	mu      sync.Mutex
	all     time.Duration
	running bool
	since   time.Time // when it has gone on
	limits  []*limit  // the last is that of the budget
}

// limit is what happens when some of a budget's time is over.
type limit struct {
	left  time.Duration // when the budget has gone on, or stands still
	timer *time.Timer   // nil while it stands still
	over  func()
}

// NewBudget is a budget that runs, and a context that is done when it is over.
func NewBudget(ctx context.Context, d time.Duration) (*Budget, context.Context, context.CancelFunc) {
	ctx, over := context.WithCancelCause(ctx)
	b := &Budget{all: d, limits: []*limit{{left: d, over: func() { over(errBudget) }}}}
	b.goOn()
	return b, ctx, func() { b.stand(); over(nil) }
}

// goOn lets it run, from where it stood.
func (b *Budget) goOn() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running {
		return
	}
	b.running, b.since = true, time.Now()
	for _, e := range b.limits {
		e.timer = time.AfterFunc(e.left, e.over)
	}
}

// stand lets it stand still.
func (b *Budget) stand() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.running {
		return
	}
	b.running = false
	for _, e := range b.limits {
		e.timer.Stop()
		e.timer, e.left = nil, e.left-time.Since(b.since)
	}
}

// half is a context that is done when half of the time is over, so that the rest is left for what comes then. Without a
// budget it is the one that is given.
func (b *Budget) half(ctx context.Context) (context.Context, context.CancelFunc) {
	return b.until(ctx, 2, func() bool { return true })
}

// until is a context that is done when one part of so many of the time is left, if that is wanted then.
func (b *Budget) until(ctx context.Context, parts time.Duration, wanted func() bool) (context.Context, context.CancelFunc) {
	ctx, over := context.WithCancelCause(ctx)
	if b == nil {
		return ctx, func() { over(nil) }
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	e := &limit{left: b.limits[len(b.limits)-1].left - b.all/parts, over: func() {
		if wanted() {
			over(errBudget)
		}
	}}
	if b.running {
		e.timer = time.AfterFunc(e.left-time.Since(b.since), e.over)
	}
	b.limits = slices.Insert(b.limits, 0, e)
	return ctx, func() { b.without(e); over(nil) }
}

// within is a context that is done when one part of so many of the time has passed from now on. Without a budget it is the one
// that is given.
func (b *Budget) within(ctx context.Context, parts time.Duration) (context.Context, context.CancelFunc) {
	ctx, over := context.WithCancelCause(ctx)
	if b == nil {
		return ctx, func() { over(nil) }
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	e := &limit{left: b.all / parts, over: func() { over(errBudget) }}
	if b.running {
		e.timer = time.AfterFunc(e.left, e.over)
		e.left += time.Since(b.since)
	}
	b.limits = slices.Insert(b.limits, 0, e)
	return ctx, func() { b.without(e); over(nil) }
}

// without takes a limit away.
func (b *Budget) without(e *limit) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.limits = slices.DeleteFunc(b.limits, func(o *limit) bool { return o == e })
	if e.timer != nil {
		e.timer.Stop()
	}
}

// searching is the context of the search: a part of the time is left for changes, when there is something to mend.
func (f *finding) searching(ctx context.Context) (context.Context, context.CancelFunc) {
	if !f.Fix || f.Advice {
		return context.WithCancel(ctx)
	}
	return f.Budget.until(ctx, left, func() bool { return f.Known != nil && len(f.Known.Report().Findings) > 0 })
}

// stillCompiling is how often somebody who waits for the go command is told so.
const stillCompiling = 20 * time.Second

// waiting runs what the go command does, which takes nothing of the budget, and says from time to time that it still does.
func (f *finding) waiting(what string, work func() error) error {
	if f.Budget != nil {
		f.Budget.stand()
		defer f.Budget.goOn()
	}
	started, done := time.Now(), make(chan struct{})
	var telling sync.WaitGroup
	telling.Go(func() {
		for tick := time.NewTicker(stillCompiling); ; {
			select {
			case <-tick.C:
				f.say("still %s (%s), which takes long only the first time", what, time.Since(started).Round(time.Second))
			case <-done:
				tick.Stop()
				return
			}
		}
	})
	err := work()
	close(done)
	telling.Wait()
	return err
}
