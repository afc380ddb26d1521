package ci

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// JUnit's XML, as continuous integration reads it: a suite for each package, a case for
// each program and level. An incomplete exploration is an error, as it proves nothing,
// and so is one in which nothing was checked.

type junitSuites struct {
	XMLName xml.Name      `xml:"testsuites"`
	Suites  []*junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Time     string       `xml:"time,attr"`
	Cases    []*junitCase `xml:"testcase"`
	seconds  float64
}

type junitCase struct {
	Name     string         `xml:"name,attr"`
	Class    string         `xml:"classname,attr"`
	File     string         `xml:"file,attr,omitempty"`
	Line     int            `xml:"line,attr,omitempty"`
	Time     string         `xml:"time,attr"`
	Failures []junitProblem `xml:"failure"`
	Errors   []junitProblem `xml:"error"`
}

type junitProblem struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",cdata"`
}

func (l *Log) junit(w io.Writer) error {
	out, byName := &junitSuites{}, map[string]*junitSuite{}
	suite := func(name string) *junitSuite {
		if byName[name] == nil {
			byName[name] = &junitSuite{Name: name}
			out.Suites = append(out.Suites, byName[name])
		}
		return byName[name]
	}
	for _, c := range l.cases {
		suite(c.result.Package).add(l.junitCase(c), c.result.Seconds)
	}
	for _, j := range l.judged {
		suite(j.File).add(j.junit(), j.Seconds)
	}
	for _, e := range l.errors {
		file, line := position(e.At)
		suite(cmp.Or(e.Package, e.Program)).add(&junitCase{Name: title(e.Program, e.Iso), Class: e.Package, File: file, Line: line,
			Errors: []junitProblem{{e.Kind, firstLine(e.Message), printable(l.Text.Problem(e))}}}, 0)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(out); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (s *junitSuite) add(c *junitCase, seconds float64) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	switch {
	case len(c.Errors) > 0:
		s.Errors++
	case len(c.Failures) > 0:
		s.Failures++
	}
	s.seconds += seconds
	c.Time, s.Time = fmt.Sprintf("%.3f", seconds), fmt.Sprintf("%.3f", s.seconds)
}

func (l *Log) junitCase(c testCase) *junitCase {
	out := &junitCase{Name: title(c.result.Program, c.result.Iso), Class: c.result.Package}
	for i, v := range c.violations {
		if i == 0 {
			out.File, out.Line = position(where(v))
		}
		kind := "violation"
		if len(v.Failures) > 0 {
			kind = v.Failures[0].Kind
		}
		out.Failures = append(out.Failures, junitProblem{kind, firstLine(summary(v)), "\n" + printable(l.Text.Violation(v))})
	}
	if !c.result.Complete && !c.result.Within() && len(c.violations) == 0 {
		out.Errors = []junitProblem{{"incomplete", firstLine(l.Text.Result(c.result)), ""}}
	} else if c.result.Unchecked != "" {
		out.Errors = []junitProblem{{"unchecked", firstLine(l.Text.Result(c.result)), c.result.Unchecked}}
	}
	return out
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return printable(line)
}

// printable leaves out what XML 1.0 cannot say.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
}
