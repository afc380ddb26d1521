package report

import (
	"slices"
	"strings"
)

// irrelevant says what can be left out of the program.
func (v *Violation) irrelevant() string {
	switch {
	case len(v.Irrelevant) == 0:
		return ""
	case v.allIrrelevant():
		return "  " + v.fails() + " even when no session runs\n"
	}
	return fold("  irrelevant, as " + v.fails() + " without: " + enumerate(v.Irrelevant))
}

// fails is what happens in the violation.
func (v *Violation) fails() string {
	asserts := func(f Failure) bool { return f.Kind != "panic" }
	if len(v.Failures) > 0 && !slices.ContainsFunc(v.Failures, asserts) {
		return "the panic comes"
	}
	return "the assertion fails"
}

// allIrrelevant reports whether no session is needed.
func (v *Violation) allIrrelevant() bool {
	needed := func(session string) bool {
		return session != final && !slices.Contains(v.Irrelevant, Part{Session: session})
	}
	return !slices.ContainsFunc(v.History.Transactions, func(t Transaction) bool { return t.ID != initial && needed(t.Session) }) &&
		!slices.ContainsFunc(v.Schedule, func(o Operation) bool { return needed(o.Session) })
}

// enumerate lists sessions, then transactions.
func enumerate(parts []Part) string {
	var sessions, txns []string
	for _, p := range parts {
		if p.Transaction == "" {
			sessions = append(sessions, oneLine(p.Session))
		} else {
			txns = append(txns, oneLine(p.Transaction))
		}
	}
	return strings.Join(slices.DeleteFunc([]string{several("session", sessions), several("transaction", txns)},
		func(s string) bool { return s == "" }), "; ")
}

// several lists names of a kind, "" when there are none.
func several(kind string, names []string) string {
	switch last := len(names) - 1; last {
	case -1:
		return ""
	case 0:
		return kind + " " + names[0]
	default:
		return kind + "s " + strings.Join(names[:last], ", ") + " and " + names[last]
	}
}
