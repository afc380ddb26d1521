package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/txmc/txmc/harness"
	"golang.org/x/term"
)

// progress shows on a terminal where the search is. A nil progress shows
// nothing.
type progress struct {
	mu  sync.Mutex
	bar *progressbar.ProgressBar
}

// newProgress returns nil when nobody would see it.
func newProgress(quiet bool, stderr *os.File) *progress {
	if quiet || !term.IsTerminal(int(stderr.Fd())) {
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
	elapsed := time.Duration(at.Seconds * float64(time.Second)).Round(100 * time.Millisecond)
	rate := 0.0
	if at.Seconds > 0 {
		rate = float64(at.EndStates) / at.Seconds
	}
	return fmt.Sprintf("%s iso=%s  %v  %d histories of %d, %.0f/s  depth %d  violations %d",
		at.Program, at.Iso, elapsed, at.Histories, at.EndStates, rate, at.Depth, at.Violations)
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
