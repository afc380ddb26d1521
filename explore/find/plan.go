package find

import (
	"context"
	"fmt"
	"slices"

	"github.com/txmc/txmc/explore/find/configure"
	"github.com/txmc/txmc/explore/find/generate"
	"github.com/txmc/txmc/explore/find/structure"
)

// plan is a configuration with the structures that it is for, and the programs that try
// it.
type plan struct {
	config     *configure.Config
	ends       bool  // it asks for no more than that no call is ended by a deadlock
	whole      bool  // its structures have calls with two of their transactions: orders are of calls
	twin       *plan // of a whole one: that of the same configuration, whose orders are of transactions
	structures []*structure.Structure
	first      *structure.Structure // that it was made for, where it is for deadlocks
	programs   []generate.Program
	why        string // it cannot be run
	outcomes
}

// outcomes is what the plan's programs have shown.
type outcomes struct {
	found    *Finding
	last     string                        // the last program that has shown an anomaly
	shown    map[*structure.Structure]bool // by a run
	broken   map[string]*Finding           // by invariant, the shortest run that is not serializable and breaks it
	anyway   map[string]bool               // invariants that serializable runs break
	panicked map[string]bool               // what calls have panicked with in runs that are serial
	twice    map[string]bool               // programs in which a key is inserted twice: a unique index refuses it
}

// plan makes configurations for the structures: structures that need the same calls with
// the same keys share one. Those that cannot be solved are reported.
func (f *finding) plan(ctx context.Context, structures []*structure.Structure) (plans []*plan) {
	type kind struct {
		key   string
		whole bool
	}
	byKey := map[kind]*plan{}
	for _, s := range structures {
		if ctx.Err() != nil {
			break
		}
		list, err := configure.New(s, f.steps, f.catalog)
		if err != nil {
			f.report.unsolved(s, err.Error())
		}
		for _, c := range list {
			c.Rows = f.seed
			k := kind{c.Key(), s.Split()}
			p := byKey[k]
			if p == nil {
				p = newPlan(c, k.whole)
				byKey[k] = p
				plans = append(plans, p)
			}
			p.structures = append(p.structures, s)
		}
	}
	for k, p := range byKey {
		if k.whole {
			p.twin = byKey[kind{k.key, false}]
		}
	}
	f.named(ctx, plans)
	return plans
}

// newPlan is a plan of which nothing is known.
func newPlan(c *configure.Config, whole bool) *plan {
	return &plan{config: c, whole: whole, outcomes: outcomes{shown: map[*structure.Structure]bool{}, broken: map[string]*Finding{}, anyway: map[string]bool{}, twice: map[string]bool{}, panicked: map[string]bool{}}}
}

// named makes the programs of plans, with names of their own.
func (f *finding) named(ctx context.Context, plans []*plan) {
	f.plans = append(f.plans, plans...)
	for _, p := range plans {
		if ctx.Err() != nil {
			return
		}
		name := "Explore"
		for _, c := range p.config.Calls {
			name += c.Func.Name()
		}
		if f.names[name]++; f.names[name] > 1 {
			name += fmt.Sprint(f.names[name])
		}
		f.programs(ctx, name, p)
	}
}

// programs are the variants of a configuration whose rows fit the schema; of those that
// are the same one. Where none fits, the rows are those that the schema makes itself.
func (f *finding) programs(ctx context.Context, name string, p *plan) {
	failed := f.variants(ctx, name, p)
	if failed == nil || len(p.programs) > 0 || p.config.Rows != "" {
		return
	}
	p.config.Rows = "-- the rows are the schema's\n"
	if f.variants(ctx, name, p) != nil && len(p.programs) == 0 {
		p.why = failed.Error()
	}
}

// variants adds the variants whose rows fit the schema. The error is why the last one does
// not that does not.
func (f *finding) variants(ctx context.Context, name string, p *plan) (failed error) {
	var tried []string
	for i, v := range p.config.Variants() {
		text := p.config.Seed(v) + fmt.Sprint(v.Amount, v.Step)
		if slices.Contains(tried, text) {
			continue
		}
		tried = append(tried, text)
		if err := f.sql.Try(ctx, p.config.Seed(v)); err != nil {
			failed = err
			continue
		}
		p.programs = append(p.programs, generate.Program{
			Name: name + string(rune('A'+i)), Comment: callNames(p.config.Calls, " and ") + " at the same time", Config: p.config, Variant: v,
			Invariants: f.program.Invariants, Whole: p.whole,
		})
	}
	return failed
}
