package find

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/txmc/txmc/explore/find/generate"
	"github.com/txmc/txmc/explore/find/structure"
	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/report"
)

// confirm plans the structures and runs the configurations, in batches, and reports what was found. Planning asks the
// database until asking is done.
func (f *finding) confirm(ctx, asking context.Context, structures []*structure.Structure) error {
	var plans []*plan
	var runners []*runner
	harmless := map[*structure.Structure]*Benign{}
	pairs := f.Run
	for i, batch := range batches(structures) {
		if i > 0 && (asking.Err() != nil || ctx.Err() != nil) {
			f.report.Skipped += len(batch)
			pairs = pairs && !slices.ContainsFunc(batch, (*structure.Structure).Pair)
			continue
		}
		more := f.plan(asking, batch)
		if i == 0 && f.Run {
			more = append(more, f.deadlocks(asking)...)
		}
		plans = append(plans, more...)
		r, err := f.ran(ctx, more, nil)
		if err != nil {
			return err
		}
		if r != nil {
			runners = append(runners, r)
			maps.Copy(harmless, r.harmless)
		}
		pairs = pairs && (ctx.Err() == nil || !slices.ContainsFunc(batch, (*structure.Structure).Pair))
	}
	if len(runners) > 0 && f.Calls > 2 && ctx.Err() == nil {
		more, r, err := f.wider(ctx, plans)
		if err != nil {
			return err
		}
		plans = append(plans, more...)
		if r != nil {
			runners = append(runners, r)
		}
	}
	f.report.conclude(plans, harmless, f.Run)
	if !f.Run {
		return nil
	}
	err := f.after(ctx, plans, runners)
	f.report.Pairs = f.report.Interrupted && pairs
	return err
}

// after is what follows when anomalies are known: a real server, advice, and the programs that are kept.
func (f *finding) after(ctx context.Context, plans []*plan, runners []*runner) error {
	for _, r := range runners {
		if f.Server.DSN == "" || ctx.Err() != nil {
			break
		}
		if err := r.onServer(ctx); err != nil && ctx.Err() == nil {
			return err
		}
	}
	if f.Advice && ctx.Err() == nil {
		if err := f.advise(ctx, plans); err != nil && ctx.Err() == nil {
			return err
		}
	}
	f.report.Interrupted = ctx.Err() != nil
	return f.keepShown(plans)
}

// ran builds the programs of the plans and runs them; without Run they are written where they
// are wanted. Only says which invariants are looked at, nil for all. The runner is nil when
// nothing was run. When ctx is done there is no error.
func (f *finding) ran(ctx context.Context, plans []*plan, only []string) (*runner, error) {
	file := f.file(plans)
	if file == nil {
		return nil, nil
	}
	if !f.Run {
		text, err := file.Source()
		if err != nil {
			return nil, fmt.Errorf("the generated file is wrong, please report it: %w", err)
		}
		return nil, f.keep(text)
	}
	r := &runner{finding: f, programs: programs{plans: plans, only: only}}
	f.say("building %s", count(len(plans), "configuration"))
	err := r.compiled(ctx, file)
	if err == nil && len(r.names) > 0 {
		f.say("running %s", count(len(plans), "configuration"))
		err = r.rounds(ctx)
	}
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	return r, nil
}

// keepShown keeps the programs that have shown anomalies.
func (f *finding) keepShown(plans []*plan) error {
	if f.Out == "" || len(f.report.Findings) == 0 {
		return nil
	}
	file := f.newFile(f.packageName())
	for _, p := range plans {
		for _, program := range p.programs {
			if p.found == nil || p.found.Program != program.Name {
				continue
			}
			if err := file.Add(program); err != nil {
				return err
			}
			p.found.Explore = fmt.Sprintf("txmc explore %s --run='^%s$' --iso=%v", f.Out, program.Name, f.Level)
		}
	}
	text, err := file.Source()
	if err != nil {
		return err
	}
	return f.keep(text)
}

// keep writes the generated file where it is wanted.
func (f *finding) keep(text []byte) error {
	if f.Out == "" {
		return nil
	}
	err := os.MkdirAll(f.Out, 0o777)
	if err == nil {
		err = os.WriteFile(filepath.Join(f.Out, "find.go"), text, 0o666)
	}
	if err != nil {
		return fmt.Errorf("-o: %w", err)
	}
	return nil
}

// packageName is the name of the generated package.
func (f *finding) packageName() string {
	if f.Out != "" {
		if name := strings.Map(letters, strings.ToLower(filepath.Base(f.Out))); name != "" && name[0] > '9' {
			return name
		}
	}
	return f.source.Roots[0].Name + "find"
}

// newFile begins a generated file.
func (f *finding) newFile(pkg string) *generate.File {
	file := generate.NewFile(pkg, f.schema, f.Dialect)
	file.Application = generate.Application{Makers: f.program.Makers, Stores: f.program.Stores, Gorm: f.gorm, Environment: f.program.Environment}
	for _, p := range f.source.All {
		if p.PkgPath == f.source.Program {
			file.Within(p.Types)
		}
	}
	return file
}

// file writes the programs of all plans; nil when there are none. A plan whose calls
// cannot be written is told why.
func (f *finding) file(plans []*plan) *generate.File {
	file, empty := f.newFile(f.packageName()), true
	for _, p := range plans {
		for i, program := range p.programs {
			if err := file.Add(program); err != nil {
				p.programs, p.why = p.programs[:i], err.Error()
				break
			}
			empty = false
		}
	}
	if empty {
		return nil
	}
	return file
}

