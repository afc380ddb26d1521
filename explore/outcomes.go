package explore

import (
	"context"
	"slices"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/explore/executed"
	"github.com/txmc/txmc/explore/minimise"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/report"
)

// findOutcomes is Find at a level of a database: it looks for outcomes that break
// assertions, on the database's own concurrency control.
func findOutcomes(ctx context.Context, r *Run, client *program.Client, level isolation.Level) error {
	opts, err := r.Options.At(level)
	if err != nil {
		return err
	}
	opts.All, opts.List, opts.Ways, opts.Switches = r.Scope.All, r.Scope.List, r.Scope.Ways, r.Scope.Switches
	r.CheckSerial(ctx, client, level)
	f := &finding{r: r, ctx: ctx, src: r.source(client, level), client: client, opts: opts}
	search := opts
	r.Options.bound(&search)
	alike, err := r.setSymmetry(client, &search)
	if err != nil {
		return err
	}
	elsewhere, err := f.keep(&search, &alike)
	if err != nil {
		return err
	}
	if len(f.causes) > 0 && !r.Scope.All {
		f.first, f.causes = f.causes[0].Found, nil
	}
	stats, failed := r.all(ctx, client, search, f.receive)
	if failed == nil {
		failed = elsewhere
	}
	if f.first != nil && f.err == nil {
		found, within := f.shown(f.first, minimise.Any)
		if r.late(client) {
			return findOutcomes(ctx, r, client, level)
		}
		why := minimise.CauseOf(ctx, client, opts, found.Failures[0])
		f.parts = minimise.IrrelevantExecuted(ctx, client, within, found, why.Serially)
		found, f.parts = minimise.ApartExecuted(ctx, client, within, found, f.parts)
		f.send(found, 0, why)
	}
	if r.Scope.Group {
		f.groups()
	}
	if failed == nil {
		failed = f.err
	}
	result := r.result(client, opts, stats)
	result.Errors, result.Symmetry = JoinErrors(f.errors, result.Errors), alike.of(client, stats)
	if r.Scope.All {
		result.Causes = f.counts()
	}
	r.noteSize(ctx, client, search, stats, result)
	r.Sink.Event(result)
	return failed
}

// finding is a search for outcomes that break assertions.
type finding struct {
	r      *Run
	ctx    context.Context
	src    report.Source
	client *program.Client
	opts   dpor.Options
	first  *dpor.Found    // where the search stops at it
	parts  []program.Part // that first does not need
	causes []cause
	errors []report.Expected // that an exploration before this one has met
	err    error
}

// cause are the violations that break the same assertion, and the one of them that is
// easiest to follow.
type cause struct {
	*minimise.Way
	name  string
	count int64
}

// receive takes what the exploration yields.
func (f *finding) receive(found *dpor.Found) {
	if f.err != nil {
		return
	}
	if f.r.Scope.List {
		var l *report.Listed
		if l, f.err = executed.Listed(f.src, f.client, found, states.Points); f.err != nil {
			return
		}
		f.r.Sink.Event(l)
	}
	switch {
	case len(found.Failures) == 0:
	case f.r.Scope.Group:
		f.add(found)
	case f.r.Scope.All:
		f.add(found)
		together, err := dpor.Together(f.client, f.opts.Level, found)
		if f.err = err; err == nil {
			f.send(together, 0, minimise.Cause{})
		}
	case f.first == nil:
		f.first = found
	}
}

func (f *finding) add(found *dpor.Found) *cause {
	name := causeOf(found)
	for i := range f.causes {
		if c := &f.causes[i]; c.name == name {
			c.count++
			c.Offer(found)
			return c
		}
	}
	f.causes = append(f.causes, cause{Way: minimise.NewWay(found), name: name, count: 1})
	return &f.causes[len(f.causes)-1]
}

func causeOf(found *dpor.Found) string {
	f := found.Failures[0]
	return f.Kind.String() + " " + f.Name + " " + f.At.String()
}

