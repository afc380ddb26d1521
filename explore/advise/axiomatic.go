package advise

import (
	"errors"
	"slices"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/semantics"
)

// Axiomatic levels. What sessions do does not depend on the level. So an assignment's
// histories are those histories of its weakest level that it allows
// (isolation.SatisfiesEach). One exploration that lists all violations of a level decides
// every assignment that is nowhere weaker.

// kept is how many violations are kept.
const kept = 10_000

// axiomatic decides assignments of axiomatic levels.
type axiomatic struct {
	*adviser
	violations []*dpor.Found
	all        []isolation.Level // levels of which all violations are kept
	last       *behaviour.Failure
}

func (a *adviser) axiomatic() oracle { return &axiomatic{adviser: a} }

func (x *axiomatic) names() []string             { return x.client.Transactions() }
func (x *axiomatic) failure() *behaviour.Failure { return x.last }

// weakest is the weakest level of an assignment.
func (x *axiomatic) weakest(levels levelOf) isolation.Level {
	if len(levels) == 0 {
		return x.levels[0]
	}
	weakest := isolation.SER
	for _, l := range levels {
		if weakest.Implies(l) {
			weakest = l
		}
	}
	return weakest
}

// allows reports whether an assignment allows a history. A Final looks at what is left:
// it is serializable. Operations in autocommit have the weakest level of the assignment.
func (x *axiomatic) allows(levels levelOf, h *semantics.History) bool {
	least := x.weakest(levels)
	return isolation.SatisfiesEach(h, func(t int) isolation.Level {
		if h.Txns[t].Session == h.Final {
			return isolation.SER
		}
		if l, ok := levels[h.Txns[t].Name]; ok {
			return l
		}
		return least
	})
}

// seen reports whether the assignment allows a violation that is kept.
func (x *axiomatic) seen(levels levelOf) (bool, error) {
	for i, f := range x.violations {
		if x.allows(levels, f.History) {
			x.last = f.Failures[0]
			x.violations[0], x.violations[i] = f, x.violations[0] // it is tried first from then on
			return true, nil
		}
	}
	return false, nil
}

// errEnough ends an exploration that has told what it was asked for.
var errEnough = errors.New("enough")

// explore explores the weakest level of the assignment, unless all of its violations are
// known.
func (x *axiomatic) explore(levels levelOf) (verdict, error) {
	weakest := x.weakest(levels)
	for _, l := range x.all {
		if weakest.Implies(l) {
			x.explored--
			x.reused++
			return holds, nil
		}
	}
	opts, err := x.run.Options.At(weakest)
	if err != nil {
		return open, err
	}
	opts.All = true
	broken, whole := false, true
	stats, err := x.run.All(x.ctx, x.client, opts, func(f *dpor.Found) error {
		switch {
		case len(x.violations) < kept:
			x.violations = append(x.violations, f)
		case broken:
			whole = false
			return errEnough
		default:
			whole = false
		}
		if !broken && x.allows(levels, f.History) {
			broken, x.last = true, f.Failures[0]
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return open, err
	}
	if stats.Complete && whole {
		x.all = append(x.all, weakest)
	}
	switch {
	case broken:
		return breaks, nil
	case !stats.Complete:
		return open, nil
	}
	return holds, nil
}

// costs counts the histories that the assignment allows, of those of the weakest of all
// levels, if these were few enough to be explored to the end.
func (x *axiomatic) costs(levels levelOf, r *report.Assignment) error {
	if !slices.Contains(x.all, x.levels[0]) {
		return nil
	}
	opts, err := x.run.Options.At(x.levels[0])
	if err != nil {
		return err
	}
	opts.All, opts.List = true, true
	stats, err := x.run.All(x.ctx, x.client, opts, func(f *dpor.Found) error {
		if r.Of++; x.allows(levels, f.History) {
			r.Histories++
		}
		return nil
	})
	r.Weakest, r.Partly = x.levels[0].String(), !stats.Complete
	return err
}