// letters leaves of a directory's name what the name of a package may have.
func letters(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
		return r
	}
	return -1
}

// rounds runs the first programs of all plans. Then it runs the second programs of the
// plans that have shown nothing, or not all of their structures, and so on.
func (r *runner) rounds(ctx context.Context) error {
	r.harmless, r.every = map[*structure.Structure]*Benign{}, r.Benign && r.only == nil
	for i := 0; ; i++ {
		r.now = map[string]*plan{}
		for _, p := range r.plans {
			if i < len(p.programs) && (p.found == nil || slices.ContainsFunc(p.structures, r.open)) {
				r.now[p.programs[i].Name] = p
			}
		}
		if len(r.now) == 0 {
			return ctx.Err()
		}
		r.wanted = map[string]bool{}
		for name := range r.now {
			r.wanted[name] = true
		}
		r.twice = r.fresh(r.rerun)
		r.each = r.listed
		if err := r.run(ctx); err != nil {
			return err
		}
		if err := r.everyWay(ctx); err != nil {
			return err
		}
	}
}

// everyWay runs once more those programs of a round that have shown an anomaly, but not all of
// their structures. An outcome was told with one of the ways to it, and other ways may show the
// rest. A structure needs no more than one interruption of a call by the others.
func (r *runner) everyWay(ctx context.Context) error {
	r.wanted, r.twice, r.ways = map[string]bool{}, nil, 0
	defer func() { r.ways = 0 }()
	for name, p := range r.now {
		if r.every && slices.ContainsFunc(p.structures, r.unseen) || p.last == name && slices.ContainsFunc(p.structures, r.open) {
			r.wanted[name] = true
			r.ways = max(r.ways, 2, len(p.config.Calls))
		}
	}
	if len(r.wanted) == 0 {
		return nil
	}
	return r.run(ctx)
}

// event takes what is said of a configuration.
func (r *runner) event(kind string, line []byte) error {
	switch kind {
	case report.TypeViolation:
		var v report.Violation
		if err := report.Parse(line, &v); err != nil {
			return harness.Garbled(err)
		}
		if p := r.now[v.Program]; p != nil {
			r.receive(p, &v)
		}
	case report.TypeResult:
		var res report.Result
		if err := report.Parse(line, &res); err != nil {
			return harness.Garbled(err)
		}
		if p := r.now[res.Program]; p != nil && r.ways == 0 {
			p.ran(&res)
			if res.Complete {
				r.settle(p)
			}
		}
	case report.TypeError:
		var e report.Error
		if err := report.Parse(line, &e); err != nil {
			return harness.Garbled(err)
		}
		p := r.now[e.Program]
		if p == nil {
			return errors.New(e.Message)
		}
		p.why = "it cannot be explored: " + e.Message
	}
	return nil
}

// ran notes how an exploration has ended.
func (p *plan) ran(res *report.Result) {
	p.twice[res.Program] = res.Met("23505")
	switch {
	case !res.Complete && res.Stopped != "error":
		p.why = "its exploration was stopped by --timeout"
	case res.Complete && p.why == "":
		p.why = noAnomaly
	}
}

// noAnomaly is why most structures stay unconfirmed.
const noAnomaly = "every outcome of the runs is that of a serial order"

// receive takes a violation: the easiest to follow of the worst kind is reported.
func (r *runner) receive(p *plan, v *report.Violation) {
	if p.panics(v) {
		return
	}
	harmful := anomalous(v) && (p.twin == nil || between(v)) // else it is the twin's
	if harmful {
		p.last = v.Program
		for _, s := range p.structures {
			if shows(&v.Execution, s, false) {
				p.shown[s] = true
			}
		}
	}
	if r.ways > 0 && (p.found != nil || !harmful) { // the outcome has been taken, with the run that the exploration tells again on a server
		return
	}
	if !harmful {
		r.invariants(p, v, nil)
		return
	}
	found := &Finding{Type: TypeFinding, Rank: rankOf(v), Between: between(v), Program: v.Program, Violation: v, Invoked: p.invoked(v.Program, r.program.Makers)}
	for _, c := range p.config.Calls {
		found.Calls = append(found.Calls, c.Name)
	}
	r.invariants(p, v, found)
	if p.found != nil && p.found.Program != v.Program {
		return // one of the first variant that has any is reported
	}
	if p.found == nil {
		if panicOf(v) == "" { // a serial run may panic too: it is known in the end
			r.found(found)
		}
	}
	if p.ends { // of the ways to wait for each other one is told
		p.structures = slices.DeleteFunc(p.structures, r.open)
	}
	if p.found == nil || found.Rank < p.found.Rank || found.Rank == p.found.Rank && easier(v, p.found.Violation) < 0 {
		p.found = found
	}
}

// easier compares how easy two runs are to follow: those in which nobody runs inside a statement
// of another call first, which a client can make on a server, then short ones.
func easier(a, b *report.Violation) int {
	return cmp.Or(cmp.Compare(pauses(a), pauses(b)), cmp.Compare(len(a.Schedule), len(b.Schedule)))
}

// pauses counts the steps that end inside a statement.
func pauses(v *report.Violation) (n int) {
	for i := range v.Schedule {
		if v.Schedule[i].What == report.StepPauses {
			n++
		}
	}
	return n
}
