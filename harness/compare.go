package harness

import (
	"context"
	"math"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/smallest"
)

// compare looks for histories that the level of src allows and a stronger one
// forbids.
func (h *harness) compare(ctx context.Context, src report.Source) error {
	stronger, err := isolation.Parse(h.opts.Stronger)
	if err != nil {
		return err
	}
	src.Options.All, src.Options.List = true, true
	c := &report.Comparison{
		Type: report.TypeComparison, Schema: report.Schema, Package: src.Package, Program: src.Client.Name,
		Iso: src.Options.Level.String(), Stronger: stronger.String(),
	}
	var best *smallest.Best
	stats, failed := h.all(ctx, src, func(found *dpor.Found) {
		if isolation.Satisfies(found.History, stronger) {
			return
		}
		c.Differ++
		if best == nil {
			best = smallest.NewBest(found)
		} else {
			best.Offer(found)
		}
	})
	if best != nil {
		c.Shortest = src.Violation(best.Found)
	}
	c.Histories, c.EndStates, c.Complete, c.Stopped = stats.Histories, stats.EndStates, stats.Complete, string(stats.Stopped)
	c.Seconds = math.Round(stats.Elapsed.Seconds()*1e6) / 1e6
	h.out.send(c)
	h.out.flush()
	return failed
}
