package find

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/report"
)

// onServer runs the anomalies that are reported on a real server. Each result is in the
// anomaly's violation. An anomaly has none when --timeout ended the run before its turn.
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
