package proxy

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
)

// Free is the task that runs a program many times with nobody to hold its sessions, and looks
// for outcomes that it does not have under the model.
func (t *Tasks) Free(runs explore.FreeRuns) explore.Task {
	return func(ctx context.Context, r *explore.Run, client *program.Client, level isolation.Level) error {
		s, err := t.open(ctx, r)
		if err != nil {
			return err
		}
		of, named, ok := s.dialect.levelOf(level)
		if !ok {
			return errors.New(s.dialect.noLevel(level))
		}
		s.free, s.pausing = true, t.own
		defer func() { s.free, s.pausing = false, false }()
		on, err := s.client(ctx, client, of.String())
		if err != nil {
			return err
		}
		defer on.Park()
		r.Sink.Turn(client.Name, level.String(), nil)
		f := &finding{Server: s, ctx: ctx, run: r, client: on, level: level, named: named, began: time.Now()}
		return f.free(client, of, runs)
	}
}

// free compares free runs with the model. The time limit is for the exploration under the
// model, and for the runs once more.
func (f *finding) free(of *program.Client, level isolation.Level, asked explore.FreeRuns) error {
	whole := f.ctx
	limited, cancel := f.limited()
	f.ctx = limited
	onModel, stats, err := f.modelled(of, level, byFreeRuns)
	if cancel(); err != nil {
		return err
	}
	f.ctx = whole
	c := &report.FreeComparison{
		Type: report.TypeFreeComparison, Schema: report.Schema, Package: f.run.Package, Program: f.client.Name, Iso: f.level.String(),
		Server: f.Version(), Level: f.named, Seed: asked.Seed, Model: int64(len(onModel)), Outside: []report.Outside{}, Stopped: string(stats.Stopped),
	}
	limited, cancel = f.limited()
	defer cancel()
	outside, err := f.runs(limited, c, asked, onModel)
	if err != nil {
		return err
	}
	if f.stopped == work.ByInterrupt {
		c.Stopped = string(f.stopped)
	}
	c.Complete = stats.Complete && c.Runs > 0 && c.Stopped == ""
	if !stats.Complete {
		c.Unknown = int64(len(outside))
	} else {
		f.near(c, outside, onModel)
	}
	c.Seconds = time.Since(f.began).Seconds()
	f.run.Sink.Event(c)
	return nil
}

// limited is a context with the time limit of the user.
func (f *finding) limited() (context.Context, context.CancelFunc) {
	if d := f.run.Options.Timeout; d > 0 {
		return context.WithTimeout(f.ctx, d)
	}
	return context.WithCancel(f.ctx)
}

// runs makes the runs, counts them, and returns the outcomes that the model has not had.
func (f *finding) runs(limited context.Context, c *report.FreeComparison, asked explore.FreeRuns, onModel map[string]told) (map[string]*outsider, error) {
	inside, outside := map[string]bool{}, map[string]*outsider{}
	defer func() { c.Outcomes = int64(len(inside)) }()
	inOrder := map[string]string{} // with the rows in the order of the model
	for key := range onModel {
		inOrder[f.sorted[key]] = key
	}
	for seed := asked.Seed; asked.Runs == 0 || c.Runs < asked.Runs; seed++ {
		if limited.Err() != nil {
			break
		}
		o, err := f.freely(f.ctx, f.client, seed)
		if err != nil {
			return outside, f.stop(err)
		}
		c.Runs++
		key := f.apart(f.client, o.ends, o.left)
		_, has := onModel[key]
		if like, is := inOrder[f.sorted[key]]; !has && is { // but for an order of rows that nobody has asked for
			key, has = like, true
		}
		switch known := outside[key]; {
		case has:
			inside[key] = true
		case o.timed:
			c.TimedOut++
		case known != nil:
			known.runs++
		default:
			outside[key] = &outsider{told: tell(f.client, report.Execution{Schedule: o.lines, Left: o.left}, o.ends), runs: 1, seed: seed}
		}
	}
	return outside, nil
}

// outsider is an outcome of runs that the model has not had.
type outsider struct {
	told
	runs int64
	seed uint64
}

// near reports the outcomes that the model lacks, each with the nearest that it has.
func (f *finding) near(c *report.FreeComparison, outside map[string]*outsider, onModel map[string]told) {
	keys := slices.Sorted(maps.Keys(onModel))
	for _, o := range slices.SortedFunc(maps.Values(outside), func(a, b *outsider) int { return int(b.runs - a.runs) }) {
		x := report.Outside{Outcome: o.Outcome, Runs: o.runs, Seed: o.seed}
		for i, key := range keys {
			m := onModel[key]
			if d := differences(&m, &o.told); i == 0 || len(d) < len(x.Differs) {
				x.Nearest, x.Differs = &m.Outcome, d
			}
		}
		c.Outside = append(c.Outside, x)
	}
}
