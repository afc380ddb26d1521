package main

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/report/page"
)

// output writes reports in the chosen format.
type output struct {
	options *explore
	text    *report.Text
	file    *os.File // to close at the end; nil for the standard output
	w       *bufio.Writer
	stdout  io.Writer // for verdicts, when w is a file with drawings
	stderr  io.Writer

	dot  *report.DOT // with --format=dot
	page *page.Page  // with --format=html: what is to be written at the end

	held       *report.Violation // shown after the line that says FAIL
	violations int
	histories  int
	written    int64 // bytes of the report
}

func newOutput(x *explore, qualify map[string]bool, stdout *os.File, stderr io.Writer) (*output, error) {
	o := &output{options: x, stdout: stdout, stderr: stderr, text: &report.Text{
		Timeout: x.Timeout, MaxHistories: x.MaxHistories, Qualify: qualify, Base: x.Base != "",
	}}
	o.draw(stdout)
	if x.Output != "" {
		f, err := x.openOutput()
		if err != nil {
			return nil, fmt.Errorf("-o: %w", err)
		}
		o.file, stdout = f, f
	}
	o.w = bufio.NewWriter(stdout)
	return o, nil
}

func (o *output) json() bool { return o.options.Format == "json" }

// result writes the last line of a program and level.
func (o *output) result(r *report.Result, line []byte) error {
	defer func() { o.held, o.violations, o.histories = nil, 0, 0 }()
	if o.json() {
		return o.write(string(line))
	}
	if o.page != nil {
		o.page.Results = append(o.page.Results, r)
	}
	if o.options.Quiet && r.Complete && r.Violations == 0 {
		return nil
	}
	s := o.verdict(r)
	if o.held != nil && !o.options.Quiet {
		s += o.counterexample(o.held)
	}
	if r.Note != "" {
		fmt.Fprintf(o.stderr, "txmc: note: %s: %s\n", o.text.Name(r.Package, r.Program), r.Note)
	}
	if o.options.Verbose {
		engine := r.Engine
		if r.Why != "" {
			engine += " (" + r.Why + ")"
		}
		fmt.Fprintf(o.stderr, "txmc: %s iso=%s: engine %s, base %s, %d calls of explore, %d blocked, peak memory %.1f MB\n",
			o.text.Name(r.Package, r.Program), r.Iso, engine, r.Base, r.Explored, r.Blocked, float64(r.PeakBytes)/1e6)
	}
	return o.write(s)
}

// violation writes a violation, or keeps it for after the result's line when
// there can be only one.
func (o *output) violation(line []byte) error {
	if o.json() {
		return o.write(string(line))
	}
	if o.options.Quiet {
		return nil
	}
	v := &report.Violation{}
	if err := report.Parse(line, v); err != nil {
		return garbled(err)
	}
	if !o.options.All {
		if o.held == nil { // several workers may each find one
			o.held = v
		}
		return nil
	}
	o.violations++
	if o.drawing() {
		return o.write(o.counterexample(v))
	}
	return o.write(fmt.Sprintf("violation %d  %s  iso=%s%s\n%s", o.violations, o.text.Name(v.Package, v.Program), v.Iso, v.Like(), o.text.Violation(v)))
}

func (o *output) history(line []byte) error {
	if o.json() {
		return o.write(string(line))
	}
	l := &report.Listed{}
	if err := report.Parse(line, l); err != nil {
		return garbled(err)
	}
	o.histories++
	return o.write(o.text.Listed(o.histories, l))
}

func (o *output) error(e *report.Error) error {
	if !o.json() {
		fmt.Fprint(o.stderr, o.text.Error(e))
		return nil
	}
	line, err := report.Line(e)
	if err != nil {
		return err
	}
	return o.write(string(line))
}

func (o *output) write(s string) error {
	o.written += int64(len(s))
	_, err := o.w.WriteString(s)
	if err == nil {
		err = o.w.Flush()
	}
	if err != nil {
		return fmt.Errorf("cannot write the report: %w", err)
	}
	return nil
}

func (o *output) close() error {
	if o.page != nil {
		if err := o.page.Write(o.w); err != nil {
			return fmt.Errorf("cannot write the report: %w", err)
		}
		if err := o.write(""); err != nil {
			return err
		}
	}
	if o.file == nil {
		return nil
	}
	if err := o.file.Close(); err != nil {
		return fmt.Errorf("cannot write the report: %w", err)
	}
	return nil
}
