package driver

import (
	"fmt"

	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/report"
)

// lineOf reads a harness's line of the kind that a task waits for. Any other line is an error: the harness is not of this command.
func lineOf[T any](wanted, kind string, line []byte) (*T, error) {
	if kind != wanted {
		return nil, harness.Garbled(fmt.Errorf("%.60q", line))
	}
	t := new(T)
	if err := report.Parse(line, t); err != nil {
		return nil, harness.Garbled(err)
	}
	return t, nil
}
