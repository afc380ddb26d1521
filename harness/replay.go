package harness

import (
	"github.com/txmc/txmc/replay"
	"github.com/txmc/txmc/report"
)

// replay runs a saved violation again.
func (h *harness) replay(src report.Source) error {
	file, err := replay.Read(h.opts.Replay)
	if err != nil {
		return err
	}
	r, err := replay.Run(src.Client, src.Package, file.Violation, src.Options.Level)
	if err != nil {
		return err
	}
	h.out.send(r)
	h.out.flush()
	return nil
}
