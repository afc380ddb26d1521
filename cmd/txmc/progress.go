package main

import (
	"fmt"
	"os"

	"github.com/txmc/txmc/cmd/internal/bar"
	"github.com/txmc/txmc/explore/harness"
)

// newProgress returns the line that shows where the search is; nil when nobody would see
// it.
func newProgress(x *exploreCmd, stderr *os.File) *bar.Bar {
	if !x.showsProgress() || x.Progress == progressPlain {
		return nil
	}
	return bar.New(stderr)
}

// showsProgress reports whether anybody gets to see how much is done.
func (x *exploreCmd) showsProgress() bool { return !x.Quiet && x.Progress != progressOff }

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
	if w.out.JSON() {
		return w.out.Show(at.Line(w.pkg.Path), nil)
	}
	if w.bar == nil {
		fmt.Fprintln(w.stderr, "txmc:", at)
	}
	return nil
}
