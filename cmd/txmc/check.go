package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/txmc/txmc/cmd/internal/signals"
	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/history/format"
	"github.com/txmc/txmc/history/judge"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/report/terminal"
	"github.com/txmc/txmc/report/verdict"
)

// checkCmd is the command line of txmc check.
type checkCmd struct {
	Paths []string `arg:"" name:"path" help:"Recorded histories: files, compressed by gzip or zstd or not, folders of logs, and folders with such files and folders, which are all looked through."`

	Iso            string        `default:"all" placeholder:"LEVEL" help:"Isolation levels: rc, ra, cc, pc, si, ser, several with commas; ${default} by default, which is these six. Of recorded histories alone: sser, ssi and lin, with the order in real time; psi, ua; ryw, mr, mw, wfr, the session guarantees."`
	ClockError     time.Duration `placeholder:"D" help:"By how much the clocks of two clients differ at most, for the levels with real time: one transaction is before another only if it returned longer before."`
	From           string        `placeholder:"FORMAT" help:"The format of the histories, which is found out by default: ${formats}."`
	Init           string        `default:"first" enum:"first,free" placeholder:"WHEN" help:"The transaction that wrote the initial values: first comes before all others; free may come at any time; ${default} by default."`
	NoSessionOrder bool          `help:"Promise nothing about the order of a session's transactions."`
	UniqueValues   bool          `help:"A value of a key that is written twice is a fault of the history."`
	VersionOrder   bool          `help:"Use what the history tells of the order of versions."`
	By             string        `default:"reads" enum:"reads,timestamps,serial" placeholder:"WHAT" help:"What the order of commits is taken from: reads, any that explains them; timestamps, those of the history, for si and ser; serial, the order that the history tells, for ser; ${default} by default."`
	Certificate    string        `placeholder:"FILE" help:"Write an order of commits that shows the strongest level that is satisfied there, a transaction a line."`
	Timeout        time.Duration `placeholder:"D" help:"Give up after this long, for each history and level, as in 1m30s; no limit by default."`
	Each           time.Duration `default:"30s" placeholder:"D" help:"Of several histories, give one up after this long, reading and all levels, so that it does not stop the others; 0 for no limit, ${default} by default."`
	Workers        int           `placeholder:"N" help:"How many histories and levels are judged at a time; one for each core by default. The output is the same, in the same order."`
	Format         string        `default:"text" enum:"text,json,html,dot,sarif,github,junit" placeholder:"FORMAT" help:"text; json: one object a history and level; html: a page with diagrams of the violations; dot: for Graphviz; for continuous integration: sarif, junit, or github, text with annotations. ${default} by default."`
	Output         string        `short:"o" placeholder:"FILE" help:"Write to that file instead of the standard output."`
	Quiet          bool          `help:"Print only the lines of what is not satisfied, and errors."`

	levels []isolation.Level
	format *format.Format
}

// Help is what txmc check --help says beyond the flags.
func (*checkCmd) Help() string {
	return `Decides whether recorded histories keep the promise of isolation levels, and shows what breaks it.

Exit status: 0 all levels are satisfied; 1 one is violated; 2 usage, or a history that cannot be read;
3 one could not be decided in time. Of several, 2 counts before 1 before 3.`
}

func (x *checkCmd) check() error {
	var err error
	if x.levels, err = isolation.ParseRecorded(x.Iso); err != nil {
		return fmt.Errorf("--iso: %w", err)
	}
	isolation.WeakestFirst(x.levels)
	if x.Certificate != "" && slices.Contains(x.levels, isolation.LIN) {
		return errors.New("--certificate is for orders of transactions, and lin has one of each key: sser has one of all")
	}
	if x.From != "" {
		if x.format, err = format.ByName(x.From); err != nil {
			return fmt.Errorf("--from: %w", err)
		}
	}
	if x.Timeout < 0 {
		return errors.New("--timeout is negative: give a time such as 1m30s, or leave it out for no limit")
	}
	if x.ClockError < 0 {
		return errors.New("--clock-error is negative: give a time such as 5ms")
	}
	if x.Each < 0 {
		return errors.New("--each is negative: give a time such as 1m30s, or 0 for no limit")
	}
	if x.Workers < 0 {
		return errors.New("--workers is negative: give a number, or leave it out for one worker for each core")
	}
	if x.Workers == 0 {
		x.Workers = runtime.GOMAXPROCS(0)
	}
	switch {
	case x.By == string(judge.BySerial):
		x.levels, err = x.only(isolation.SER)
	case x.By == string(judge.ByTimestamps):
		x.levels, err = x.only(isolation.SI, isolation.SER)
	}
	return err
}

