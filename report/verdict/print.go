package verdict

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/report/ci"
	"github.com/txmc/txmc/report/page"
)

// errOutput is met when the verdicts cannot be written.
var errOutput = errors.New("cannot write the verdicts")

// Printer writes what histories come to.
type Printer struct {
	Format  string // text, json, html, dot, sarif, github or junit
	Version string // of txmc
	Quiet   bool   // only what is not satisfied
	Totals  bool   // a table of the totals at the end
	Levels  []isolation.Level
	Text    report.Text

	w    *bufio.Writer
	dot  report.DOT
	page *page.Page
	log  *ci.Log // with sarif and junit: what is to be written at the end
	summary
}

// summary is what is told at the end.
type summary struct {
	totals map[string]map[string]int // by level and verdict
	failed int                       // histories that could not be judged
	Unused []string                  // histories that tell times, which no level has used
	open   []string                  // lines that are undecided
}

// To makes the printer write to w.
func (p *Printer) To(w io.Writer) {
	p.w, p.totals = bufio.NewWriter(w), map[string]map[string]int{}
	switch p.Format {
	case "html":
		p.page = page.New()
	case "sarif", "junit":
		p.log = &ci.Log{Version: p.Version, Text: p.Text}
	}
}

// Line writes a verdict.
func (p *Printer) Line(l *Line) error {
	if p.totals[l.Iso] == nil {
		p.totals[l.Iso] = map[string]int{}
	}
	p.totals[l.Iso][l.Verdict]++
	if l.Times == "unused" && !slices.Contains(p.Unused, l.File) {
		p.Unused = append(p.Unused, l.File)
	} else if l.Times == "used" {
		p.Unused = slices.DeleteFunc(p.Unused, func(file string) bool { return file == l.File })
	}
	if l.Verdict == check.Undecided.String() {
		p.open = append(p.open, fmt.Sprintf("%s  iso=%s  %s", l.File, l.Iso, l.Why))
	}
	switch p.Format {
	case "json":
		return p.json(l)
	case "html":
		if l.Violation != nil {
			p.page.Add(l.Violation)
		}
		return nil
	case "dot":
		if l.Violation != nil {
			p.w.WriteString("// " + l.Say() + p.dot.Violation(l.Violation))
		}
	case "sarif", "junit":
		p.log.Judged(l.judged(&p.Text))
		return nil
	default:
		if p.Format == "github" {
			p.w.WriteString(ci.GitHubJudged(l.judged(&p.Text)))
		}
		if p.Quiet && l.Verdict == check.Satisfied.String() {
			return nil
		}
		p.w.WriteString(l.Say())
		p.w.WriteString(l.Details(&p.Text))
	}
	return p.flush()
}

// Unreadable writes why a history cannot be judged, where that is read by programs.
func (p *Printer) Unreadable(path string, err error) error {
	p.failed++
	u := NewUnreadable(path, err)
	switch p.Format {
	case "json":
		return p.json(u)
	case "sarif", "junit":
		p.log.Error(u.problem())
	case "github":
		p.w.WriteString(ci.GitHubError(u.problem()))
		return p.flush()
	}
	return nil
}

func (p *Printer) json(v any) error {
	b, err := report.Line(v)
	if err != nil {
		return err
	}
	p.w.Write(b)
	return p.flush()
}

func (p *Printer) flush() error {
	if err := p.w.Flush(); err != nil {
		return fmt.Errorf("%w: %w", errOutput, err)
	}
	return nil
}

// End writes the totals of several histories.
func (p *Printer) End() error {
	if p.page != nil {
		if err := p.page.Write(p.w); err != nil {
			return fmt.Errorf("%w: %w", errOutput, err)
		}
	}
	if p.log != nil {
		if err := p.log.Write(p.Format, p.w); err != nil {
			return fmt.Errorf("%w: %w", errOutput, err)
		}
	}
	if p.Totals && (p.Format == "text" || p.Format == "github") {
		t := tabwriter.NewWriter(p.w, 0, 8, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(t, "\nlevel\tsatisfied\tviolated\tundecided\tunreadable\t")
		for _, l := range p.Levels {
			n := p.totals[l.String()]
			fmt.Fprintf(t, "%v\t%d\t%d\t%d\t%d\t\n", l, n["satisfied"], n["violated"], n["undecided"], p.failed)
		}
		t.Flush()
		for i, line := range p.open {
			if i == 0 {
				p.w.WriteString("\nundecided:\n")
			}
			p.w.WriteString("  " + line + "\n")
		}
	}
	return p.flush()
}
