package report

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// Text renders the lines of an exploration for people. Its fields are what the
// lines do not carry.
type Text struct {
	// Timeout and MaxHistories are the limits that were set; 0 means none.
	Timeout      time.Duration
	MaxHistories int64
	// Qualify holds the names that several packages have: they are written with
	// the package's path.
	Qualify map[string]bool
	// Base is true when the base was chosen by the user, and so is shown.
	Base bool
	// Colour is true when the text goes to a terminal that shows colours.
	Colour bool
}

// Name is how text names a program.
func (t *Text) Name(pkg, program string) string {
	if t.Qualify[program] {
		return pkg + "." + program
	}
	return program
}

// Result is the line of a program at a level: ok, FAIL, INCOMPLETE or ERROR.
// Only ok and complete say that there is no violation.
func (t *Text) Result(r *Result) string {
	word, rest, _ := strings.Cut(t.result(r), " ")
	return t.paint(map[string]string{"ok": green, "INCOMPLETE": yellow, "FAIL": red, "ERROR": red}[word], word) + " " + rest
}

func (t *Text) result(r *Result) string {
	where := fmt.Sprintf("%s  %-7s", t.Name(r.Package, r.Program), "iso="+r.Iso)
	if t.Base {
		where += " base=" + r.Base
	}
	of := fmt.Sprintf("%s of %d explored", histories(r.Histories), r.EndStates)
	switch {
	case r.Unreached:
		return fmt.Sprintf("INCOMPLETE  %s  %s\n", strings.TrimRight(where, " "), t.end(r))
	case r.Stopped == "error":
		return fmt.Sprintf("ERROR  %s  stopped by an error after %s: nothing is proved\n", strings.TrimRight(where, " "), of)
	case r.Stopped == "violation":
		return fmt.Sprintf("FAIL  %s  first violation after %s  %.2fs\n", where, of, r.Seconds)
	case r.Violations > 0:
		return fmt.Sprintf("FAIL  %s  %s in %s, %s  %.2fs\n", where, count(r.Violations, "violation", "violations"), of, t.end(r), r.Seconds)
	case r.Complete:
		return fmt.Sprintf("ok    %s  %s, complete  %.2fs\n", where, of, r.Seconds)
	}
	return fmt.Sprintf("INCOMPLETE  %s  %s, %s: no violation so far, not a proof\n",
		strings.TrimRight(where, " "), histories(r.Histories), t.end(r))
}

// end says how an exploration ended.
func (t *Text) end(r *Result) string {
	switch {
	case r.Complete:
		return "complete"
	case r.Stopped == "timeout":
		return "stopped by --timeout=" + brief(t.Timeout)
	case r.Stopped == "max-histories":
		return fmt.Sprintf("stopped by --max-histories=%d", t.MaxHistories)
	case r.Stopped == "interrupt":
		if r.Unreached {
			return "not explored: interrupted before"
		}
		return "stopped by an interrupt"
	}
	return "stopped (" + cmp.Or(r.Stopped, "for an unknown reason") + ")"
}

// Error renders a program that cannot be explored, its user's line first where
// there is one.
func (t *Text) Error(e *Error) string {
	var b strings.Builder
	b.WriteString("txmc: ")
	if e.Program != "" {
		b.WriteString(t.Name(e.Package, e.Program) + ": ")
	}
	if e.At != "" {
		b.WriteString(e.At + ": ")
	}
	if e.Session != "" {
		fmt.Fprintf(&b, "session %q: ", e.Session)
	}
	b.WriteString(e.Message + "\n")
	for _, frame := range e.Stack {
		b.WriteString("    " + frame + "\n")
	}
	return b.String()
}

func histories(n int64) string { return count(n, "history", "histories") }

func count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// brief is a duration as people write it: 1m, not 1m0s.
func brief(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
