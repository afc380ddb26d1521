package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/txmc/txmc/checker"
	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/recorded"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/report/page"
)

// errOutput is met when the verdicts cannot be written.
var errOutput = errors.New("cannot write the verdicts")

// verdicts writes what histories come to.
type verdicts struct {
	options *check
	several bool
	file    *os.File
	w       *bufio.Writer
	text    *report.Text
	dot     report.DOT
	page    *page.Page

	totals map[string]map[string]int
	failed int // histories that could not be judged
}

// verdictLine is a verdict as JSON.
type verdictLine struct {
	Type         string            `json:"type"` // "verdict"
	Schema       int               `json:"schema"`
	File         string            `json:"file"`
	Format       string            `json:"format,omitempty"` // unless interrupted before it was known
	Iso          string            `json:"iso"`
	Verdict      string            `json:"verdict"` // satisfied, violated, undecided
	Anomaly      string            `json:"anomaly,omitempty"`
	Why          string            `json:"why,omitempty"` // of undecided
	Transactions int               `json:"transactions"`
	Operations   int               `json:"operations"`
	Seconds      float64           `json:"seconds"`
	PeakBytes    uint64            `json:"peak_bytes"`
	Faults       []recorded.Fault  `json:"faults,omitempty"`
	Claim        string            `json:"claim,omitempty"`
	Violation    *report.Violation `json:"violation,omitempty"`
}

func newVerdicts(x *check, stdout *os.File, several bool) (*verdicts, error) {
	v := &verdicts{options: x, several: several, text: &report.Text{}, totals: map[string]map[string]int{}}
	var w io.Writer = stdout
	if x.Output != "" {
		f, err := os.Create(x.Output)
		if err != nil {
			return nil, fmt.Errorf("-o: %w", err)
		}
		v.file, w = f, f
	} else {
		v.text.Colour = colours(stdout)
	}
	if x.Format == "html" {
		v.page = page.New()
	}
	v.w = bufio.NewWriter(w)
	return v, nil
}

// newLine is a verdict without what explains it.
func newLine(f *recorded.File, v *recorded.Verdict) *verdictLine {
	line := &verdictLine{
		Type: "verdict", Schema: report.Schema, File: f.Path, Iso: v.Level.String(), Verdict: v.Outcome.String(),
		Anomaly: v.Anomaly, Why: v.Why, Transactions: f.Transactions, Operations: f.Operations, Seconds: v.Seconds, PeakBytes: v.PeakBytes,
	}
	if f.Format != nil { // unless it was not found out in time
		line.Format = f.Format.Name
	}
	return line
}

// explain adds what breaks the level.
func (l *verdictLine) explain(ctx context.Context, f *recorded.File, v *recorded.Verdict) (err error) {
	if l.Faults, err = f.Faults(ctx, v.Verdict); err != nil {
		return err
	}
	if l.Claim, err = f.Claimed(ctx, v.Verdict); err != nil {
		return err
	}
	l.Violation, err = f.Report(ctx, v.Verdict)
	if l.Violation == nil && v.Violation != nil && err == nil {
		l.Why = "the transactions " + f.Names(ctx, v.Violation.Txns) + " read from each other in a circle"
	}
	return err
}

// verdict writes one.
func (o *verdicts) verdict(l *verdictLine) error {
	if o.totals[l.Iso] == nil {
		o.totals[l.Iso] = map[string]int{}
	}
	o.totals[l.Iso][l.Verdict]++
	return o.line(l)
}

func (o *verdicts) line(l *verdictLine) error {
	switch o.options.Format {
	case "json":
		b, err := report.Line(l)
		if err != nil {
			return err
		}
		o.w.Write(b)
	case "html":
		if l.Violation != nil {
			o.page.Add(l.Violation)
		}
		return nil
	case "dot":
		if l.Violation != nil {
			o.w.WriteString("// " + o.say(l) + o.dot.Violation(l.Violation))
		}
	default:
		if o.options.Quiet && l.Verdict == checker.Satisfied.String() {
			return nil
		}
		o.w.WriteString(o.say(l))
		o.w.WriteString(o.details(l))
	}
	if err := o.w.Flush(); err != nil {
		return fmt.Errorf("%w: %w", errOutput, err)
	}
	return nil
}

// say is a verdict in a line.
func (o *verdicts) say(l *verdictLine) string {
	at := fmt.Sprintf("%s  %-7s", l.File, "iso="+l.Iso)
	switch l.Verdict {
	case checker.Satisfied.String():
		return fmt.Sprintf("ok    %s  satisfied, %d transactions  %.2fs\n", at, l.Transactions, l.Seconds)
	case checker.Violated.String():
		return fmt.Sprintf("FAIL  %s  violated: %s  %.2fs\n", at, l.Anomaly, l.Seconds)
	}
	return fmt.Sprintf("UNDECIDED  %s  %s  %.2fs\n", at, l.Why, l.Seconds)
}

// details says what breaks the level.
func (o *verdicts) details(l *verdictLine) string {
	s := ""
	for i := range l.Faults {
		s += "  " + l.Faults[i].Say() + "\n"
	}
	if l.Claim != "" {
		s += "  " + l.Claim + "\n"
	}
	switch {
	case l.Violation != nil:
		s += o.text.Violation(l.Violation)
	case l.Why != "" && l.Verdict == checker.Violated.String():
		s += "  " + l.Why + "\n"
	}
	return s
}

// unreadableLine is a history that cannot be judged, as JSON.
type unreadableLine struct {
	Type    string `json:"type"` // "error"
	Schema  int    `json:"schema"`
	File    string `json:"file"` // the history
	Message string `json:"message"`
	At      string `json:"at,omitempty"`   // the file in which it is wrong
	Line    int    `json:"line,omitempty"` // of that, from 1
	Byte    *int64 `json:"byte,omitempty"` // of that, from 0, where it has no lines
}

// unreadable writes why a history cannot be judged, where that is read by programs.
func (o *verdicts) unreadable(path string, err error) error {
	o.failed++
	if o.options.Format != "json" {
		return nil
	}
	l := &unreadableLine{Type: report.TypeError, Schema: report.Schema, File: path, Message: err.Error()}
	if wrong, ok := errors.AsType[*history.Error](err); ok {
		l.Message, l.At, l.Line = wrong.Want, wrong.File, wrong.Line
		if wrong.Line == 0 {
			l.Byte = &wrong.Byte
		}
	}
	b, err := report.Line(l)
	if err != nil {
		return err
	}
	o.w.Write(b)
	if err := o.w.Flush(); err != nil {
		return fmt.Errorf("%w: %w", errOutput, err)
	}
	return nil
}

// close writes the totals of several histories.
func (o *verdicts) close() error {
	if o.page != nil {
		if err := o.page.Write(o.w); err != nil {
			return fmt.Errorf("%w: %w", errOutput, err)
		}
	}
	if o.several && o.options.Format == "text" {
		t := tabwriter.NewWriter(o.w, 0, 8, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(t, "\nlevel\tsatisfied\tviolated\tundecided\tunreadable\t")
		for _, l := range o.options.levels {
			n := o.totals[l.String()]
			fmt.Fprintf(t, "%v\t%d\t%d\t%d\t%d\t\n", l, n["satisfied"], n["violated"], n["undecided"], o.failed)
		}
		t.Flush()
	}
	err := o.w.Flush()
	if o.file != nil {
		err = errors.Join(err, o.file.Close())
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errOutput, err)
	}
	return nil
}
