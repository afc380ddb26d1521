package proxy

import (
	"slices"

	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/explore"
)

// A program may have more schedules than there is time for. Then those run in which sessions are
// interrupted seldom: most mistakes need no more (Musuvathi and Qadeer, Iterative context bounding for
// systematic testing of multithreaded programs, PLDI 2007). All of them run, equivalent ones too: a
// schedule with few interruptions may be equivalent to one with more that has been run, or has not.

// runFew runs the order that was asked for, then the schedules with few interruptions, and then all
// schedules. It runs no more of each kind than were asked for.
func (f *finding) runFew(few *explore.Few, take func(*result) bool) error {
	o, err := f.inOrder(few.Orders[f.client.Name])
	if err != nil || !f.takes(o, take) {
		return f.stop(err)
	}
	for n := 1; n <= explore.MostInterruptions; n++ {
		e := newSearch(f.Server, f.client, f.level)
		e.everyOne, e.interruptions = true, n
		ended, err := f.through(e, few.Most, take)
		if err != nil || f.enough || f.stopped != "" {
			return err
		}
		if !ended {
			break
		}
		f.few, f.interruptions = e.executions, n
	}
	e := newSearch(f.Server, f.client, f.level)
	ended, err := f.through(e, few.Most, take)
	switch {
	case err != nil || f.enough || f.stopped != "":
	case ended:
		f.few, f.interruptions, f.executions = 0, 0, e.executions
	default:
		f.stopped = work.BySchedules
	}
	return err
}

// inOrder lets sessions make their steps in an order, as far as they can. A session that waits,
// or has ended, is passed over. What is left runs one session after another.
func (f *finding) inOrder(order []string) (o *result, err error) {
	x, err := f.begin(f.ctx, f.client)
	if err != nil {
		return nil, err
	}
	f.executions++
	o = &result{}
	var names []string
	for i := range x.sessions {
		names = append(names, f.client.SessionName(i))
	}
	for _, name := range order {
		i := slices.Index(names, name)
		if i < 0 || !x.ready(i) {
			continue
		}
		o.way = append(o.way, i)
		if err = x.step(i); err != nil {
			break
		}
	}
	if err == nil {
		err = x.rest()
	}
	if err == nil {
		o.lines = x.lines
		o.ends, o.failures, err = x.judge()
	}
	if err == nil {
		o.left, err = x.db.Left(f.ctx)
	}
	if ended := x.finish(); err == nil {
		err = ended
	}
	return o, err
}
