package report

import "strings"

// Selection says what a violation stands for among those of its program, and
// what the program does besides it.
type Selection struct {
	// Irrelevant names sessions, and transactions by their IDs, that can all be
	// left out of the program with the assertion still failing. It is given for
	// the violation at which an exploration stops.
	Irrelevant []Part `json:"irrelevant,omitempty"`
	// Cause is the same for violations with the same assertion, anomaly and cycle
	// up to renaming. It is given when an exploration goes on after the first.
	Cause string `json:"cause,omitempty"`
	// Count is how many violations have that cause, where only one is reported.
	Count int64 `json:"count,omitempty"`
}

// Part is a session, or when it has an ID a transaction.
type Part struct {
	Session     string `json:"session"`
	Transaction string `json:"transaction,omitempty"`
}

// text says what can be left out of the program.
func (s *Selection) text() string {
	if len(s.Irrelevant) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("  irrelevant, as the assertion fails without: ")
	for i, p := range s.Irrelevant {
		switch {
		case i > 0 && i == len(s.Irrelevant)-1:
			b.WriteString(" and ")
		case i > 0:
			b.WriteString(", ")
		}
		if p.Transaction != "" {
			b.WriteString("transaction " + oneLine(p.Transaction))
		} else {
			b.WriteString("session " + oneLine(p.Session))
		}
	}
	return fold(b.String())
}
