package driver

import (
	"fmt"

	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/report"
)

// Replay is the task that shows what becomes of a saved violation.
type Replay struct{ File string }

// Ask implements [Task].
func (t *Replay) Ask(q *harness.Request) { q.Mode, q.Replay = harness.ModeReplay, t.File }

// Line implements [Task]. It shows a replay.
func (t *Replay) Line(d *Driver, kind string, line []byte) error {
	if kind != report.TypeReplay {
		return harness.Garbled(fmt.Errorf("%.60q", line))
	}
	r := &report.Replay{}
	if err := report.Parse(line, r); err != nil {
		return harness.Garbled(err)
	}
	if r.Verdict == report.Reproduced || r.Verdict == report.Confirmed {
		d.Note(Violation)
	}
	return d.Out.Show(r, func() string { return d.Out.Text.Replay(r) })
}

// unreached says nothing: that there is no verdict is what an interrupt says.
func (t *Replay) Unreached(*Driver, *report.Result) error { return nil }

// End implements [Task].
func (t *Replay) End(*Driver) error { return nil }
