package driver

import (
	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/report"
)

// Task is what else than exploring can be done with packages: it asks harnesses for it
// and understands what they answer.
type Task interface {
	// Ask completes the request to a harness.
	Ask(*harness.Request)
	// Line shows a line that exploring does not know.
	Line(d *Driver, kind string, line []byte) error
	// Unreached shows what a program and a level come to that were not reached.
	Unreached(d *Driver, r *report.Result) error
	// End follows the last line of a harness.
	End(d *Driver) error
}
