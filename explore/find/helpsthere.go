package find

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/report"
)

// Changes that have helped by exploration run on a real server: the model may be wrong about it, or the
// server's plan may be another one.

// mostSchedules bounds the schedules of each kind that a trial runs in on a server, if nothing else is said.
const mostSchedules = 1000

// tryOnServer runs the trials that have helped on the server. It runs them in the order of the
// anomaly, in the schedules with few interruptions, and in all schedules where there are not too
// many. It takes back those that fail there.
func (r *runner) tryOnServer(ctx context.Context, helped []*track) error {
	r.server, r.twice = explore.OnServer{DSN: r.Server.DSN, Kind: r.Server.Kind}, nil
	byName := map[string]*trial{}
	var programs []string
	r.few = &explore.Few{Most: cmp.Or(r.Schedules, mostSchedules), Orders: map[string][]string{}}
	defer func() { r.server, r.few = explore.OnServer{}, nil }()
	for _, t := range helped {
		name := t.last().program.Name
		r.few.Orders[name] = stepsOf(t.found.Violation)
		byName[name] = &trial{}
		programs = append(programs, name)
	}
	r.each = func(kind string, line []byte) error { return tried(byName, kind, line) }
	err := r.process(ctx, programs)
	for _, t := range helped {
		t.onServer(byName[t.last().program.Name])
	}
	return err
}

// onServer takes what has become of the trial that has helped on a server.
func (t *track) onServer(there *trial) {
	if there.broken != nil {
		t.fails(Refuted{Server: there.server(), Why: t.last().why(there)})
		return
	}
	t.last().advised.Server = there.onServer()
}

// server is the server's name, as far as it has said it.
func (t *trial) server() string {
	if t.result == nil || t.result.Server == "" {
		return "the server"
	}
	return t.result.Server
}

// why tells why a trial fails on a server, as far as that is known: the errors with which calls
// end, and the failures of the run.
func (t *trial) why(there *trial) string {
	var list []string
	key := false
	for _, o := range there.broken.Schedule {
		if o.Error == "" {
			continue
		}
		number := o.Session[strings.LastIndexByte(o.Session, ' ')+1:]
		list = append(list, strings.TrimSpace(fmt.Sprintf("call %s ends with %s %s", number, o.Error, o.Message)))
		key = key || strings.HasPrefix(o.Error, "23505")
	}
	for _, f := range there.broken.Failures {
		if !slices.Contains(list, f.Message) {
			list = append(list, f.Message)
		}
	}
	if t.serial && key && t.result.Met("40001") {
		list = append(list, "under the model it is 40001: "+byPlan)
	}
	return strings.Join(list, "; ")
}

// byPlan is why an error of the model's may be another one on a server.
const byPlan = "at SERIALIZABLE the plan of the reads decides which of the two errors the later of two inserts of a key has"

// onServer says what has become of a trial on a server.
func (t *trial) onServer() string {
	switch r := t.result; {
	case t.failed != "":
		return "could not be run there: " + t.failed
	case r == nil:
		return "could not be run there"
	case t.helps():
		return fmt.Sprintf("helps on %s too, in all %d schedules", r.Server, r.Explored)
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
		if o.What != report.StepGoesOn && o.What != report.StepResumes {
			list = append(list, o.Session)
		}
	}
	return list
}
