package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/txmc/txmc/harness"
	"github.com/txmc/txmc/report"
	"golang.org/x/term"
)

// progress shows on a terminal where the search is. A nil progress shows
// nothing.
type progress struct {
	mu  sync.Mutex
	bar *progressbar.ProgressBar
}

// newProgress returns nil when nobody would see it.
func newProgress(x *explore, stderr *os.File) *progress {
	if !x.showsProgress() || x.Progress == progressPlain || !term.IsTerminal(int(stderr.Fd())) {
		return nil
	}
	return &progress{bar: progressbar.NewOptions64(-1,
		progressbar.OptionSetWriter(stderr),
		progressbar.OptionSpinnerType(14),
		progressbar.OptionSetSpinnerChangeInterval(0), // it would draw by itself, also after clear
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetRenderBlankState(false),
		progressbar.OptionClearOnFinish(),
	)}
}

// show replaces what stands there.
func (p *progress) show(at *harness.Progress) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bar.Describe(describe(at))
}

// describe fits one line of a narrow terminal.
func describe(at *harness.Progress) string {
	if at.Iso == "" {
		return at.Program + "  preparing"
	}
	rate := 0.0
	if at.Seconds > 0 {
		rate = float64(at.EndStates) / at.Seconds
	}
	return fmt.Sprintf("%s iso=%s  %v  %d histories of %d, %.0f/s  %sviolations %d",
		at.Program, at.Iso, duration(at.Seconds), at.Histories, at.EndStates, rate, done(at), at.Violations)
}

// done says how much is done, as far as is known, and how long the rest takes.
func done(at *harness.Progress) string {
	left, known := at.Left()
	if !known {
		return ""
	}
	return fmt.Sprintf("about %s done (%s to %s), %v left  ", percent(at.Share), percent(at.ShareLeast), percent(at.ShareMost), duration(left))
}

func percent(share float64) string { return fmt.Sprintf("%.2g%%", 100*share) }

// duration rounds seconds to what a reader wants to know.
func duration(seconds float64) time.Duration {
	const most = 1e9 // some thirty years
	d := time.Duration(min(seconds, most) * float64(time.Second))
	if d < time.Minute {
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Second)
}

// showsProgress reports whether anybody gets to see how much is done.
func (x *explore) showsProgress() bool { return !x.Quiet && x.Progress != progressOff }

// Values of --progress.
const (
	progressPlain = "plain"
	progressOff   = "off"
)

// plain prints a line now and then where no line can change.
func (w *watcher) plain(at *harness.Progress) error {
	x := w.options
	if at.Iso == "" || at.Seconds < w.shown {
		w.shown = 0 // another program or level
	}
	if x.ProgressEvery <= 0 || !x.showsProgress() || at.Iso == "" || at.Seconds-w.shown < x.ProgressEvery.Seconds() {
		return nil
	}
	w.shown = at.Seconds
	if w.out.json() {
		line, err := report.Line(report.Progress{
			Type: report.TypeProgress, Schema: report.Schema, Package: w.pkg.Path, Program: at.Program, Iso: at.Iso,
			Histories: at.Histories, EndStates: at.EndStates, Explored: at.Explored, Violations: at.Violations, Seconds: at.Seconds,
			Share: at.Share, ShareLeast: at.ShareLeast, ShareMost: at.ShareMost,
		})
		if err != nil {
			return err
		}
		return w.out.write(string(line))
	}
	if w.bar == nil {
		fmt.Fprintln(w.stderr, "txmc:", describe(at))
	}
	return nil
}

// clear removes it, so that something else can be printed.
func (p *progress) clear() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bar.Clear()
}

// beside returns a writer to w that clears the progress first. Without progress
// it is w itself, to which a child process can write without us.
func (p *progress) beside(w io.Writer) io.Writer {
	if p == nil {
		return w
	}
	return &besideWriter{p, w}
}

type besideWriter struct {
	progress *progress
	w        io.Writer
}

func (b *besideWriter) Write(data []byte) (int, error) {
	b.progress.clear()
	return b.w.Write(data)
}
