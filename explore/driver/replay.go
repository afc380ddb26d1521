package driver

import (
	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/report"
)

// Replay is the task that shows what becomes of a saved violation.
type Replay struct{ File string }

// Ask implements [Task].
func (t *Replay) Ask(q *harness.Request) { q.Mode, q.Replay = harness.ModeReplay, t.File }

// Line implements [Task]. It shows a replay.
func (t *Replay) Line(d *Driver, kind string, line []byte) error {
	r, err := lineOf[report.Replay](report.TypeReplay, kind, line)
	if err != nil {
		return err
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
