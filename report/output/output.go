// Package output writes the lines of an exploration in the format that the user
// has chosen: text, JSON, a page, a drawing, or what continuous integration reads.
package output

import (
	"bufio"
	"fmt"
	"io"

	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/report/ci"
	"github.com/txmc/txmc/report/page"
)

// Options choose how the lines are written.
type Options struct {
	Format  string // text, json, html, dot, sarif, github or junit
	Version string // of txmc
	Quiet   bool   // only what is not ok
	Verbose bool
	All     bool // violations stand alone, and not after their result
	Text    report.Text
	// Stderr gets notes, and Beside the verdicts of a report of drawings in a file,
	// which nobody reads at once; nil when there is none.
	Stderr, Beside io.Writer
}

// Output writes reports.
type Output struct {
	Options
	// Listed counts the histories of a listing, and Written the bytes of the report.
	Listed  int
	Written int64

	w    *bufio.Writer
	dot  *report.DOT // with dot
	page *page.Page  // with html: what is to be written at the end
	log  *ci.Log     // with sarif and junit: the same

	held       *report.Violation // shown after the line that says FAIL
	asked      bool              // it has been said what to ask instead of an axiomatic level
	violations int
}

// New returns an output to w.
func New(o Options, w io.Writer) *Output {
	out := &Output{Options: o, w: bufio.NewWriter(w)}
	switch o.Format {
	case "dot":
		out.dot = &report.DOT{Text: o.Text}
		out.dot.Text.Colour = false
	case "html":
		out.page = page.New()
	case "sarif", "junit":
		out.log = &ci.Log{Version: o.Version, Text: o.Text}
		out.log.Text.Colour = false
	}
	return out
}

// JSON reports whether lines are written as they are.
func (o *Output) JSON() bool { return o.Format == "json" }

// Result writes the last line of a program and level.
func (o *Output) Result(r *report.Result, line []byte) error {
	defer func() { o.held, o.violations, o.Listed = nil, 0, 0 }()
	if o.JSON() {
		return o.Write(string(line))
	}
	if o.page != nil {
		o.page.Results = append(o.page.Results, r)
	}
	if o.log != nil {
		if o.held != nil {
			o.log.Violation(o.held)
		}
		o.log.Result(r)
	}
	if o.Quiet && r.Complete && r.Violations == 0 && r.Unchecked == "" {
		return nil
	}
	s := o.verdict(r)
	switch {
	case o.held == nil:
	case !o.Quiet:
		s += o.counterexample(o.held)
	case o.Format == GitHub:
		s += ci.GitHubViolation(o.held)
	}
	o.notes(r)
	return o.Write(s)
}

// notes says beside the report what else there is to know of a result.
func (o *Output) notes(r *report.Result) {
	name := o.Text.Name(r.Package, r.Program)
	if r.Note != "" {
		fmt.Fprintf(o.Stderr, "txmc: note: %s: %s\n", name, r.Note)
	}
	if r.Symmetry != nil {
		for _, why := range r.Symmetry.Off {
			fmt.Fprintf(o.Stderr, "txmc: note: %s: symmetry: %s\n", name, why)
		}
	}
	if !o.Verbose {
		return
	}
	engine := r.Engine
	if r.Why != "" {
		engine += " (" + r.Why + ")"
	}
	fmt.Fprintf(o.Stderr, "txmc: %s iso=%s: engine %s, base %s, %d calls of explore, %d blocked, peak memory %.1f MB\n",
		name, r.Iso, engine, r.Base, r.Explored, r.Blocked, float64(r.PeakBytes)/1e6)
}

// Violation writes a violation, or keeps it for after the result's line when
// there can be only one.
func (o *Output) Violation(line []byte) error {
	if o.JSON() {
		return o.Write(string(line))
	}
	if o.Quiet && o.log == nil && o.Format != GitHub {
		return nil
	}
	v := &report.Violation{}
	if err := report.Parse(line, v); err != nil {
		return err
	}
	if !o.All {
		if o.held == nil { // several workers may each find one
			o.held = v
		}
		return nil
	}
	o.violations++
	if o.log != nil {
		o.log.Violation(v)
		return nil
	}
	if o.Quiet {
		return o.Write(ci.GitHubViolation(v))
	}
	if o.drawing() {
		return o.Write(o.counterexample(v))
	}
	head := fmt.Sprintf("violation %d  %s  iso=%s%s\n", o.violations, o.Text.Name(v.Package, v.Program), v.Iso, v.Like())
	return o.Write(head + o.counterexample(v))
}

// History writes a history of a listing.
func (o *Output) History(line []byte) error {
	if o.JSON() {
		return o.Write(string(line))
	}
	l := &report.Listed{}
	if err := report.Parse(line, l); err != nil {
		return err
	}
	o.Listed++
	return o.Write(o.Text.Listed(o.Listed, l))
}

// Error writes a program that cannot be explored.
func (o *Output) Error(e *report.Error) error {
	if !o.JSON() {
		fmt.Fprintf(o.Stderr, "txmc: %s\n", o.Text.Problem(e))
		switch {
		case o.log != nil:
			o.log.Error(e)
		case o.Format == GitHub:
			return o.Write(ci.GitHubError(e))
		}
		return nil
	}
	return o.Show(e, nil)
}

// Show writes a line that is not of an exploration: as JSON, or as its text.
func (o *Output) Show(v any, text func() string) error {
	if !o.JSON() {
		return o.Write(text())
	}
	line, err := report.Line(v)
	if err != nil {
		return err
	}
	return o.Write(string(line))
}

// Write writes a part of the report.
func (o *Output) Write(s string) error {
	o.Written += int64(len(s))
	_, err := o.w.WriteString(s)
	if err == nil {
		err = o.w.Flush()
	}
	if err != nil {
		return fmt.Errorf("cannot write the report: %w", err)
	}
	return nil
}

// Close writes what is written at the end only.
func (o *Output) Close() error {
	var err error
	switch {
	case o.page != nil:
		err = o.page.Write(o.w)
	case o.log != nil:
		err = o.log.Write(o.Format, o.w)
	default:
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot write the report: %w", err)
	}
	return o.Write("")
}

// drawing reports whether violations are for programs, and not told.
func (o *Output) drawing() bool { return o.dot != nil || o.page != nil || o.log != nil }

// verdict is what the output says of a result.
func (o *Output) verdict(r *report.Result) string {
	if o.drawing() && o.Beside != nil {
		fmt.Fprint(o.Beside, o.Text.Result(r))
	}
	switch {
	case o.dot != nil:
		return o.dot.Result(r)
	case o.page != nil, o.log != nil:
		return ""
	}
	s := o.Text.Result(r)
	if r.Ask != "" && !o.asked && !o.Quiet {
		o.asked = true
		s += o.Text.Ask(r)
	}
	return s
}

// counterexample is what the output says of a violation at once.
func (o *Output) counterexample(v *report.Violation) string {
	switch {
	case o.dot != nil:
		return o.dot.Violation(v)
	case o.page != nil:
		o.page.Add(v)
		return ""
	case o.log != nil:
		return "" // at the end
	case o.Format == GitHub:
		return ci.GitHubViolation(v) + o.Text.Violation(v)
	}
	return o.Text.Violation(v)
}

// GitHub is the format of annotations among the text.
const GitHub = "github"

// AtEnd reports whether a format is one document, written at the end.
func AtEnd(format string) bool { return format == "html" || format == "sarif" || format == "junit" }
