package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/txmc/txmc/checker"
	"github.com/txmc/txmc/isolation"
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

	explained string // the path of the history whose violation was shown last
	totals    map[isolation.Level]map[string]int
	failed    int
}

// verdictLine is a verdict as JSON.
type verdictLine struct {
	Type         string            `json:"type"` // "verdict"
	Schema       int               `json:"schema"`
	File         string            `json:"file"`
	Format       string            `json:"format"`
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
	v := &verdicts{options: x, several: several, text: &report.Text{}, totals: map[isolation.Level]map[string]int{}}
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

// verdict writes one.
func (o *verdicts) verdict(f *recorded.File, v *recorded.Verdict) error {
	if o.totals[v.Level] == nil {
		o.totals[v.Level] = map[string]int{}
	}
	o.totals[v.Level][v.Outcome.String()]++
	line := &verdictLine{
		Type: "verdict", Schema: report.Schema, File: f.Path, Format: f.Format.Name, Iso: v.Level.String(), Verdict: v.Outcome.String(),
		Anomaly: v.Anomaly, Why: v.Why, Transactions: f.Transactions, Operations: f.Operations, Seconds: v.Seconds, PeakBytes: v.PeakBytes,
	}
	if v.Outcome == checker.Violated && o.explained != f.Path {
		o.explained = f.Path
		if err := o.explain(f, v, line); err != nil {
			return err
		}
	}
	if v.Outcome == checker.Satisfied && o.options.Certificate != "" {
		if err := f.Certify(o.options.Certificate, v.Verdict.Order); err != nil {
			return err
		}
	}
	return o.line(line)
}

// explain adds what breaks the level.
func (o *verdicts) explain(f *recorded.File, v *recorded.Verdict, line *verdictLine) (err error) {
	if line.Faults, err = f.Faults(v.Verdict); err != nil {
		return err
	}
	if line.Claim, err = f.Claimed(v.Verdict); err != nil {
		return err
	}
	line.Violation, err = f.Report(v.Verdict)
	if line.Violation == nil && v.Violation != nil && err == nil {
		line.Why = "the transactions " + f.Names(v.Violation.Txns) + " read from each other in a circle"
	}
	return err
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

// unreadable counts a history that could not be judged.
func (o *verdicts) unreadable(string) { o.failed++ }

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
			n := o.totals[l]
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
