package replay

import (
	"fmt"
	"slices"

	"github.com/txmc/txmc/report"
)

// observed compares what the sessions observed with the recording, name by name:
// the first observation that is not as recorded, or nil. A name that the
// recording does not have is none of its business. A session whose assertion
// failed in place and holds now goes further, and may observe more.
func observed(saved, now *report.Violation) *report.Difference {
	type series struct{ session, name string }
	seen := map[series][]*report.Observation{}
	for i := range now.History.Observations {
		o := &now.History.Observations[i]
		seen[series{o.Session, o.Name}] = append(seen[series{o.Session, o.Name}], o)
	}
	said := map[series]*report.Observation{}
	for i := range saved.History.Observations {
		o := &saved.History.Observations[i]
		key := series{o.Session, o.Name}
		said[key] = o
		if len(seen[key]) == 0 {
			return observation(o, o, "no observation "+o.Name, "")
		}
		if is := seen[key][0]; is.Shown() != o.Shown() {
			return observation(o, o, fmt.Sprintf("observe %s = %s", is.Name, is.Shown()), is.At)
		}
		seen[key] = seen[key][1:]
	}
	for i := range now.History.Observations {
		o := &now.History.Observations[i]
		key := series{o.Session, o.Name}
		if last := said[key]; last != nil && slices.Contains(seen[key], o) && !inPlace(saved, o.Session) {
			return observation(last, nil, fmt.Sprintf("observe %s = %s", o.Name, o.Shown()), o.At)
		}
	}
	return nil
}

// inPlace reports whether an assertion of the session failed.
func inPlace(saved *report.Violation, session string) bool {
	return slices.ContainsFunc(saved.Failures, func(f report.Failure) bool { return f.Session == session })
}

func observation(where, recorded *report.Observation, now, at string) *report.Difference {
	d := &report.Difference{Session: where.Session, Transaction: where.After, Recorded: "no further observation " + where.Name, Now: now, NowAt: at}
	if recorded != nil {
		d.Recorded, d.RecordedAt = fmt.Sprintf("observe %s = %s", recorded.Name, recorded.Shown()), recorded.At
	}
	return d
}