// send sends the violation's line. Count is how many have its cause; 0 where each is
// reported.
func (f *finding) send(found *dpor.Found, count int64, why minimise.Cause) {
	v, err := executed.Violation(f.src, f.client, found)
	if err != nil {
		f.err = err
		return
	}
	v.Cause, v.Count = causeOf(found), count
	v.Irrelevant = minimise.Parts(f.parts)
	v.AtSerial, v.AtSER, v.ErrorsAtSER = why.Serially, why.AtStrongest, why.Errors
	v.PreventedAt, v.ErrorsThere = why.Weakest, why.WeakestErrors
	f.r.Sink.Event(v)
}

// sort puts the violations that are easiest to follow first.
func (f *finding) sort() {
	slices.SortStableFunc(f.causes, func(a, b cause) int { return a.Compare(b.Way) })
}

// groups reports one violation of each cause.
func (f *finding) groups() {
	f.sort()
	for i := range f.causes {
		c, failure := &f.causes[i], f.causes[i].Found.Failures[0]
		found, _ := f.shown(c.Found, func(o *behaviour.Failure) bool { return minimise.Same(o, failure) })
		if f.err == nil {
			f.send(found, c.count, minimise.CauseOf(f.ctx, f.client, f.opts, failure))
		}
	}
}

// shown is the violation that is shown, and the options of the searches for what it does not need.
func (f *finding) shown(first *dpor.Found, wanted func(*behaviour.Failure) bool) (*dpor.Found, dpor.Options) {
	first, within := minimise.Unbroken(f.ctx, f.client, f.opts, first, wanted)
	return minimise.Executed(f.ctx, f.client, within, first, wanted), within
}

// counts lists the causes.
func (f *finding) counts() (list []report.Group) {
	f.sort()
	for _, c := range f.causes {
		list = append(list, report.Group{Cause: c.name, Violations: c.count})
	}
	return list
}

// keep is Run.keep: the trace of a group is the way to its violation.
func (f *finding) keep(opts *dpor.Options, a *alike) (failed, err error) {
	r, at := f.r, Place{f.client.Name, opts.Level.String()}
	from, failed, err := r.elsewhere(f.ctx, f.client, opts, r.Going.at(at), a)
	if err != nil {
		return nil, err
	}
	if from != nil {
		opts.Resume = from.Frontier
		if err := f.resume(from); err != nil {
			return nil, err
		}
	}
	if r.Going.Every <= 0 {
		return failed, nil
	}
	opts.CheckpointEvery = r.Going.Every
	opts.Checkpoint = func(left *dpor.Frontier) error {
		c := &Checkpoint{Type: TypeCheckpoint, Place: at, Frontier: left}
		for i := range f.causes {
			c.Groups = append(c.Groups, f.causes[i].data())
		}
		r.Sink.Event(c)
		return nil
	}
	return failed, nil
}

// data is what another process needs of the violations.
func (c *cause) data() Group {
	return Group{[][]int{states.EncodeSchedule(c.Found.Schedule)}, c.count, c.name, c.Ranks()}
}

// know runs the sessions in the order in which the exploration ran them: its numbers
// must be the same.
func (f *finding) know(from *dpor.Frontier) error {
	if from == nil || from.Memory == nil {
		return nil // the exploration says what is missing
	}
	return from.Memory.Record(f.client)
}

// resume makes the groups of a checkpoint again.
func (f *finding) resume(c *Checkpoint) error {
	if err := f.know(c.Frontier); err != nil {
		return err
	}
	f.errors = slices.Clone(c.Errors)
	for _, g := range c.Groups {
		var way []int
		if len(g.Trace) == 1 {
			way = g.Trace[0]
		}
		found, err := dpor.Execute(f.client, f.opts.Level, states.DecodeSchedule(way))
		if err != nil {
			return err
		}
		if len(found.Failures) == 0 {
			return &work.MisfitError{Why: "a violation that is none"}
		}
		f.add(found).count = g.Count
	}
	return nil
}
