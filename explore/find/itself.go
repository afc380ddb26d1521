package find

import (
	"regexp"
	"slices"

	"github.com/txmc/txmc/explore/find/generate"
	"github.com/txmc/txmc/report"
)

// What a call does to itself. It hangs when it waits for what another of its connections has. It keeps a lock when it ends
// with one that it has tried to give up, on another connection than the one that has it. A call that ends with a
// lock and does not try to give it up, such as a method Lock, is made for that.

// releases matches statements that give a lock up which outlasts its transaction.
var releases = regexp.MustCompile(`(?i)\bpg_advisory_unlock|\brelease_(all_)?locks?\s*\(|\bunlock\s+tables\b`)

// counts reports whether a failure of a run is one of the code's.
func counts(v *report.Violation, f report.Failure) bool {
	switch f.Kind {
	case "kept":
		return slices.ContainsFunc(v.Schedule, func(o report.Operation) bool { return o.Session == f.Session && releases.MatchString(o.Statement) })
	}
	return f.Name != generate.Invariants
}

// failedBy reports whether a violation has a failure of a kind that counts.
func failedBy(v *report.Violation, kind string) bool {
	return slices.ContainsFunc(v.Failures, func(f report.Failure) bool { return f.Kind == kind && counts(v, f) })
}
