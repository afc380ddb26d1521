package report

import (
	"cmp"
	"fmt"
	"strings"
)

// Text renders the lines of an exploration for people. Its fields are what the
// lines do not carry.
type Text struct {
	// Limits names the limits that were set, by the reason in Result.Stopped.
	Limits map[string]string
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

// Result is the line of a program at a level: ok, FAIL, INCOMPLETE, NOTHING CHECKED or ERROR.
// Only ok and complete say that there is no violation.
func (t *Text) Result(r *Result) string {
	word, rest, _ := strings.Cut(t.result(r), " ")
	rest += r.instead(r.Iso)
	return t.paint(map[string]string{"ok": green, "INCOMPLETE": yellow, "NOTHING": yellow, "FAIL": red, "ERROR": red}[word], word) + " " + rest
}

// Ask says that the level of a violation is an axiomatic one, and what to ask instead.
func (t *Text) Ask(r *Result) string {
	who := "PostgreSQL"
	if strings.Contains(r.Ask, "mysql") {
		who = "InnoDB"
	}
	return fmt.Sprintf("  %s is the axiomatic level, a promise; what %s does:\n    %s\n", r.Iso, who, r.Ask)
}

// instead says that the level took the place of the code's own, which were not checked; "" where it
// did not.
func (r *Result) instead(at string) string {
	if r.Instead == "" {
		return ""
	}
	return fold("  " + at + " takes the place of the levels that the code asks for, which were not checked: " + r.Instead)
}

func (t *Text) result(r *Result) string {
	where := fmt.Sprintf("%s  %-7s", t.Name(r.Package, r.Program), "iso="+r.Iso)
	if t.Base {
		where += " base=" + r.Base
	}
	found := histories(r.Histories) + t.inAll(r)
	of := fmt.Sprintf("%s of %d explored", found, r.EndStates)
	if r.Engine == "states" {
		found = count(r.Histories, "outcome", "outcomes") + t.inAll(r)
		of = fmt.Sprintf("%s in %s", found, count(r.Explored, "state", "states"))
	}
	if r.Engine == EngineServer {
		found = count(r.Histories, "outcome", "outcomes")
		of = fmt.Sprintf("%s in %s on %s", found, count(r.Explored, "execution", "executions"), r.Server)
	}
	switch {
	case r.Unreached:
		return fmt.Sprintf("INCOMPLETE  %s  %s\n", strings.TrimRight(where, " "), t.end(r))
	case r.Stopped == "error":
		return fmt.Sprintf("ERROR  %s  stopped by an error after %s: nothing is proved\n", strings.TrimRight(where, " "), of)
	case r.Stopped == "violation":
		return fmt.Sprintf("FAIL  %s  first violation after %s  %.2fs\n", where, of, r.Seconds)
	case r.Violations > 0:
		return fmt.Sprintf("FAIL  %s  %s in %s, %s  %.2fs\n", where, count(r.Violations, "violation", "violations"), of, t.end(r), r.Seconds)
	case r.Unchecked != "":
		return fmt.Sprintf("NOTHING CHECKED  %s  %s, %s  %.2fs\n", strings.TrimRight(where, " "), of, t.end(r), r.Seconds) + fold("  "+r.unchecked())
	case r.Within():
		return fmt.Sprintf("ok with at most %s  %s  %s, all of these%s  %.2fs\n", count(int64(r.Interruptions), "interruption", "interruptions"), where, of, r.checked(), r.Seconds)
	case r.Complete:
		return fmt.Sprintf("ok    %s  %s, complete%s  %.2fs\n", where, of, r.checked(), r.Seconds)
	}
	return fmt.Sprintf("INCOMPLETE  %s  %s, %s: no violation so far, not a proof\n",
		strings.TrimRight(where, " "), found, t.end(r))
}

// Within reports whether nothing breaks within the bound on interruptions that was asked for, and
// there is more beyond it.
func (r *Result) Within() bool { return r.Stopped == "interruptions" && r.Violations == 0 }

// unchecked says why nothing was checked, and what to do.
func (r *Result) unchecked() string {
	if !strings.HasPrefix(r.Unchecked, AssertsNothing) {
		return r.Unchecked
	}
	return r.Unchecked + ": say what must hold by p.Final, p.Invariant or s.Assert"
}

// AssertsNothing begins what Unchecked says of a program that asserts nothing.
const AssertsNothing = "it asserts nothing"

// checked says what was checked, where that is not what the program asserts.
func (r *Result) checked() string {
	if r.Checked == "" {
		return ""
	}
	return ", " + r.Checked + " (" + AssertsNothing + ")"
}

// inAll says of how many histories or outcomes one of each kind was explored.
func (t *Text) inAll(r *Result) string {
	if y := r.Symmetry; y != nil && len(y.Sets) > 0 {
		return fmt.Sprintf(" up to symmetry (%d in all)", y.Histories)
	}
	return ""
}

// end says how an exploration ended.
func (t *Text) end(r *Result) string {
	switch {
	case r.Complete:
		return "complete"
	case t.Limits[r.Stopped] != "":
		return "stopped by " + t.Limits[r.Stopped]
	case r.Stopped == "interruptions":
		return "all with at most " + count(int64(r.Interruptions), "interruption", "interruptions")
	case r.Stopped == "interrupt":
		if r.Unreached {
			return "not explored: interrupted before"
		}
		return "stopped by an interrupt"
	}
	return "stopped (" + cmp.Or(r.Stopped, "for an unknown reason") + ")"
}

// Problem renders a program that cannot be explored, its user's line first where
// there is one, without a newline at the end.
func (t *Text) Problem(e *Error) string {
	var b strings.Builder
	if e.Program != "" {
		b.WriteString(t.Name(e.Package, e.Program) + ": ")
	}
	if e.At != "" {
		b.WriteString(e.At + ": ")
	}
	if e.Session != "" {
		fmt.Fprintf(&b, "session %q: ", e.Session)
	}
	b.WriteString(e.Message)
	for _, frame := range e.Stack {
		b.WriteString("\n    " + frame)
	}
	for i, line := range e.Printed {
		if i == 0 {
			b.WriteString("\n  it has printed last:")
		}
		b.WriteString("\n    " + oneLine(escapes.ReplaceAllString(line, "")))
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

// The styles of text on a terminal, as ANSI escape sequences.
const (
	plain  = ""
	bold   = "\x1b[1m"
	dim    = "\x1b[2m"
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	reset  = "\x1b[0m"
)

// paint gives s a style, when the text is coloured. It adds no width: paint what
// has been laid out.
func (t *Text) paint(style, s string) string {
	if !t.Colour || style == plain || s == "" {
		return s
	}
	return style + s + reset
}

// paintLine gives the first line of s a style.
func (t *Text) paintLine(style, s string) string {
	first, rest, _ := strings.Cut(s, "\n")
	return t.paint(style, first) + "\n" + rest
}
