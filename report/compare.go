package report

import "fmt"

// TypeComparison is the type of [Comparison].
const TypeComparison = "comparison"

// Comparison counts the histories that a level allows and a stronger one
// forbids. A program that has none is robust: it cannot tell the two levels
// apart.
type Comparison struct {
	Type     string `json:"type"` // "comparison"
	Schema   int    `json:"schema"`
	Package  string `json:"package"`
	Program  string `json:"program"`
	Iso      string `json:"iso"`      // the level that allows them
	Stronger string `json:"stronger"` // the level that forbids them

	Histories int64 `json:"histories"` // that Iso allows
	EndStates int64 `json:"end_states"`
	Differ    int64 `json:"differ"` // of them those that Stronger forbids
	// Complete is true when every history was seen. Only then is a program that
	// has shown no difference robust.
	Complete bool   `json:"complete"`
	Stopped  string `json:"stopped,omitempty"`
	// Unreached is true when it was stopped before anything was known of it.
	Unreached bool    `json:"unreached,omitempty"`
	Seconds   float64 `json:"seconds"`
	// Shortest is the one with the fewest sessions, transactions and reads that
	// miss a write. It need not break any assertion.
	Shortest *Violation `json:"shortest,omitempty"`
}

// Comparison renders a comparison.
func (t *Text) Comparison(c *Comparison) string {
	where := fmt.Sprintf("%s  iso=%s,%s", t.Name(c.Package, c.Program), c.Iso, c.Stronger)
	r := Result{Complete: c.Complete, Stopped: c.Stopped, Unreached: c.Unreached}
	switch {
	case c.Unreached:
		return fmt.Sprintf("INCOMPLETE  %s  %s\n", where, t.end(&r))
	case c.Stopped == "error":
		return fmt.Sprintf("ERROR  %s  stopped by an error: nothing is proved\n", where)
	case c.Differ > 0:
		verb := "are"
		if c.Differ == 1 {
			verb = "is"
		}
		s := fmt.Sprintf("differs  %s  %d of %s that %s allows %s not %s, %s  %.2fs\n",
			where, c.Differ, histories(c.Histories), c.Iso, verb, c.Stronger, t.end(&r), c.Seconds)
		if c.Shortest != nil {
			s += t.Violation(c.Shortest)
		}
		return s
	case c.Complete:
		return fmt.Sprintf("robust   %s  every %s history is %s: %s of %d explored, complete  %.2fs\n",
			where, c.Iso, c.Stronger, histories(c.Histories), c.EndStates, c.Seconds)
	}
	return fmt.Sprintf("INCOMPLETE  %s  %s, %s: no difference so far, not a proof\n", where, histories(c.Histories), t.end(&r))
}
