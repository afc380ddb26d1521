package find

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/report"
)

// onServer runs the anomalies that are reported on a real server. What becomes of one there
// is in its violation; one that is not come to, as --timeout has ended the run, has nothing.
func (r *runner) onServer(ctx context.Context) error {
	r.server, r.now, r.twice = r.Server, map[string]*plan{}, nil
	var programs []string
	for _, p := range r.plans {
		if p.found != nil {
			r.now[p.found.Program] = p
			programs = append(programs, p.found.Program)
		}
	}
	if len(programs) == 0 {
		return nil
	}
	r.each = r.confirmed
	return r.process(ctx, programs) // the server is for one process
}

// confirmed takes a violation with what has become of it on the server.
func (r *runner) confirmed(kind string, line []byte) error {
	if kind != report.TypeViolation {
		return nil
	}
	var v report.Violation
	if err := report.Parse(line, &v); err != nil {
		return harness.Garbled(err)
	}
	if p := r.now[v.Program]; p != nil && sameRun(p.found.Violation, &v) {
		p.found.Violation.Confirmation = v.Confirmation
	}
	return nil
}

// sameRun reports whether two violations of a program are the same run.
func sameRun(a, b *report.Violation) bool {
	if len(a.Choices) > 0 || len(b.Choices) > 0 {
		return slices.Equal(a.Choices, b.Choices)
	}
	one, err := json.Marshal(a.History)
	other, failed := json.Marshal(b.History)
	return err == nil && failed == nil && string(one) == string(other)
}

// mostSchedules bounds the schedules of each kind that a trial runs in on a server.
const mostSchedules = 1000

// helpedOnServer runs the trials that have helped on the server: in the order of the anomaly, in the
// schedules with few interruptions, and in all where there are not too many.
func (r *runner) helpedOnServer(ctx context.Context, helped []*trial) error {
	r.server, r.twice = explore.OnServer{DSN: r.Server.DSN, Kind: r.Server.Kind}, nil
	byName := map[string]*trial{}
	var programs []string
	r.few = &explore.Few{Most: mostSchedules, Orders: map[string][]string{}}
	defer func() { r.few = nil }()
	for _, t := range helped {
		r.few.Orders[t.program.Name] = stepsOf(t.found.Violation)
		byName[t.program.Name] = &trial{}
		programs = append(programs, t.program.Name)
	}
	if len(programs) == 0 {
		return nil
	}
	r.each = func(kind string, line []byte) error { return tried(byName, kind, line) }
	if err := r.process(ctx, programs); err != nil {
		return err
	}
	for _, t := range helped {
		i := slices.IndexFunc(t.found.Advice, func(a Advice) bool { return a.Kind == t.kind })
		t.found.Advice[i].Server = byName[t.program.Name].onServer()
	}
	return nil
}

// onServer says what has become of a trial on a server.
func (t *trial) onServer() string {
	switch r := t.result; {
	case r == nil:
		return "could not be run there"
	case t.helps():
		return fmt.Sprintf("helps on %s too, in all %d schedules", r.Server, r.Explored)
	case t.broken:
		return "does not help on " + r.Server
	case r.Few > 0:
		return fmt.Sprintf("helps on %s too, in the order of the anomaly and in all %d schedules in which calls are interrupted at most %s; there are more, of which none of %d runs shows it", r.Server, r.Few, times[r.Interruptions], r.Explored)
	default:
		return fmt.Sprintf("helps on %s in %d schedules, and there are more", r.Server, r.Explored)
	}
}

// times are numbers of interruptions in words.
var times = [explore.MostInterruptions + 1]string{"", "once", "twice"}

// stepsOf are the sessions of a run in the order of their steps.
func stepsOf(v *report.Violation) (list []string) {
	for _, o := range v.Schedule {
		if o.What != report.StepGoesOn {
			list = append(list, o.Session)
		}
	}
	return list
}
