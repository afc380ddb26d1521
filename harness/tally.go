package harness

import (
	"context"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
)

// TypeTally is the type of a [Tally].
const TypeTally = "tally"

// Tally is the result of a level with the failures of each assertion. Its
// verdicts are of that level only.
type Tally struct {
	Type       string             `json:"type"` // "tally"
	Result     *report.Result     `json:"result"`
	Assertions []report.Assertion `json:"assertions"`
}

// tally explores a level to its end and counts what breaks.
func (h *harness) tally(ctx context.Context, src report.Source) error {
	c := newCounter(src)
	src.Options.All = true
	stats, failed := h.all(ctx, src, func(found *dpor.Found) { c.count(found) })
	h.out.send(c.tally(src.Result(stats)))
	h.out.flush()
	return failed
}

// counter counts failures by assertion.
type counter struct {
	iso   string
	index map[string]int
	list  []report.Assertion
}

func newCounter(src report.Source) *counter {
	c := &counter{iso: src.Options.Level.String(), index: map[string]int{}}
	for _, j := range src.Client.Judges() {
		c.at(j.Kind, j.Name, j.At)
	}
	return c
}

// at returns the assertion's place in the list. Finals and Invariants are known
// by their names, as they may fail in several lines; others by their line.
func (c *counter) at(kind program.FailureKind, name string, at program.Location) int {
	key := kind.String() + "|" + name
	if kind != program.FinalError && kind != program.InvariantError {
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

func (c *counter) tally(r *report.Result) Tally {
	for i := range c.list {
		v := &c.list[i].Levels[0]
		v.Verdict = report.VerdictOf(v.Violations, r.Complete)
	}
	return Tally{Type: TypeTally, Result: r, Assertions: c.list}
}
