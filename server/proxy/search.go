package proxy

import (
	"context"
	"errors"
	"slices"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/report"
)

// All schedules of a program's statements, up to equivalence: a depth-first search that
// begins each execution anew, with sleep sets (Godefroid, "Partial-order methods for the
// verification of concurrent systems", 1996, chapter 5). A step falls asleep when all
// executions that begin with it have been run. It wakes when a step is made that does
// not commute with it. What is asleep is not run: it would be an equivalent schedule.
//
// The server decides what the search cannot. One step may wake several sessions, and one of
// them runs first; a deadlock has a victim. An execution that does not repeat the beginning
// that the search has chosen is run again.

// search is a search through the schedules.
type search struct {
	server *Server
	client *program.Client
	level  isolation.Level
	bounds

	frames     []frame // the present way, from the first step on
	begun      bool    // an execution has ended
	fresh      bool    // the last frame has another step to be tried
	executions int64
	strays     int
}

// bounds says which schedules are run.
type bounds struct {
	serializable bool // a transaction may be, by the level or what a session says
	everyOne     bool // equivalent schedules too
	serial       bool // only those in which no transaction runs inside another
	whole        bool // and no session between the transactions of another
	// interruptions, unless 0, bounds how often a session makes a step although that of the step
	// before could go on. everyOne goes with it: what is asleep may have fewer.
	interruptions int
}

// frame is a step of the way, and what was tried in its place.
type frame struct {
	enabled []int
	asleep  []done
	tried   []done         // the last of them is on the way
	last    int            // the session of the step before, if it could go on here; else -1
	before  int            // interruptions on the way
	after   []map[int]done // of each of these: what was made right after it, by session
}

// result is a complete execution.
type result struct {
	ends     []*behaviour.Node
	failures []*behaviour.Failure
	lines    []report.Operation
	left     []report.Assigned
	way      []int // the sessions that made the steps
	timed    bool  // a time limit has ended a statement of a free run
}

// maxStrays is how often the server may fail to repeat itself in a row.
const maxStrays = 20

func newSearch(s *Server, client *program.Client, level isolation.Level) *search {
	return &search{server: s, client: client, level: level, bounds: bounds{serializable: level == isolation.PgSer || level == isolation.InnoSer || level == isolation.SER}}
}

// next runs the next schedule; nil after the last one.
func (e *search) next(ctx context.Context) (*result, error) {
	for {
		if e.begun && !e.back() {
			return nil, nil
		}
		o, err := e.run(ctx)
		switch {
		case errors.Is(err, errStray) && e.strays < maxStrays:
			e.strays++
			e.begun = false // the same way again
			continue
		case err != nil:
			return nil, err
		}
		e.begun, e.strays = true, 0
		e.executions++
		if o != nil {
			return o, nil
		}
	}
}

// candidates are the sessions that have a step here that is neither asleep nor tried.
func (f *frame) candidates() (list []int) {
	for _, i := range f.enabled {
		is := func(d done) bool { return d.session == i }
		if !slices.ContainsFunc(f.asleep, is) && !slices.ContainsFunc(f.tried, is) {
			list = append(list, i)
		}
	}
	return list
}

// union adds sessions that were not known to have a step here: a server may take longer
// than txmc waits to find out that one is the victim of a deadlock.
func (f *frame) union(enabled []int) {
	for _, i := range enabled {
		if !slices.Contains(f.enabled, i) {
			f.enabled = append(f.enabled, i)
		}
	}
}

// back goes back to the last step that has another in its place; false when none has.
func (e *search) back() bool {
	for len(e.frames) > 0 {
		f := &e.frames[len(e.frames)-1]
		if len(f.candidates()) > 0 {
			e.fresh = true
			return true
		}
		e.frames = e.frames[:len(e.frames)-1]
	}
	return false
}

