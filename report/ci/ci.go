// Package ci writes the lines of an exploration, and verdicts on recorded histories, in the formats that continuous
// integration reads: SARIF 2.1.0, annotations of GitHub Actions, and JUnit's XML.
package ci

import (
	"cmp"
	"io"
	"strconv"
	"strings"

	"github.com/txmc/txmc/report"
)

// Log collects what an exploration finds. A format that is one document is written at
// the end.
type Log struct {
	// Version is that of txmc.
	Version string
	// Text words what a format says in prose. Its colours must be off.
	Text report.Text

	cases   []testCase
	judged  []*Judged
	pending []*report.Violation
	errors  []*report.Error
}

// testCase is a program at a level, with its violations.
type testCase struct {
	result     *report.Result
	violations []*report.Violation
}

// Violation adds a violation of the program and level whose result comes next.
func (l *Log) Violation(v *report.Violation) { l.pending = append(l.pending, v) }

// Result adds the result of a program and level.
func (l *Log) Result(r *report.Result) {
	l.cases = append(l.cases, testCase{r, l.pending})
	l.pending = nil
}

// Error adds a program that cannot be explored, or a history that cannot be judged.
func (l *Log) Error(e *report.Error) { l.errors = append(l.errors, e) }

// Write writes the document of a format: sarif or junit.
func (l *Log) Write(format string, w io.Writer) error {
	if format == "sarif" {
		return l.sarif(w)
	}
	return l.junit(w)
}

// position splits a location such as shop/bank.go:103; the line is 0 without one.
func position(at string) (file string, line int) {
	i := strings.LastIndexByte(at, ':')
	if i < 0 {
		return at, 0
	}
	line, err := strconv.Atoi(at[i+1:])
	if err != nil {
		return at, 0
	}
	return at[:i], line
}

// where is the location of the first failure; that of an invariant or a Final is where it
// is declared.
func where(v *report.Violation) string {
	for _, f := range v.Failures {
		if f.At != "" {
			return f.At
		}
	}
	return ""
}

// Anomaly is the kind of a failure that needs no other words than its message: calls of an application that go wrong together.
const Anomaly = "anomaly"

// summary says what a violation breaks, and by which anomaly.
func summary(v *report.Violation) string {
	var parts []string
	for _, f := range v.Failures {
		if f.Kind == "panic" { // the message says so
			parts = append(parts, f.Message)
			continue
		}
		if f.Kind == Anomaly {
			parts = append(parts, f.Message)
			continue
		}
		what := f.Kind
		if f.Name != "" {
			what += " " + strconv.Quote(f.Name)
		}
		what += " failed: "
		if f.Unasserted {
			what = "not serializable, which is checked as the program asserts nothing: "
		}
		parts = append(parts, what+f.Message)
	}
	if e := v.Explanation; e != nil && e.Words.Title != "" {
		parts = append(parts, "anomaly: "+e.Words.Title)
	}
	return strings.Join(parts, "\n")
}

// title names a program at a level.
func title(program, iso string) string {
	if iso == "" {
		return cmp.Or(program, "txmc")
	}
	return program + " at " + iso
}
