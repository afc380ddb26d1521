package report

import (
	"fmt"
	"strings"
)

// TypeReplay is the type of [Replay].
const TypeReplay = "replay"

// Verdicts of replays.
const (
	// Reproduced: the history is what it was, the level allows it, and the
	// assertion fails.
	Reproduced = "reproduced"
	// Forbidden: the history is what it was and the level does not allow it.
	Forbidden = "forbidden"
	// AssertionHolds: the history is what it was and nothing fails.
	AssertionHolds = "holds"
	// Differs: the code does something else than it did.
	Differs = "differs"
)

// Replay is what becomes of a saved violation in today's code.
type Replay struct {
	Type    string `json:"type"` // "replay"
	Schema  int    `json:"schema"`
	Package string `json:"package"`
	Program string `json:"program"`
	Iso     string `json:"iso"`
	Verdict string `json:"verdict"` // reproduced, forbidden, holds, differs
	// Steps is the number of operations that were as recorded, begins and ends
	// counted.
	Steps      int         `json:"steps"`
	Difference *Difference `json:"difference,omitempty"` // of Differs
	Violation  *Violation  `json:"violation,omitempty"`  // the history in today's code; not of Differs
	// Other is true when what fails is another assertion than that of the saved
	// violation.
	Other bool `json:"other,omitempty"`
	// Confirmation, of a replay on a real server, is what became of it there; Verdict is its
	// verdict.
	Confirmation *Confirmation `json:"confirmation,omitempty"`
}

// Difference is the first operation that is not as recorded.
type Difference struct {
	Session     string `json:"session"`
	Transaction string `json:"transaction,omitempty"` // its ID
	Recorded    string `json:"recorded"`              // the operation
	RecordedAt  string `json:"recorded_at,omitempty"` // file:line
	Now         string `json:"now"`
	NowAt       string `json:"now_at,omitempty"`
}

// Shown is the event's value as Go prints it.
func (e *Event) Shown() string { return shown(e.Value, e.Text) }

// Shown is the observed value as Go prints it.
func (o *Observation) Shown() string { return shown(o.Value, o.Text) }

// Replay renders a replay.
func (t *Text) Replay(r *Replay) string {
	if r.Confirmation != nil {
		return t.onServer(r)
	}
	where := fmt.Sprintf("%s  iso=%s", t.Name(r.Package, r.Program), r.Iso)
	same := fmt.Sprintf("all %d operations are as recorded", r.Steps)
	switch r.Verdict {
	case Reproduced:
		s := "reproduced  " + where + "  " + same
		if r.Other {
			s += ", but another assertion fails"
		}
		return s + "\n" + t.Violation(r.Violation)
	case Forbidden:
		return fmt.Sprintf("no longer allowed  %s  %s, and %s forbids the history\n%s", where, same, r.Iso, t.Violation(r.Violation))
	case AssertionHolds:
		return fmt.Sprintf("no longer violated  %s  %s, and no assertion fails\n", where, same)
	}
	var b strings.Builder
	d := r.Difference
	fmt.Fprintf(&b, "not reproduced  %s  after %s as recorded the code does something else\n\n", where, count(int64(r.Steps), "operation", "operations"))
	who := d.Transaction
	if who == "" {
		who = d.Session
	}
	b.WriteString(table([][]string{{"", who, ""}, {"recorded", d.Recorded, d.RecordedAt}, {"now", d.Now, d.NowAt}}) + "\n")
	return b.String()
}
