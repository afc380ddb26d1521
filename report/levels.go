package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/txmc/txmc/isolation"
)

// TypeLevels is the type of [Levels].
const TypeLevels = "levels"

// Levels says which assertions of a program hold at which levels.
type Levels struct {
	Type    string `json:"type"` // "levels"
	Schema  int    `json:"schema"`
	Package string `json:"package"`
	Program string `json:"program"`
	// Safe is the weakest of the levels at which every assertion holds; none when
	// something breaks at the strongest of them, or not all is known.
	Safe       string      `json:"safe,omitempty"`
	Assertions []Assertion `json:"assertions"`
	Results    []Result    `json:"results"` // level by level
}

// Assertion is something that a program asserts: a Final or an Invariant, or,
// when it has failed, an assertion of a session, or a panic.
type Assertion struct {
	Kind    string    `json:"kind"` // as of a failure
	Name    string    `json:"name,omitempty"`
	At      string    `json:"at,omitempty"`
	Message string    `json:"message,omitempty"` // of its first failure
	Levels  []Verdict `json:"levels"`            // in the order of the results
	// Unasserted is true where the program asserts nothing, and this was checked instead.
	Unasserted bool `json:"unasserted,omitempty"`
}

// Verdict is what is known of an assertion at a level.
type Verdict struct {
	Iso        string `json:"iso"`
	Verdict    string `json:"verdict"`    // holds, breaks, unknown
	Violations int64  `json:"violations"` // histories that break it
}

// Verdicts of assertions.
const (
	Holds   = "holds"
	Breaks  = "breaks"
	Unknown = "unknown"
)

// Add adds the result of a level, with its assertions as that level knows them.
// An assertion that a level does not know has not failed there.
func (l *Levels) Add(r *Result, assertions []Assertion) {
	for _, a := range assertions {
		i := slices.IndexFunc(l.Assertions, func(b Assertion) bool { return a.Kind == b.Kind && a.Name == b.Name && a.At == b.At })
		if i < 0 {
			i = len(l.Assertions)
			l.Assertions = append(l.Assertions, Assertion{Kind: a.Kind, Name: a.Name, At: a.At, Unasserted: a.Unasserted})
			for k := range l.Results {
				l.Assertions[i].silent(&l.Results[k])
			}
		}
		b := &l.Assertions[i]
		b.Levels = append(b.Levels, a.Levels...)
		b.Message = cmp.Or(b.Message, a.Message)
	}
	l.Results = append(l.Results, *r)
	for i := range l.Assertions {
		if len(l.Assertions[i].Levels) < len(l.Results) {
			l.Assertions[i].silent(r)
		}
	}
}

// silent adds the verdict of a level at which the assertion has not failed.
func (a *Assertion) silent(r *Result) {
	a.Levels = append(a.Levels, Verdict{Iso: r.Iso, Verdict: VerdictOf(0, r.Complete)})
}

// VerdictOf is the verdict of an assertion that so many histories break.
func VerdictOf(violations int64, complete bool) string {
	switch {
	case violations > 0:
		return Breaks
	case complete:
		return Holds
	}
	return Unknown
}

// Weakest is the weakest of the levels at which everything holds, where the
// results are of levels from weak to strong. Of axiomatic levels breaking is monotone:
// what a level allows, the weaker ones allow. A database fails at a strong level with
// errors that it does not have at weak ones.
func (l *Levels) Weakest() string {
	if l.onDatabase() {
		return append(l.holding(), "")[0]
	}
	weakest := ""
	for _, r := range slices.Backward(l.Results) {
		if !r.Complete || r.Violations > 0 {
			break
		}
		weakest = r.Iso
	}
	return weakest
}

// onDatabase reports whether the levels are those of a database.
func (l *Levels) onDatabase() bool {
	return slices.ContainsFunc(l.Results, func(r Result) bool {
		level, err := isolation.Parse(r.Iso)
		return err == nil && level.Database() != isolation.NoDatabase
	})
}

// holding lists the levels at which everything holds.
func (l *Levels) holding() (list []string) {
	for _, r := range l.Results {
		if r.Complete && r.Violations == 0 {
			list = append(list, r.Iso)
		}
	}
	return list
}

// title names an assertion in a row.
func (a *Assertion) title() string {
	if a.Unasserted {
		return a.Name + " (" + AssertsNothing + ")"
	}
	title := a.Kind
	if a.Name != "" {
		title += fmt.Sprintf(" %q", a.Name)
	}
	if a.At != "" {
		title += " (" + a.At + ")"
	}
	return oneLine(title)
}

