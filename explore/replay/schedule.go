package replay

import (
	"fmt"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/explore/executed"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/report"
)

// executes replays a violation under a database's model: its choices, one after
// another, as far as the code does what it did.
func executes(client *program.Client, saved *report.Violation, src report.Source, out *report.Replay) (*report.Replay, error) {
	way, not := executed.Schedule(client, saved.Choices)
	f, err := dpor.Follow(client, src.Level, way)
	if err != nil {
		return nil, err
	}
	now := executed.Operations(client, f.Events, f.Stands)
	for out.Steps < min(len(now), len(saved.Schedule)) && sameOperation(&saved.Schedule[out.Steps], &now[out.Steps]) {
		out.Steps++
	}
	if out.Difference = differs(client, saved, f, now, out.Steps, not); out.Difference != nil {
		out.Verdict = report.Differs
		return out, nil
	}
	v, err := executed.Violation(src, client, f.Found)
	if err != nil {
		return nil, err
	}
	out.Violation = v
	switch {
	case len(f.Found.Failures) == 0:
		out.Verdict = report.AssertionHolds
	default:
		out.Verdict, out.Other = report.Reproduced, !Again(saved.Failures, v.Failures)
	}
	return out, nil
}

// sameOperation compares what users see of two operations, but for their lines. A Final
// ends as it judges, and that is not compared.
func sameOperation(a, b *report.Operation) bool {
	if a.Session == "final" && b.Session == a.Session && ends(a) && ends(b) {
		return true
	}
	return a.Session == b.Session && a.Transaction == b.Transaction && a.Name == b.Name && a.Level == b.Level && a.What == b.What && a.Text() == b.Text()
}

func ends(o *report.Operation) bool { return o.Op == report.OpCommit || o.Op == report.OpRollback }

// differs is the first operation that is not as recorded, nil when all are.
func differs(client *program.Client, saved *report.Violation, f *states.Followed, now []report.Operation, same int, not string) *report.Difference {
	d := &report.Difference{Recorded: "end of the execution", Now: "end of the execution"}
	if same < len(saved.Schedule) {
		s := &saved.Schedule[same]
		d.Session, d.Transaction, d.Recorded, d.RecordedAt = s.Session, s.Transaction, s.Text(), s.At
	}
	switch {
	case same < len(now):
		n := &now[same]
		if d.Session == "" {
			d.Session, d.Transaction = n.Session, n.Transaction
		}
		d.Now, d.NowAt = n.Text(), n.At
		if n.Session != d.Session {
			d.Now = n.Session + ": " + d.Now
		}
	case f.Found != nil && same == len(saved.Schedule):
		return nil
	case not != "":
		d.Now = fmt.Sprintf("the step %q is none of this program", not)
	default:
		d.Now, d.NowAt = stands(client, f, d)
	}
	return d
}

// stands says where a session is that has not made its step, or not ended.
func stands(client *program.Client, f *states.Followed, d *report.Difference) (text, at string) {
	for i, n := range f.Stands {
		switch name := client.SessionName(i); {
		case d.Session == "" && n.Kind != behaviour.End:
			d.Session = name
			return "the session goes on", client.Location(n.Loc).String()
		case d.Session == name && n.Kind == behaviour.End:
			return "end of the session", ""
		case d.Session == name:
			return "the session does something else, or waits", client.Location(n.Loc).String()
		}
	}
	return "the session is not there", ""
}

// onDatabase reports whether the violation was found under a database's model.
func onDatabase(v *report.Violation) bool {
	l, err := isolation.Parse(v.Iso)
	return err == nil && l.Database() != isolation.NoDatabase
}