// run makes the steps of the way, and goes on from there to the end. It returns nil where
// all that could come next is asleep.
func (e *search) run(ctx context.Context) (o *result, err error) {
	x, err := e.server.begin(ctx, e.client)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, x.finish()) }()
	last, repeated := -1, len(e.frames)
	if e.fresh {
		repeated--
	}
	for k := range e.frames[:repeated] {
		f := &e.frames[k]
		if e.server.dialect.Unnamed && !e.serial {
			f.union(x.enabled(last))
		}
		if last = f.tried[len(f.tried)-1].session; !x.ready(last) {
			return nil, errStray
		}
		if err := x.step(last); err != nil {
			return nil, err
		}
	}
	return e.onwards(x, last)
}

// onwards goes on to the end.
func (e *search) onwards(x *execution, last int) (*result, error) {
	if e.fresh {
		var err error
		if last, err = e.try(x); err != nil {
			return nil, err
		}
		e.fresh = false
	}
	for {
		enabled := x.enabled(last)
		if len(enabled) == 0 {
			on, err := x.moves()
			if err != nil {
				return nil, err
			}
			if on {
				continue
			}
			break
		}
		if e.serial && (x.open(last) || e.whole) && slices.Contains(enabled, last) {
			enabled = []int{last}
		}
		interrupted := e.interrupted()
		if e.interruptions > 0 && interrupted == e.interruptions && slices.Contains(enabled, last) {
			enabled = []int{last}
		}
		able := -1
		if slices.Contains(enabled, last) {
			able = last
		}
		e.frames = append(e.frames, frame{enabled: enabled, asleep: e.asleep(), last: able, before: interrupted})
		if len(e.top().candidates()) == 0 {
			e.frames = e.frames[:len(e.frames)-1]
			return nil, nil
		}
		var err error
		if last, err = e.try(x); err != nil {
			return nil, err
		}
	}
	if err := x.ended(); err != nil {
		return nil, err
	}
	return e.complete(x)
}

// interrupted is how often a session has been interrupted on the way.
func (e *search) interrupted() int {
	if len(e.frames) == 0 {
		return 0
	}
	f := e.top()
	n := f.before
	if f.last >= 0 && f.tried[len(f.tried)-1].session != f.last {
		n++
	}
	return n
}

func (e *search) top() *frame { return &e.frames[len(e.frames)-1] }

// try makes the first step that can be tried, and notes what it was.
func (e *search) try(x *execution) (int, error) {
	f := e.top()
	i := f.candidates()[0]
	if !x.ready(i) {
		return i, errStray
	}
	if err := x.step(i); err != nil {
		return i, err
	}
	e.serializable = e.serializable || x.serializable
	f.tried = append(f.tried, x.last)
	f.after = append(f.after, map[int]done{})
	if n := len(e.frames); n > 1 {
		before := &e.frames[n-2]
		before.after[len(before.after)-1][i] = x.last
	}
	return i, nil
}

// asleep are the steps that are asleep after the last one on the way.
func (e *search) asleep() (list []done) {
	if len(e.frames) == 0 || e.everyOne {
		return nil
	}
	f := e.top()
	made := &f.tried[len(f.tried)-1]
	for _, a := range f.asleep {
		if a.session != made.session && a.commute(made, false, e.serializable) {
			list = append(list, a)
		}
	}
	for k, a := range f.tried[:len(f.tried)-1] {
		then, ok := f.after[k][made.session]
		observed := ok && !then.blocked && then.class == made.class && then.answer == made.answer
		if a.session != made.session && a.commute(made, observed, e.serializable) {
			list = append(list, a)
		}
	}
	return list
}

// complete takes down a complete execution.
func (e *search) complete(x *execution) (*result, error) {
	o := &result{lines: x.lines}
	var err error
	if o.ends, o.failures, err = x.judge(); err != nil {
		return nil, err
	}
	for k := range e.frames {
		f := &e.frames[k]
		o.way = append(o.way, f.tried[len(f.tried)-1].session)
	}
	o.left, err = x.db.Left(x.ctx)
	return o, err
}
