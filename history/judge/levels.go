package judge

import (
	"context"
	"sync"

	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/isolation"
)

// judging decides levels of a history, some at a time. What a weaker level shows to
// be violated ends the stronger ones, so that the verdicts are those of deciding one
// after another.
type judging struct {
	ctx     context.Context
	cancel  context.CancelFunc
	checker *check.Checker
	levels  []isolation.Level
	o       Options

	ahead   []chan decided // by level: the verdict of one that was begun ahead, or nil
	running sync.WaitGroup
}

type decided struct {
	v   *Verdict
	err error
}

func newJudging(ctx context.Context, c *check.Checker, levels []isolation.Level, o Options) *judging {
	j := &judging{checker: c, levels: levels, o: o, ahead: make([]chan decided, len(levels))}
	j.ctx, j.cancel = context.WithCancel(ctx)
	if o.Workers < 2 || o.By != ByReads || c.Alone() {
		return j
	}
	slots := make(chan struct{}, o.Workers)
	for i := range levels {
		j.ahead[i] = make(chan decided, 1)
	}
	j.running.Go(func() {
		for i, l := range levels {
			slots <- struct{}{}
			j.running.Go(func() {
				v, err := decide(j.ctx, c, l, o)
				j.ahead[i] <- decided{v, err}
				<-slots
			})
		}
	})
	return j
}

// verdict is that of level i, where before is that of the one before.
func (j *judging) verdict(i int, before *Verdict) (*Verdict, error) {
	if j.o.By == ByReads && before != nil && before.Outcome == check.Violated && j.levels[i].Implies(before.Level) {
		j.cancel()
		same := *before.Verdict
		same.Level = j.levels[i]
		return &Verdict{Verdict: &same, Anomaly: before.Anomaly, PeakBytes: before.PeakBytes}, nil
	}
	if j.ahead[i] != nil {
		d := <-j.ahead[i]
		return d.v, d.err
	}
	return decide(j.ctx, j.checker, j.levels[i], j.o)
}

// stop ends what is still being decided.
func (j *judging) stop() {
	j.cancel()
	j.running.Wait()
}
