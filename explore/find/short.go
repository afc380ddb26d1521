package find

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txmc/txmc/explore/find/structure"
)

// What users see first: how many bugs, each in a few lines, and what was not looked at. The rest is told by -v.

// Short is the report in few lines. Command is the command that has made it, without its name, for the one that shows more.
func (r *Report) Short(command string) string {
	var b strings.Builder
	bugs := "no bug"
	if n := len(r.Findings); n > 0 {
		bugs = count(n, "bug")
	}
	switch {
	case r.Transactions == 0:
		folded(&b, "", nothing)
	case !r.Ran:
		folded(&b, "", fmt.Sprintf("%s in %s at %s, not run", count(r.Structures, "structure"), count(r.Transactions, "transaction"), r.Iso))
	case len(r.Findings) == 0 && !r.Interrupted && !r.mostly():
		fmt.Fprintf(&b, "no bug in what was run of %s at %s, and most was not\n", count(r.Transactions, "transaction"), r.Iso)
	case r.Interrupted && r.Pairs && len(r.Findings) == 0:
		fmt.Fprintf(&b, "no bug of two calls in %s at %s\n", count(r.Transactions, "transaction"), r.Iso)
	case r.Interrupted:
		fmt.Fprintf(&b, "%s so far in %s at %s\n", bugs, count(r.Transactions, "transaction"), r.Iso)
	default:
		fmt.Fprintf(&b, "%s in %s at %s\n", bugs, count(r.Transactions, "transaction"), r.Iso)
	}
	for i, f := range r.Findings {
		b.WriteString("\n")
		f.short(&b, i+1, command)
	}
	if rest := r.rest(); rest != "" {
		b.WriteString("\n")
		folded(&b, "not looked at: ", rest+" (-v says why)")
	}
	if r.Schema != nil && len(r.Schema.From) > 0 {
		left := ""
		if n := len(r.Schema.Left); n > 0 {
			left = fmt.Sprintf(", without %s that failed and make no table (-v says which)", count(n, "statement"))
		}
		folded(&b, "schema: ", strings.Join(r.Schema.From, ", ")+left)
	}
	r.ended(&b)
	return b.String()
}

// nothing is what is missing where nothing was understood.
const nothing = "nothing was understood: " + noCalls

// noCalls is why nothing is.
const noCalls = "no exported function, or method of what one makes, sends a statement that is known; txmc find follows database/sql, pgx, sqlx, gorm, bun, ent and xorm"

// Bug is what a finding is in a line.
type Bug struct {
	Tables []string `json:"tables,omitempty"` // in whose rows the calls meet
	Lost   bool     `json:"lost,omitempty"`   // both read a row and write it then
	At     []string `json:"at,omitempty"`     // the statements of the first call between which the other one comes
}

// bug is that of a structure which a run has shown.
func bug(s *structure.Structure) (b Bug) {
	for _, d := range s.Dependencies {
		if !slices.Contains(b.Tables, d.Table.Name) {
			b.Tables = append(b.Tables, d.Table.Name)
		}
	}
	n := s.Nodes[0]
	for _, other := range s.Nodes {
		if other.In != other.Out {
			n = other
			break
		}
	}
	first, second := n.Out, n.In
	if !first.Before(second) {
		first, second = second, first
	}
	if b.At = []string{first.At}; second != first {
		b.At = append(b.At, second.At)
	}
	b.Lost = len(b.Tables) == 1 && len(s.Nodes) == 2 && second != first
	return b
}

// short is a finding in a few lines.
func (f *Finding) short(b *strings.Builder, number int, command string) {
	indent := strings.Repeat(" ", len(fmt.Sprint(number))+2)
	fmt.Fprintf(b, "%d  %s: %s%s\n", number, strings.Join(f.Calls, " × "), f.words(), f.places())
	folded(b, indent+"calls  ", strings.Join(f.Invoked, ", "))
	if len(f.Advice) > 0 {
		folded(b, indent+"fix, verified  ", strings.Join(f.Advice[0].Change, "; "))
	}
	if f.Between {
		folded(b, indent+"why  ", "the transactions of a call are apart: no level of transactions prevents it")
	}
	folded(b, indent+"see  ", fmt.Sprintf("%s --show=%d", command, number))
}

// words say what is wrong.
func (f *Finding) words() string {
	of := ""
	if len(f.Bug.Tables) > 0 {
		of = " of " + strings.Join(f.Bug.Tables, " and ")
	}
	switch {
	case f.Rank == Broken:
		return "breaks " + strings.Join(f.Invariants, ", ")
	case f.Rank == DataLost && f.Bug.Lost:
		return "lost update" + of
	case f.Rank == DataLost:
		return "rows" + of + " that no serial order leaves"
	case f.Rank == Hangs:
		return "a call waits for itself, for ever" + strings.Replace(of, " of ", ", on ", 1)
	case f.Rank == Keeps:
		return "a lock is kept: it is given up on another connection than the one that has it"
	case f.Rank == Ended:
		return "deadlock" + strings.Replace(of, " of ", " on ", 1) + ", and the call is not made again"
	case f.Rank == Constraint:
		for _, o := range f.Violation.Schedule {
			if refused(o.Error) {
				return "error " + o.Error + " that no serial order gives" + strings.Replace(of, " of ", ", on ", 1)
			}
		}
	}
	return "stale read" + of
}

// rest says what was not looked at.
func (r *Report) rest() string {
	var list []string
	add := func(n int, what string) {
		if n > 0 {
			list = append(list, count(n, what))
		}
	}
	add(len(r.Left), "package")
	add(len(r.Unknown), "place")
	calls := map[string]bool{}
	for _, u := range r.Unconfirmed {
		if u.Why != noAnomaly && r.Ran && !strings.HasPrefix(u.Why, "the runs show another") && !strings.HasPrefix(u.Why, "no arguments make") {
			calls[strings.Join(u.Calls, " ")] = true
		}
	}
	if n := len(calls); n == 1 {
		list = append(list, "1 group of calls that did not run")
	} else if n > 1 {
		list = append(list, fmt.Sprintf("%d groups of calls that did not run", n))
	}
	add(r.Skipped, "structure")
	return strings.Join(list, ", ")
}

// ended says what has ended the search before its time.
func (r *Report) ended(b *strings.Builder) {
	if r.Truncated {
		b.WriteString("there are more structures: shorter ones are had by --length\n")
	}
	switch {
	case r.Pairs && r.Budget != "":
		folded(b, "", fmt.Sprintf("the time of --budget=%s is over: all structures of two calls were run, and not all of three and more; advice may be missing", r.Budget))
	case r.Interrupted && r.Budget != "":
		folded(b, "", fmt.Sprintf("the time of --budget=%s is over: what was not run may be anomalies, and advice may be missing", r.Budget))
	case r.Interrupted:
		b.WriteString("interrupted: what was not run may be anomalies, and advice may be missing\n")
	}
}

// One is all that is known of the finding of a number, from 1; "" without one.
func (r *Report) One(number int) string {
	if number < 1 || number > len(r.Findings) {
		return ""
	}
	var b strings.Builder
	r.Findings[number-1].text(&b)
	return b.String()
}
