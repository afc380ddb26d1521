package proxy

import (
	"context"
	"crypto/sha256"
	"errors"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/report"
)

// Find is the task that runs a program in all orders of its statements, or the one that
// compares the outcomes with those under the model.
func (t *Tasks) Find(compare bool) explore.Task {
	return func(ctx context.Context, r *explore.Run, client *program.Client, level isolation.Level) error {
		s, err := t.open(ctx, r)
		if err != nil {
			return err
		}
		of, named, ok := s.dialect.levelOf(level)
		if !ok {
			return errors.New(s.dialect.noLevel(level))
		}
		r.CheckSerial(ctx, client, of)
		on, err := s.client(ctx, client, of.String())
		if err != nil {
			return err
		}
		defer on.Park()
		if r.Options.Timeout > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, r.Options.Timeout)
			defer cancel()
		}
		r.Sink.Turn(client.Name, level.String(), nil)
		f := &finding{Server: s, ctx: ctx, run: r, client: on, level: level, named: named, began: time.Now(), explored: explored{outcomes: map[[32]byte]*result{}}}
		if compare {
			return f.compare(client, of)
		}
		return f.find()
	}
}

// finding is the exploration of a program on the server.
type finding struct {
	*Server
	ctx    context.Context
	run    *explore.Run
	client *program.Client
	level  isolation.Level
	named  string // the level, as BEGIN names it
	began  time.Time
	explored

	enough        bool
	few           int64 // schedules with at most so many interruptions, where these are all that have run
	interruptions int
	sorted        map[string]string // by outcome: the outcome with rows in no order
}

// explored is what the schedules have come to.
type explored struct {
	outcomes   map[[32]byte]*result
	executions int64
	violations int64
	stopped    work.Reason
}

// source gives names to what is reported.
func (f *finding) source() report.Source {
	return report.Source{Package: f.run.Package, Program: f.client.Name, Level: f.level, Names: f.client}
}

// find reports the violations and the result.
func (f *finding) find() error {
	reported := map[string]bool{}
	orders, failed := f.serialOrders()
	if failed != nil || f.stopped != "" {
		f.run.Sink.Event(f.result(failed))
		return failed
	}
	failed = f.all(func(o *result) bool {
		if orders != nil {
			if failure := orders.judge(o); failure != nil {
				o.failures = append(o.failures, failure)
			}
		}
		if f.run.Scope.List {
			f.run.Sink.Event(f.source().ListedExecution(o.lines, o.left, nil))
		}
		if len(o.failures) == 0 {
			return true
		}
		f.violations++
		if cause := causeOf(o.failures[0]); !f.run.Scope.Group || !reported[cause] {
			reported[cause] = true
			f.name(o)
			f.run.Sink.Event(f.violation(o, cause))
		}
		going := f.run.Scope.All || f.run.Scope.List
		if !going {
			f.stopped = work.ByViolation
		}
		return going
	})
	f.run.Sink.Event(f.result(failed))
	return failed
}

// name makes the steps of an execution again, on a server that takes long to say for whom
// sessions wait. Then the lines of the execution say it. They stay as they are where the
// server does something else this time.
func (f *finding) name(o *result) {
	if !f.dialect.Unnamed || !slices.ContainsFunc(o.lines, func(l report.Operation) bool { return l.What == report.StepWaits }) {
		return
	}
	x, err := f.begin(f.ctx, f.client)
	if err != nil {
		return
	}
	x.named = true
	for _, i := range o.way {
		if !x.ready(i) {
			break
		}
		if err = x.step(i); err != nil {
			break
		}
	}
	if same := slices.EqualFunc(x.lines, o.lines, func(a, b report.Operation) bool {
		a.For, b.For = nil, nil
		return reflect.DeepEqual(a, b)
	}); err == nil && same {
		o.lines = x.lines
	}
	_ = x.finish() // the next execution finds what is wrong
}

func causeOf(f *behaviour.Failure) string {
	return f.Kind.String() + " " + f.Name + " " + f.At.String()
}

// all runs the schedules and gives each outcome to take, once, until it has enough.
func (f *finding) all(take func(*result) bool) error {
	if few := f.run.Scope.Few; few != nil {
		return f.runFew(few, take)
	}
	_, err := f.through(newSearch(f.Server, f.client, f.level), 0, take)
	return err
}

// through goes through a search, and reports whether it has come to the end: not to most executions,
// unless that is 0, and take has not had enough.
func (f *finding) through(e *search, most int64, take func(*result) bool) (ended bool, err error) {
	before := f.executions
	for most == 0 || e.executions < most {
		o, err := e.next(f.ctx)
		f.executions = before + e.executions
		if o == nil {
			err := f.stop(err)
			return err == nil && f.stopped == "", err
		}
		if !f.takes(o, take) {
			return false, nil
		}
	}
	return false, nil
}

// takes gives an outcome to take, once, and reports whether the search goes on.
func (f *finding) takes(o *result, take func(*result) bool) bool {
	key := f.key(o)
	if f.outcomes[key] != nil {
		return true
	}
	f.outcomes[key] = o
	if !take(o) {
		f.enough = true
		return false
	}
	if most := f.run.Options.MaxHistories; most > 0 && int64(len(f.outcomes)) >= most {
		f.stopped, f.enough = work.ByMaxHistories, true
	}
	return !f.enough
}

// stop notes what has ended a search, if it is not its end: a limit is no error.
func (f *finding) stop(err error) error {
	switch ended := f.ctx.Err(); {
	case errors.Is(ended, context.DeadlineExceeded):
		f.stopped = work.ByTimeout
	case ended != nil:
		f.stopped = work.ByInterrupt
	case err != nil:
		f.stopped = "error"
		return err
	}
	return nil
}

// key tells outcomes apart: by what the sessions have seen, and what is left.
func (f *finding) key(o *result) [32]byte {
	return sha256.Sum256([]byte(seen(f.client, o.ends) + unmadeLeft(o.left)))
}

// leftText is what is left, in an order that does not depend on where rows lie.
func leftText(left []report.Assigned) string {
	var rows []string
	for _, a := range left {
		rows = append(rows, a.Key+" "+a.Value)
	}
	slices.Sort(rows)
	return strings.Join(rows, "\n")
}

// violation is the line of an execution with failures.
func (f *finding) violation(o *result, cause string) *report.Violation {
	v := f.source().Executed(o.failures, o.lines, o.left, nil)
	for _, i := range o.way {
		v.Choices = append(v.Choices, "run "+f.client.SessionName(i))
	}
	v.Cause = cause
	return v
}

// result is the last line.
func (f *finding) result(failed error) *report.Result {
	n := int64(len(f.outcomes))
	r := &report.Result{
		Type: report.TypeResult, Schema: report.Schema, Package: f.run.Package, Program: f.client.Name, Iso: f.level.String(), Base: "none",
		Engine: report.EngineServer, Server: f.Version(), Histories: n, EndStates: n, Outcomes: n, Explored: f.executions, Violations: f.violations, Few: f.few, Interruptions: f.interruptions,
		Complete: f.stopped == "" && failed == nil, Stopped: string(f.stopped), Seconds: time.Since(f.began).Seconds(),
	}
	f.run.Check(f.client, f.level, r)
	return r
}
