package report

import (
	"fmt"
	"strings"
)

// TypeAdvice is the type of [Advice].
const TypeAdvice = "advice"

// Advice says which levels the transactions of a program need at least.
type Advice struct {
	Type         string   `json:"type"` // "advice"
	Schema       int      `json:"schema"`
	Package      string   `json:"package"`
	Program      string   `json:"program"`
	Levels       []string `json:"levels"`       // among which, weakest first
	Transactions []string `json:"transactions"` // by name, those that can have a level of their own
	// Assignments are the weakest ones at which every assertion holds: at every weaker
	// assignment one breaks, or was not decided. Those whose outcomes have the fewest
	// errors come first.
	Assignments []Assignment `json:"assignments"`

	Explored int  `json:"explored"`       // assignments that were decided by an exploration
	Reused   int  `json:"reused"`         // by what earlier explorations have found
	All      int  `json:"all"`            // assignments that there are
	Many     bool `json:"many,omitempty"` // there are more than All says
	One      bool `json:"one,omitempty"`  // one was looked for, not all: there are too many
	Complete bool `json:"complete"`       // all that were looked at were decided

	// Checked is "serializable" where the program asserts nothing, and that was checked instead.
	Checked string `json:"checked,omitempty"`
	// Unchecked says why nothing was checked; "" where something was.
	Unchecked string `json:"unchecked,omitempty"`

	// For an assertion that breaks at the strongest levels, when no assignment was
	// found:
	Failure string `json:"failure,omitempty"` // kind and name
	At      string `json:"at,omitempty"`
	Message string `json:"message,omitempty"`
}

// Assignment gives a level to each transaction.
type Assignment struct {
	Transactions []AssignedLevel `json:"transactions"`
	Partly       bool            `json:"partly,omitempty"` // not all was counted

	// On a database: the outcomes, the transactions that wait on some way to one, and the
	// errors that outcomes meet.
	Outcomes int64      `json:"outcomes,omitempty"`
	Waiting  []string   `json:"waiting,omitempty"`
	Errors   []Expected `json:"errors,omitempty"`

	// For axiomatic levels: the histories that are allowed, of those of the weakest
	// level.
	Histories int64  `json:"histories,omitempty"`
	Of        int64  `json:"of,omitempty"`
	Weakest   string `json:"weakest,omitempty"`
}

// AssignedLevel is the level of the transactions of a name.
type AssignedLevel struct {
	Name string `json:"name"`
	Iso  string `json:"iso"`
}

// Failing is how many outcomes an error of the database has that the most of them meet.
func (a *Assignment) Failing() (n int64) {
	for _, e := range a.Errors {
		n = max(n, e.Outcomes)
	}
	return n
}

// Advice renders what levels a program needs.
func (t *Text) Advice(a *Advice) string {
	var b strings.Builder
	b.WriteString(t.Name(a.Package, a.Program) + "  " + a.verdict() + "\n")
	for i := range a.Assignments {
		a.Assignments[i].text(&b, i)
	}
	if a.Failure != "" {
		b.WriteString(fold(fmt.Sprintf("  breaks at the strongest levels too: %s (%s)", oneLine(a.Failure), a.At)))
		b.WriteString(fold("    " + oneLine(a.Message)))
	}
	b.WriteString(fold("  " + t.searched(a)))
	return b.String() + "\n"
}

// verdict is what was found in a line.
func (a *Advice) verdict() string {
	among := "among " + strings.Join(a.Levels, ", ")
	what := "everything holds"
	if a.Checked != "" {
		what = "outcomes are " + a.Checked + " (" + AssertsNothing + ")"
	}
	switch {
	case a.Unchecked != "":
		return "NOTHING CHECKED: " + a.Unchecked
	case len(a.Assignments) == 0 && !a.Complete:
		return "no levels are known at which everything holds, " + among
	case len(a.Assignments) == 0:
		return "no levels make everything hold, " + among
	case len(a.Transactions) == 0:
		return what + ", and no transaction has a level of its own"
	case len(a.Assignments) == 1 && a.Assignments[0].all(a.Levels[0]):
		return what + " at the weakest level, " + among
	}
	return what + ", and at nothing weaker " + among
}

// all reports whether all transactions have a level.
func (a *Assignment) all(level string) bool {
	for _, t := range a.Transactions {
		if t.Iso != level {
			return false
		}
	}
	return true
}

// text is an assignment with what it costs.
func (a *Assignment) text(b *strings.Builder, number int) {
	head := "  at  "
	if number > 0 {
		head = "  or  "
	}
	for _, t := range a.Transactions {
		b.WriteString(fold(fmt.Sprintf("%s%s: %s", head, oneLine(t.Name), t.Iso)))
		head = "      "
	}
	mark := ""
	if a.Partly {
		mark = "+"
	}
	if a.Of > 0 {
		b.WriteString(fold(fmt.Sprintf("      allows %d%s of %d%s histories of %s", a.Histories, mark, a.Of, mark, a.Weakest)))
	}
	if a.Outcomes == 0 {
		return
	}
	of := fmt.Sprintf("of %d%s", a.Outcomes, mark)
	if len(a.Waiting) > 0 {
		b.WriteString(fold("      costs  waiting: " + strings.Join(a.Waiting, ", ")))
	}
	for _, e := range a.Errors {
		from := ""
		if e.Commit {
			from = " from COMMIT"
		}
		b.WriteString(fold(fmt.Sprintf("      costs  %s%s in %d %s outcomes: %s", e.Code, from, e.Outcomes, of, strings.Join(e.Transactions, ", "))))
	}
	if len(a.Errors) == 0 {
		b.WriteString(fold(fmt.Sprintf("      outcomes with an error: none %s", of)))
	}
}

// searched is how the search was done.
func (t *Text) searched(a *Advice) string {
	all := fmt.Sprint(a.All)
	if a.Many {
		all = "more than " + fmt.Sprint(a.All-1)
	}
	text := fmt.Sprintf("of %s assignments of levels %d explored, %d decided by what that has found", all, a.Explored, a.Reused)
	if a.One {
		text += "; levels were lowered one after another from the strongest, and there may be other answers"
	}
	if !a.Complete {
		text += "; some were not decided"
		if limit := t.Limits["timeout"]; limit != "" {
			text += " within the limits, such as " + limit
		}
	}
	return text
}
