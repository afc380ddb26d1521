package find

import (
	"context"
	"slices"

	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/explore/find/source"
)

// Some invariants take three calls to break: two that go wrong together, and one that meets
// what they leave. A cycle of two is all the structure that such a run needs, so there is
// none of three to look for: to each configuration with an anomaly another call is added.

// wider runs the configurations with an anomaly once more, each with every call that writes
// beside it. It returns the configurations that break invariants which nothing else breaks.
func (f *finding) wider(ctx context.Context, plans []*plan) (broken []*plan, r *runner, err error) {
	missing := f.unbroken(plans)
	if len(missing) == 0 {
		return nil, nil, nil
	}
	list := f.widened(ctx, plans)
	if r, err = f.ran(ctx, list, missing); err != nil || r == nil {
		return nil, nil, err
	}
	none := func(p *plan) bool { return p.found == nil || len(p.found.Invariants) == 0 } // an anomaly of two of the calls
	found := slices.DeleteFunc(slices.Clone(list), none)
	slices.SortStableFunc(found, func(a, b *plan) int {
		return easier(a.found.Violation, b.found.Violation)
	})
	for _, p := range found {
		more := slices.DeleteFunc(slices.Clone(missing), func(name string) bool { return slices.Contains(p.found.Invariants, name) })
		if len(more) < len(missing) {
			missing, broken = more, append(broken, p)
		}
	}
	r.plans = broken
	return broken, r, nil
}

// unbroken are the invariants of the application that no anomaly breaks.
func (f *finding) unbroken(plans []*plan) (list []string) {
	for _, i := range f.program.Invariants {
		breaks := func(p *plan) bool { return p.found != nil && slices.Contains(p.found.Invariants, i.Name()) }
		if !slices.ContainsFunc(plans, breaks) {
			list = append(list, i.Name())
		}
	}
	return list
}

// widened are the configurations of two calls that have an anomaly with one more call.
func (f *finding) widened(ctx context.Context, plans []*plan) (list []*plan) {
	keys := map[string]bool{}
	for _, p := range plans {
		if p.found == nil || len(p.config.Calls) > 2 {
			continue
		}
		for _, call := range f.program.Calls {
			config := p.config.With(call, f.steps[call])
			if !f.writes(call) || keys[config.Key()] {
				continue
			}
			keys[config.Key()] = true
			list = append(list, newPlan(config, p.whole))
		}
	}
	f.named(ctx, list)
	return list
}

// writes reports whether a call changes rows.
func (f *finding) writes(call *source.Call) bool {
	for _, s := range f.steps[call] {
		if slices.ContainsFunc(s.Accesses, func(a *access.Access) bool { return a.Kind != access.Read }) {
			return true
		}
	}
	return false
}
