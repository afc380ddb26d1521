package find

import (
	"context"
	"sync"
	"time"
)

// The time of a search, without that of the go command: how long it compiles depends on the machine, and on what it has
// compiled before.

// Budget is the time that a search may take. It stands still while the go command works.
type Budget struct {
	mu      sync.Mutex
	all     time.Duration
	left    time.Duration
	running *time.Timer // nil while it stands still
	since   time.Time   // when running was started
	over    context.CancelCauseFunc
}

// NewBudget is a budget that runs, and a context that is done when it is over.
func NewBudget(ctx context.Context, d time.Duration) (*Budget, context.Context, context.CancelFunc) {
	ctx, over := context.WithCancelCause(ctx)
	b := &Budget{all: d, left: d, over: over}
	b.goOn()
	return b, ctx, func() { b.stand(); over(nil) }
}

// goOn lets it run, from where it stood.
func (b *Budget) goOn() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running == nil {
		b.since = time.Now()
		b.running = time.AfterFunc(b.left, func() { b.over(errBudget) })
	}
}

// stand lets it stand still.
func (b *Budget) stand() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running != nil {
		b.running.Stop()
		b.running, b.left = nil, b.left-time.Since(b.since)
	}
}

// half is a context that is done when half of the time is over, so that the rest is left for what comes then. Without a
// budget it is the one that is given.
func (b *Budget) half(ctx context.Context) (context.Context, context.CancelFunc) {
	if b == nil {
		return context.WithCancel(ctx)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	left := b.left
	if b.running != nil {
		left -= time.Since(b.since)
	}
	return context.WithTimeout(ctx, left-b.all/2)
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
