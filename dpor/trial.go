package dpor

import (
	"context"
	"errors"
	"github.com/txmc/txmc/dpor/serial"
	"github.com/txmc/txmc/dpor/swap"
	"github.com/txmc/txmc/dpor/work"
	"math"
	"strconv"
)

// Auto begins with the serial engine. Its trees are the smaller ones for nearly every
// program, and most trees end before samples of them would have told their size. So the
// first worker explores alone at first, and what it finds is held back. When it has made
// many calls, samples of both trees decide: either it goes on and hands on what was held
// back, or all that was done is forgotten and swap begins.
//
// Others may go on with an exploration: it has to be the same whoever decides, and may be
// stopped before the decision. So it is tried out beforehand, by an exploration that hands
// on nothing.

// trialCalls are those of the serial engine before there is a decision. There are no more
// than the first worker makes alone.
const trialCalls = work.AloneFor

// trial is the beginning of an exploration by auto.
type trial struct {
	calls  int64
	moves  swap.Moves         // for samples
	passes serial.Exploration // as they were at the beginning
	held   []*work.Found
	open   bool // nothing is decided yet
}

// errSwap ends a search of the serial engine because swap is to explore instead.
var errSwap = errors.New("swap explores")

// why says why a trial needs no decision.
func (t *trial) why() string {
	return "at most " + strconv.FormatInt(t.calls, 10) + " calls, too few to compare"
}

// beginTrial lets the serial engine begin. It returns nil when swap explores: that is known
// now if the decision cannot wait.
func (x *Exploration) beginTrial(m *swap.Moves, p *serial.Exploration) (engine Engine, why string, err error) {
	t := &trial{calls: trialCalls, moves: *m, passes: *p, open: true}
	if x.opts.trialCalls > 0 {
		t.calls = x.opts.trialCalls
	}
	if !x.triesInPassing() {
		if engine, err = x.rehearse(t); engine == Auto && err == nil {
			return x.decideTrial(t)
		}
		return engine, t.why(), err
	}
	x.trial = t
	w := x.pool.Workers[0]
	w.Alone, w.TrialCalls, w.Undecided = max(w.Alone, t.calls), t.calls, x.endTrial
	return Serial, t.why(), nil
}

// triesInPassing reports whether the calls of a trial are those of the exploration.
func (x *Exploration) triesInPassing() bool {
	return x.opts.Checkpoint == nil && x.opts.Part == nil && !x.sizing
}

// rehearse makes the calls of a trial in an exploration of its own. It returns Serial if
// they are all, and Auto if there are more.
func (x *Exploration) rehearse(t *trial) (Engine, error) {
	o := Options{Level: x.opts.Level, Base: x.opts.Base, Engine: Serial, All: true, Scope: Scope{Bound: &Bound{Calls: t.calls, Nodes: math.MaxInt}}}
	o.learnNothing, o.ablation = x.opts.learnNothing, x.opts.ablation
	ctx, cancel := context.WithCancel(x.ctx)
	defer cancel()
	y := Explore(ctx, x.prog, o)
	for _, err := range y.Histories() {
		if err != nil {
			return "", err
		}
		if x.pool.Halted() {
			cancel()
		}
	}
	switch s := y.Stats(); {
	case s.Complete:
		return Serial, nil
	case s.Stopped != work.ByBound:
		return "", work.ErrStopped
	}
	return Auto, nil
}

// decideTrial decides for one of the engines by samples.
func (x *Exploration) decideTrial(t *trial) (Engine, string, error) {
	if x.opts.decided != "" {
		return x.opts.decided, "", nil
	}
	return decideEngine(&t.moves, &t.passes, x.pool.Halted)
}

// endTrial decides when the trial has taken long enough. The error is errSwap when
// another engine is to explore.
func (x *Exploration) endTrial() error {
	x.pool.Workers[0].Undecided = nil
	engine, why, err := x.decideTrial(x.trial)
	if err != nil {
		return err
	}
	x.mu.Lock()
	x.stats.Engine, x.stats.Why = engine, why
	x.mu.Unlock()
	if engine == Swap {
		return errSwap
	}
	return x.trial.release(x.delivery.Send)
}

// hold makes send keep back what is found while nothing is decided.
func (x *Exploration) hold(send func(*work.Found) error) func(*work.Found) error {
	return func(f *work.Found) error {
		if t := x.trial; t != nil && t.open {
			t.held = append(t.held, f)
			return nil
		}
		return send(f)
	}
}

// release hands on what was held back.
func (t *trial) release(send func(*work.Found) error) error {
	t.open = false
	for _, f := range t.held {
		if err := send(f); err != nil {
			return err
		}
	}
	t.held = nil
	return nil
}

// swapInstead forgets what the first worker, which was alone, has done, and lets swap
// begin.
func (x *Exploration) swapInstead() error {
	x.endEstimate()
	x.mu.Lock()
	x.trial, x.passes, x.estimated = nil, nil, false
	x.stats.Estimate = work.Estimate{}
	x.mu.Unlock()
	x.delivery.Counted.Store(0)
	x.pool.Resume(work.Totals{})
	x.assign(Swap)
	x.beginEstimate()
	return x.pool.Workers[0].Begin()
}