// Levels renders the table of a program: a row an assertion, a column a level.
func (t *Text) Levels(l *Levels) string {
	rows := [][]string{{t.Name(l.Package, l.Program)}, {"  histories"}, {"  violations"}}
	for _, r := range l.Results {
		rows[0] = append(rows[0], r.Iso)
		rows[1] = append(rows[1], counted(r.Histories, &r))
		rows[2] = append(rows[2], counted(r.Violations, &r))
	}
	var asserted [][]string
	for i := range l.Assertions {
		row := []string{"  " + l.Assertions[i].title()}
		for _, v := range l.Assertions[i].Levels {
			row = append(row, strings.Replace(v.Verdict, Unknown, "?", 1))
		}
		asserted = append(asserted, row)
	}
	rows = slices.Insert(rows, 1, asserted...)
	if l.onDatabase() {
		rows[len(asserted)+1][0] = "  outcomes"
		return grid(append(rows, l.costs()...)) + t.held(l) + "\n"
	}
	return grid(rows) + t.safe(l) + l.Results[0].instead("each") + "\n"
}

// costs are rows of the errors that code has to expect: the outcomes with each.
func (l *Levels) costs() [][]string {
	rows := [][]string{append([]string{"  errors that code has to expect: outcomes with"}, make([]string, len(l.Results))...)}
	for _, e := range l.expected() {
		title := "    " + e.Code + " " + e.Message
		if e.Commit {
			title = "    " + e.Code + " from COMMIT"
		}
		if len(e.Transactions) > 0 {
			title += ": " + strings.Join(e.Transactions, ", ")
		}
		row := []string{oneLine(title)}
		for i := range l.Results {
			row = append(row, "-")
			for _, at := range l.Results[i].Errors {
				if e.is(&at) {
					row[i+1] = counted(at.Outcomes, &l.Results[i])
				}
			}
		}
		rows = append(rows, row)
	}
	if len(rows) == 1 {
		return [][]string{append([]string{"  errors that code has to expect: none"}, make([]string, len(l.Results))...)}
	}
	return rows
}

// expected lists the errors of all levels, with the transactions that meet them at
// some.
func (l *Levels) expected() (list []Expected) {
	for _, r := range l.Results {
		for _, e := range r.Errors {
			i := slices.IndexFunc(list, func(o Expected) bool { return e.is(&o) })
			if i < 0 {
				i = len(list)
				list = append(list, Expected{Code: e.Code, Message: e.Message, Commit: e.Commit})
			}
			for _, name := range e.Transactions {
				if !slices.Contains(list[i].Transactions, name) {
					list[i].Transactions = append(list[i].Transactions, name)
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b Expected) int {
		return cmp.Or(strings.Compare(a.Code, b.Code), map[bool]int{true: 1}[a.Commit]-map[bool]int{true: 1}[b.Commit])
	})
	return list
}

func (e *Expected) is(o *Expected) bool { return e.Code == o.Code && e.Commit == o.Commit }

// held says at which levels of a database everything holds.
func (t *Text) held(l *Levels) string {
	if l.Unchecked() {
		return l.unchecked() + t.open(l)
	}
	if holding := l.holding(); len(holding) > 0 {
		return fold("  everything holds at "+strings.Join(holding, ", ")) + t.open(l)
	}
	return "  at no level everything is known to hold\n" + t.open(l)
}

// Unchecked reports whether nothing was checked at any level.
func (l *Levels) Unchecked() bool {
	return !slices.ContainsFunc(l.Results, func(r Result) bool { return r.Unchecked == "" })
}

// unchecked says so.
func (l *Levels) unchecked() string {
	return fold("  NOTHING CHECKED: " + l.Results[0].unchecked())
}

// counted marks counts that are not final.
func counted(n int64, r *Result) string {
	if r.Complete {
		return fmt.Sprint(n)
	}
	return fmt.Sprint(n, "+")
}

// safe says at which level everything holds.
func (t *Text) safe(l *Levels) string {
	if l.Unchecked() {
		return l.unchecked() + t.open(l)
	}
	last := l.Results[len(l.Results)-1].Iso
	said := fmt.Sprintf("  at %s something breaks\n", last)
	switch {
	case l.Safe != "":
		said = "  everything holds from " + l.Safe + " on\n"
	case !l.Results[len(l.Results)-1].Complete:
		said = "  no level is known to be safe\n"
	}
	return said + t.open(l)
}

// open says which levels are incomplete.
func (t *Text) open(l *Levels) (open string) {
	for i := range l.Results {
		if r := &l.Results[i]; !r.Complete {
			open += fmt.Sprintf("  %s is incomplete: %s\n", r.Iso, t.end(r))
		}
	}
	return open
}

// grid aligns cells in columns; where they are too wide the first is cut.
func grid(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], cells(cell))
		}
	}
	rest := 0
	for _, w := range widths[1:] {
		rest += 2 + w
	}
	widths[0] = max(10, min(widths[0], width-rest))
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		line.WriteString(pad(row[0], widths[0]))
		for j, cell := range row[1:] {
			line.WriteString("  " + pad(cell, widths[j+1]))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}
