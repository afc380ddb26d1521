package advise

import (
	"fmt"
	"slices"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/explore/executed"
	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/report"
)

// Levels of a database. They are not ordered by what holds: a stronger one has errors that
// code may not expect. So nothing follows from one assignment for another by itself. But a
// schedule that breaks an assertion at the levels of one assignment is run at those of the
// next one. Where it breaks an assertion there as well, no exploration is needed.

// database decides assignments of a database's levels.
type database struct {
	*adviser
	known []string // transactions
	ways  [][]model.Choice
	last  *behaviour.Failure
}

func (a *adviser) database() oracle { return &database{adviser: a, known: a.client.Transactions()} }

func (d *database) names() []string             { return d.known }
func (d *database) failure() *behaviour.Failure { return d.last }

// with is the program at an assignment.
func (d *database) with(levels levelOf) (*program.Client, error) {
	names := map[string]string{"": d.levels[0].String()}
	for name, l := range levels {
		names[name] = l.String()
	}
	return d.client.DatabaseWith(d.levels[0].String(), names)
}

// learn notes the transactions that a client has begun.
func (d *database) learn(c *program.Client) {
	d.known = append(d.known, c.Transactions()...)
	slices.Sort(d.known)
	d.known = slices.Compact(d.known)
}

// seen reports whether a schedule that has broken an assertion breaks one at these levels
// too.
func (d *database) seen(levels levelOf) (bool, error) {
	for i, way := range d.ways {
		c, err := d.with(levels)
		if err != nil {
			return false, err
		}
		f, err := dpor.Follow(c, d.levels[0], way)
		d.learn(c)
		if err != nil { // the exploration tells it, if there is anything to tell
			continue
		}
		if f.Found != nil && len(f.Found.Failures) > 0 {
			d.last = f.Found.Failures[0]
			d.ways[0], d.ways[i] = way, d.ways[0]
			return true, nil
		}
	}
	return false, nil
}

// explore explores up to the first violation.
func (d *database) explore(levels levelOf) (verdict, error) {
	c, err := d.with(levels)
	if err != nil {
		return open, err
	}
	broken := false
	opts := d.opts
	stats, err := d.run.All(d.ctx, c, opts, func(f *dpor.Found) error {
		if !broken && len(f.Failures) > 0 {
			broken, d.last = true, f.Failures[0]
			d.ways = append(d.ways, slices.Clone(f.Schedule))
		}
		return nil
	})
	d.learn(c)
	switch {
	case err != nil:
		return open, err
	case broken:
		return breaks, nil
	case !stats.Complete:
		return open, nil
	}
	return holds, nil
}

// costs explores the assignment to its end: who waits, and the errors that outcomes meet.
func (d *database) costs(levels levelOf, r *report.Assignment) error {
	c, err := d.with(levels)
	if err != nil {
		return err
	}
	stats, err := d.run.All(d.ctx, c, d.opts, func(*dpor.Found) error { return nil })
	if stats.Violations > 0 {
		return fmt.Errorf("an assertion breaks at levels at which none did before (%v): please report it", levels)
	}
	r.Outcomes, r.Errors, r.Waiting, r.Partly = stats.Histories, executed.Errors(c, stats.Errors), executed.Transactions(stats.Waits), !stats.Complete
	return err
}
