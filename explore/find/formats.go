package find

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/report/ci"
	"github.com/txmc/txmc/report/page"
)

// The report in the formats that explorations have: each finding is a violation of a program with the names of the calls.

// write writes the report in the format that is wanted.
func (c *Command) write(r *Report, out io.Writer) error {
	var err error
	switch c.Format {
	case "json":
		return json.NewEncoder(out).Encode(r)
	case "sarif", "junit":
		err = r.log(c.Version).Write(c.Format, out)
	case "html":
		p := page.New()
		for _, f := range r.Findings {
			p.Add(f.violation(r))
		}
		err = p.Write(out)
	case "github":
		for _, f := range r.Findings {
			if _, err := io.WriteString(out, ci.GitHubViolation(f.violation(r))); err != nil {
				return err
			}
		}
		fallthrough
	default:
		_, err = io.WriteString(out, c.text(r))
	}
	return err
}

// log is the report for continuous integration: a case for each finding, or one for a search without any.
func (r *Report) log(version string) *ci.Log {
	l := &ci.Log{Version: version}
	for _, f := range r.Findings {
		v := f.violation(r)
		l.Violation(v)
		l.Result(&report.Result{Type: report.TypeResult, Package: v.Package, Program: v.Program, Iso: v.Iso, Violations: 1, Stopped: "violation"})
	}
	if len(r.Findings) == 0 {
		none := &report.Result{Type: report.TypeResult, Package: "txmc find", Program: count(r.Transactions, "transaction"), Iso: r.Iso, Complete: !r.Interrupted, Stopped: map[bool]string{true: "timeout"}[r.Interrupted]}
		if r.Transactions == 0 {
			none.Unchecked = nothing
		}
		l.Result(none)
	}
	return l
}

// violation is a finding as the violation of a program that has the names of its calls.
func (f *Finding) violation(r *Report) *report.Violation {
	v := *f.Violation
	v.Program, v.Iso = strings.Join(f.Calls, " × "), cmp.Or(v.Iso, r.Iso)
	v.Package = cmp.Or(f.Package, v.Package)
	lines := []string{f.words() + f.places()}
	if len(f.Advice) > 0 {
		lines = append(lines, "verified fix: "+strings.Join(f.Advice[0].Change, "; "))
	}
	v.Failures = []report.Failure{{Kind: ci.Anomaly, Message: strings.Join(lines, "\n")}}
	if len(f.Bug.At) > 0 {
		v.Failures[0].At = f.Bug.At[0]
	} else if len(v.Schedule) > 0 {
		v.Failures[0].At = v.Schedule[0].At
	}
	return &v
}

// places are the lines of the statements between which the other call comes.
func (f *Finding) places() string {
	if len(f.Bug.At) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s)", strings.Join(f.Bug.At, " → "))
}
