package find

import (
	"context"
	"errors"
	"slices"

	"github.com/txmc/txmc/explore/find/structure"
)

// Each finding comes with a change that was verified: the first that helps, of all kinds, the cheapest first. --advice has
// one of each kind. The time for it is kept back.

// mostFixed bounds the findings for which a change is looked for, the worst ones first.
const mostFixed = 12

// left is how much of the budget is left for changes: one part of so many.
const left = 4

// mended runs the structures, and looks for changes where they have shown something. A part of the time is left for these.
func (f *finding) mended(ctx, asking context.Context, structures []*structure.Structure) error {
	searching, stop := f.searching(ctx)
	defer stop()
	if asking == ctx {
		asking = searching
	}
	if err := f.confirm(searching, asking, structures); err != nil {
		return err
	}
	if f.report.Interrupted && errors.Is(context.Cause(searching), errBudget) {
		f.report.Budget = f.Budget.all.String()
	}
	return f.fix(ctx)
}

// fix looks for a change for each of the worst findings.
func (f *finding) fix(ctx context.Context) error {
	if !f.Fix || !f.Run || f.Advice || ctx.Err() != nil {
		return nil
	}
	worst := f.report.Findings[:min(mostFixed, len(f.report.Findings))]
	plans := slices.DeleteFunc(slices.Clone(f.plans), func(p *plan) bool { return p.found == nil || !slices.Contains(worst, p.found) })
	if len(plans) == 0 {
		return nil
	}
	f.say("looking for changes that mend %s", count(len(plans), "bug"))
	f.one = true
	if err := f.advise(ctx, plans); err != nil && ctx.Err() == nil {
		f.unknown("", "no change was tried: "+err.Error())
	}
	return nil
}
