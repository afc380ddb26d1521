package stress

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/txmc/txmc/history"
)

// trouble makes things go wrong while clients run: the faults of the options, in turn.
// Connections that break at COMMIT are made by the clients themselves.
type trouble struct {
	r      *run
	faults []string
	done   map[string]int
	cancel context.CancelFunc
	ended  sync.WaitGroup
	copied bool
	from   int64 // transactions that had committed when the files were copied
	err    error
}

func newTrouble(r *run) *trouble {
	t := &trouble{r: r, done: map[string]int{}}
	for _, f := range r.Faults {
		t.done[f] = 0
	}
	t.faults = slices.DeleteFunc(slices.Clone(r.Faults), func(f string) bool { return f == faultCut })
	return t
}

func (t *trouble) start(ctx context.Context) {
	ctx, t.cancel = context.WithCancel(ctx)
	if len(t.faults) > 0 {
		t.ended.Go(func() { t.main(ctx) })
	}
}

// main makes a fault now and then. A server that is going to be set back is copied at
// first.
func (t *trouble) main(ctx context.Context) {
	tick := time.NewTicker(t.r.FaultEvery)
	defer tick.Stop()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		f := t.faults[i%len(t.faults)]
		if t.copied {
			f = faultRestore // what is half done comes first
		}
		if err := t.make(context.WithoutCancel(ctx), f); err != nil {
			t.err = err
			t.r.stopped.Store(true)
			return
		}
	}
}

// lost is how many transactions of a session get lost at least, on average, when a server
// is set back.
const lost = 10

// stopTime is how long a server stands still.
const stopTime = time.Second

func (t *trouble) make(ctx context.Context, fault string) error {
	s := t.r.d.Server
	const older = "older"
	switch fault {
	case faultKill:
		if err := errors.Join(s.Kill(), s.Restart(ctx)); err != nil {
			return err
		}
	case faultStop:
		if err := s.Pause(); err != nil {
			return err
		}
		time.Sleep(stopTime)
		if err := s.Resume(); err != nil {
			return err
		}
	case faultRestore:
		if !t.copied {
			t.copied = true
			t.from = t.r.fates[history.Committed].Load()
			return s.Copy(ctx, older)
		}
		if t.r.fates[history.Committed].Load() < t.from+int64(lost*t.r.Sessions) {
			return nil // nothing much to lose: the next time
		}
		t.copied = false
		if err := errors.Join(s.Kill(), s.Restore(older), s.Restart(ctx)); err != nil {
			return err
		}
	}
	t.done[fault]++
	if t.r.onFault != nil && !t.r.onFault() {
		t.cancel()
	}
	return nil
}

// end waits for the fault that is being made. It returns how often what was made, and
// zero for a fault for which the run was too short.
func (t *trouble) end() (map[string]int, error) {
	t.cancel()
	t.ended.Wait()
	return t.done, t.err
}
