package harness

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/report"
)

// load reads where to go on.
func (h *harness) load() error {
	if h.opts.Resume == "" {
		return nil
	}
	data, err := os.ReadFile(h.opts.Resume)
	if err == nil {
		err = json.Unmarshal(data, &h.resume)
	}
	if err != nil {
		return fmt.Errorf("cannot read where to go on: %w", err)
	}
	return nil
}

// keep lets the exploration go on where another process was, if one was there, and
// tell the command now and then what is left.
func (h *harness) keep(src *report.Source, same *groups) error {
	at := Place{src.Client.Name, src.Options.Level.String()}
	for i := range h.resume {
		c := &h.resume[i]
		if c.Place != at {
			continue
		}
		src.Options.Resume = c.Frontier
		for _, g := range c.Groups {
			found, err := dpor.Retrace(src.Client, g.Trace)
			if err != nil {
				return err
			}
			same.add(found, src.Cause(found))
			same.list[len(same.list)-1].count = g.Count
		}
	}
	if h.opts.Checkpoint <= 0 {
		return nil
	}
	src.Options.CheckpointEvery = h.opts.Checkpoint
	src.Options.Checkpoint = func(f *dpor.Frontier) error {
		c := Checkpoint{Type: TypeCheckpoint, Place: at, Frontier: f}
		for _, g := range same.list {
			c.Groups = append(c.Groups, Group{g.Found.Trace(), g.count})
		}
		h.out.send(c)
		h.out.flush()
		return nil
	}
	return nil
}
