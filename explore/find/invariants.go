package find

import (
	"slices"
	"strings"

	"github.com/txmc/txmc/explore/find/generate"
	"github.com/txmc/txmc/report"
)

// Invariants of the application, such as a function InvariantBalance(context.Context,
// *sql.DB) error, are asked at the end of each run. An invariant counts as broken by an
// anomaly when a run that is not serializable breaks it, and no serializable run of the
// same calls on the same rows does. Where a serializable run does, the rows or the code
// break it anyway.

// anomalous reports whether a violation says more than that invariants are broken, or that a call keeps what it is to keep.
func anomalous(v *report.Violation) bool {
	return slices.ContainsFunc(v.Failures, func(f report.Failure) bool { return counts(v, f) })
}

// brokenBy lists the invariants that a run breaks, of those that are looked at.
func (r *runner) brokenBy(v *report.Violation) (list []string) {
	for _, failure := range v.Failures {
		if failure.Name != generate.Invariants {
			continue
		}
		for line := range strings.Lines(failure.Message) {
			name, _, _ := strings.Cut(line, ":")
			for _, i := range r.program.Invariants {
				if i.Name() == name && !slices.Contains(list, name) && (r.only == nil || slices.Contains(r.only, name)) {
					list = append(list, name)
				}
			}
		}
	}
	return list
}

// invariants notes which invariants a run breaks, and the easiest run that does.
func (r *runner) invariants(p *plan, v *report.Violation, found *Finding) {
	for _, name := range r.brokenBy(v) {
		switch before := p.broken[name]; {
		case found == nil:
			p.anyway[name] = true
		case before == nil || easier(v, before.Violation) < 0:
			p.broken[name] = found
		}
	}
}

// settle ranks the anomaly of a plan after all runs of its calls: those that break
// invariants are the worst.
func (r *runner) settle(p *plan) {
	var worst *Finding
	var names []string
	for _, i := range r.program.Invariants {
		found := p.broken[i.Name()]
		if found == nil || p.anyway[i.Name()] {
			continue
		}
		names = append(names, i.Name())
		if worst == nil || easier(found.Violation, worst.Violation) < 0 {
			worst = found
		}
	}
	if worst != nil && (p.found == nil || p.found.Rank != Broken || len(names) > len(p.found.Invariants)) {
		worst.Rank, worst.Invariants = Broken, names
		p.found = worst
	}
	p.broken, p.anyway = map[string]*Finding{}, map[string]bool{}
}
