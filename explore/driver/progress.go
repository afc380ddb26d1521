package driver

import (
	"fmt"
	"os"

	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/report/terminal"
)

// newProgress returns the line that shows where the search is; nil when nobody would see
// it.
func newProgress(x *Options, stderr *os.File) *terminal.Bar {
	if !x.ShowsProgress() || x.Progress == progressPlain {
		return nil
	}
	return terminal.New(stderr)
}

// long is a time that is left, in seconds, of which the user is told early.
const long = 60

// plain prints a line now and then where no line can change.
func (w *watcher) plain(at *harness.Progress) error {
	x := &w.Options
	if at.Iso == "" || at.Seconds < w.shown {
		w.shown = 0 // another program or level
	}
	left, known := at.Left()
	soon := w.shown == 0 && known && at.Seconds >= 1 && left > long // it is said at once that it takes long
	if x.ProgressEvery <= 0 || !x.ShowsProgress() || at.Iso == "" || !soon && at.Seconds-w.shown < x.ProgressEvery.Seconds() {
		return nil
	}
	w.shown = at.Seconds
	if w.Out.JSON() {
		return w.Out.Show(at.Line(w.pkg.Path), nil)
	}
	if w.bar == nil {
		fmt.Fprintln(w.stderr, "txmc:", at)
	}
	return nil
}
