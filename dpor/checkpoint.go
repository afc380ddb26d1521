package dpor

import (
	"github.com/txmc/txmc/dpor/work"
	"time"
)

// checkpoints tells when one is due.
func (x *Exploration) checkpoints() (due <-chan time.Time, stop func()) {
	if x.opts.Checkpoint == nil || x.opts.CheckpointEvery <= 0 {
		return nil, func() {}
	}
	t := time.NewTicker(x.opts.CheckpointEvery)
	return t.C, t.Stop
}

// checkpoint hands over what is left, in a pause, when all that was found has been
// delivered.
func (x *Exploration) checkpoint(found chan *work.Found, deliver func(*work.Found) bool) error {
	if err := x.drain(found, deliver, nil); err != nil {
		return err
	}
	if !x.pool.Halted() {
		if err := x.opts.Checkpoint(x.describe()); err != nil {
			return err
		}
	}
	x.pool.Release()
	return nil
}

// lastCheckpoint hands over the work that is left when the exploration was stopped, and the
// counts of a part.
func (x *Exploration) lastCheckpoint() error {
	reason := x.pool.Reason()
	if x.opts.Checkpoint == nil || !x.began && x.opts.Resume != nil {
		return nil // what is left is still what it was
	}
	switch {
	case x.opts.Part != nil:
		return x.opts.Checkpoint(x.describeEnd())
	case reason == "":
		return nil
	}
	switch reason {
	case work.ByTimeout, work.ByInterrupt, work.ByMaxHistories:
		return x.opts.Checkpoint(x.describeEnd())
	}
	return nil
}

// describeEnd describes what is left where nothing may have been begun.
func (x *Exploration) describeEnd() *Frontier {
	f := x.describe()
	if !x.began {
		f.forget(x.opts.Engine)
	}
	return f
}
