package explore

import (
	"context"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/report"
)

// Count is the task that explores a level to its end and counts what breaks.
func Count(ctx context.Context, r *Run, client *program.Client, level isolation.Level) error {
	opts, err := r.Options.At(level)
	if err != nil {
		return err
	}
	opts.All = true
	r.CheckSerial(ctx, client, level)
	r.Options.bound(&opts)
	c := newCounter(client, level)
	alike, err := r.setSymmetry(client, &opts)
	if err != nil {
		return err
	}
	stats, failed := r.all(ctx, client, opts, func(found *dpor.Found) { c.count(found) })
	result := r.result(client, opts, stats)
	result.Symmetry = alike.of(client, stats)
	r.Sink.Event(c.tally(result))
	return failed
}

// counter counts failures by assertion.
type counter struct {
	iso   string
	index map[string]int
	list  []report.Assertion
}

func newCounter(client *program.Client, level isolation.Level) *counter {
	c := &counter{iso: level.String(), index: map[string]int{}}
	for _, j := range client.Judges() {
		c.list[c.at(j.Kind, j.Name, j.At)].Unasserted = j.Unasserted
	}
	return c
}

// at returns the assertion's place in the list. Finals and Invariants are known
// by their names, as they may fail in several lines; others by their line.
func (c *counter) at(kind behaviour.FailureKind, name string, at behaviour.Location) int {
	key := kind.String() + "|" + name
	if kind != behaviour.FinalError && kind != behaviour.InvariantError {
		key += "|" + at.String()
	}
	i, ok := c.index[key]
	if !ok {
		i = len(c.list)
		c.index[key] = i
		c.list = append(c.list, report.Assertion{Kind: kind.String(), Name: name, At: at.String(), Levels: []report.Verdict{{Iso: c.iso}}})
	}
	return i
}

// count counts a history once for each assertion that it breaks.
func (c *counter) count(found *dpor.Found) {
	seen := map[int]bool{}
	for _, f := range found.Failures {
		i := c.at(f.Kind, f.Name, f.At)
		a := &c.list[i]
		if a.Message == "" {
			a.Message = f.Message
		}
		if !seen[i] {
			seen[i] = true
			a.Levels[0].Violations++
		}
	}
}

func (c *counter) tally(r *report.Result) *Tally {
	for i := range c.list {
		v := &c.list[i].Levels[0]
		v.Verdict = report.VerdictOf(v.Violations, r.Complete)
	}
	return &Tally{Type: TypeTally, Result: r, Assertions: c.list}
}