// only keeps the levels that --by is for.
func (x *checkCmd) only(levels ...isolation.Level) ([]isolation.Level, error) {
	kept := slices.DeleteFunc(slices.Clone(x.levels), func(l isolation.Level) bool { return !slices.Contains(levels, l) })
	if len(kept) == 0 || x.Iso != "all" && len(kept) < len(x.levels) {
		return nil, fmt.Errorf("--by=%s is for --iso=%v", x.By, levels[0])
	}
	return kept, nil
}

func (x *checkCmd) batch() *judge.Batch[*verdict.Line] {
	b := &judge.Batch[*verdict.Line]{Line: verdict.New, Levels: x.levels, Format: x.format, Certificate: x.Certificate, Workers: x.Workers}
	b.NoSessionOrder, b.InitFree, b.UniqueValues = x.NoSessionOrder, x.Init == "free", x.UniqueValues
	b.Options.Options.Certificate = x.Certificate != ""
	b.ClockError = x.ClockError.Nanoseconds()
	b.By, b.Timeout = judge.By(x.By), x.Timeout
	b.Facts = x.VersionOrder || b.By != judge.ByReads
	return b
}

func (x *checkCmd) run(stdout, stderr *os.File) int {
	sig := signals.Catch()
	defer sig.Stop()
	c := &checking{checkCmd: x, ctx: sig.Soft, stderr: stderr}
	if err := c.main(stdout); err != nil {
		fmt.Fprintln(stderr, "txmc:", err)
		return statusError
	}
	return c.status
}

// checking goes through the histories.
type checking struct {
	*checkCmd
	ctx    context.Context
	stderr *os.File
	out    *verdict.Printer
	status int
}

func (c *checking) main(stdout *os.File) (err error) {
	type missing struct {
		path string
		err  error
	}
	var lost []missing
	var left []string
	files, err := judge.Find(c.Paths, c.format, func(path string, err error) {
		lost = append(lost, missing{path, err})
	}, func(path string) { left = append(left, path) })
	if err != nil {
		return err
	}
	if c.Certificate != "" && len(files) != 1 {
		return fmt.Errorf("--certificate is for one history, here are %d", len(files))
	}
	c.out = &verdict.Printer{Format: c.Format, Version: version(), Quiet: c.Quiet, Totals: len(files) > 1, Levels: c.levels}
	c.out.Text.Colour = c.Output == "" && (c.Format == "text" || c.Format == "dot") && terminal.Colours(stdout)
	to := stdout
	if c.Output != "" {
		if to, err = os.Create(c.Output); err != nil {
			return fmt.Errorf("-o: %w", err)
		}
		defer func() { err = errors.Join(err, to.Close()) }()
	}
	c.out.To(to)
	for _, m := range lost {
		if err := c.unreadable(m.path, m.err); err != nil {
			return err
		}
	}
	if len(left) > 0 && !c.Quiet {
		fmt.Fprintf(c.stderr, "txmc: left out, as of no format that is known: %s\n", some(left))
	}
	b := c.batch()
	if len(files) > 1 {
		b.Each = c.Each
	}
	if err := b.Judge(c.ctx, files, c.show); err != nil {
		return err
	}
	if unused := c.out.Unused; len(unused) > 0 && !c.Quiet {
		fmt.Fprintf(c.stderr, "txmc: the times of calls and returns were not used, in %s: --iso=sser, ssi or lin keep to the order in real time\n", some(unused))
	}
	if c.ctx.Err() != nil {
		fmt.Fprintln(c.stderr, "txmc: interrupted")
	}
	return c.out.End()
}

// show prints what becomes of a history. What cannot be read is said and does not
// stop the others.
func (c *checking) show(j *judge.Judged[*verdict.Line]) error {
	for line := range j.Lines {
		switch line.Verdict {
		case check.Violated.String():
			c.note(statusViolation)
		case check.Undecided.String():
			c.note(statusIncomplete)
		}
		if err := c.out.Line(line); err != nil {
			return err
		}
	}
	if j.Err != nil {
		return c.unreadable(j.Path, j.Err)
	}
	return nil
}

// unreadable says why a history cannot be judged.
func (c *checking) unreadable(path string, err error) error {
	c.note(statusError)
	err = worded(err)
	fmt.Fprintf(c.stderr, "txmc: %v\n", err)
	return c.out.Unreadable(path, err)
}

// some are the first few of a list.
func some(list []string) string {
	const few = 5
	if len(list) <= few+1 {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:few], ", "), len(list)-few)
}

func (c *checking) note(status int) { c.status = worse(c.status, status) }
