package find

import (
	"github.com/txmc/txmc/explore/find/generate"
	"github.com/txmc/txmc/report"
)

// A call that panics in a serial run, as where its arguments cannot be what it needs, shows nothing. One that
// panics in others alone has met what it does not expect.

// panics reports whether a violation is such a panic. It takes back what an earlier violation
// by the same panic has found.
func (p *plan) panics(v *report.Violation) bool {
	text := panicOf(v)
	if text == "" || !p.panicked[text] && !serial(v) {
		return false
	}
	p.panicked[text] = true
	p.why = "a call panics, in a serial order too: " + text
	if p.found != nil && panicOf(p.found.Violation) == text {
		p.found = nil
	}
	return true
}

// panicOf is what a call has panicked with, if a violation has no other failure.
func panicOf(v *report.Violation) (text string) {
	for _, f := range v.Failures {
		switch {
		case f.Kind == "panic":
			text = f.Message
		case f.Name != generate.Invariants:
			return ""
		}
	}
	return text
}

// serial reports whether the sessions of a run have made their steps one after another.
func serial(v *report.Violation) bool {
	seen, last := map[string]bool{}, ""
	for _, o := range v.Schedule {
		if o.Session != last && seen[o.Session] {
			return false
		}
		seen[o.Session], last = true, o.Session
	}
	return true
}
