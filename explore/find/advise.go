package find

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/explore/find/generate"
	"github.com/txmc/txmc/explore/find/structure"
	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/report"
)

// Changes that make an anomaly go away: locks on reads, from one statement to all, and
// levels of transactions, from one call to all. Each is tried by exploring the
// configuration of the anomaly again with it; the cheapest lock and the cheapest level
// that help are advised.

// trial is a change that is tried.
type trial struct {
	found   *Finding
	kind    string
	words   []string
	program generate.Program
	broken  bool // a violation, or an error
	result  *report.Result
}

// advise looks for advice on every finding.
func (f *finding) advise(ctx context.Context, plans []*plan) error {
	file := generate.NewFile(f.packageName()+"advice", f.schema)
	tracks := map[*Finding][][]*trial{}
	r := &runner{finding: f}
	for _, p := range plans {
		if p.found == nil {
			continue
		}
		for _, track := range [][]*trial{f.locks(ctx, p), f.levels(p)} {
			for i, t := range track {
				t.found, t.program.Name = p.found, fmt.Sprintf("%s_%s%d", p.found.Program, t.kind, i+1)
				if err := file.Add(t.program); err != nil {
					return err
				}
				r.names = append(r.names, t.program.Name)
			}
			tracks[p.found] = append(tracks[p.found], track)
		}
	}
	if len(r.names) == 0 {
		return nil
	}
	text, err := file.Source()
	if err != nil {
		return fmt.Errorf("the generated file is wrong, please report it: %w", err)
	}
	if err := r.build(ctx, file.Package, text); err != nil {
		return err
	}
	return r.trials(ctx, tracks)
}

// trials runs the first trials of all findings, then the second ones of those that the
// first have not helped, and so on.
func (r *runner) trials(ctx context.Context, tracks map[*Finding][][]*trial) error {
	for i := 0; ; i++ {
		byName := map[string]*trial{}
		for found, list := range tracks {
			for _, track := range list {
				if i < len(track) && !slices.ContainsFunc(found.Advice, func(a Advice) bool { return a.Kind == track[i].kind }) {
					byName[track[i].program.Name] = track[i]
				}
			}
		}
		if len(byName) == 0 {
			return ctx.Err()
		}
		r.wanted = map[string]bool{}
		for name := range byName {
			r.wanted[name] = true
		}
		r.each = func(kind string, line []byte) error { return tried(byName, kind, line) }
		if err := r.run(ctx); err != nil {
			return err
		}
		for _, found := range r.report.Findings { // in their order
			for _, track := range tracks[found] {
				if i < len(track) {
					track[i].conclude()
				}
			}
		}
	}
}

// tried takes what is said of trials.
func tried(byName map[string]*trial, kind string, line []byte) error {
	var about struct {
		Program string `json:"program"`
	}
	if err := report.Parse(line, &about); err != nil {
		return harness.Garbled(err)
	}
	t := byName[about.Program]
	if t == nil {
		return nil
	}
	switch kind {
	case report.TypeViolation, report.TypeError:
		t.broken = true
	case report.TypeResult:
		t.result = &report.Result{}
		return report.Parse(line, t.result)
	}
	return nil
}

// conclude makes advice of a trial that has helped.
func (t *trial) conclude() {
	if t.broken || t.result == nil || !t.result.Complete || t.result.Violations > 0 {
		return
	}
	a := Advice{Kind: t.kind, Change: t.words, Outcomes: t.result.Outcomes, Errors: map[string]int{}}
	for _, e := range t.result.Errors {
		a.Errors[e.Code] += int(e.Outcomes)
	}
	t.found.Advice = append(t.found.Advice, a)
}

// program is the one that has shown the anomaly of a plan, with changes.
func (p *plan) program(changes []generate.Change) generate.Program {
	i := slices.IndexFunc(p.programs, func(g generate.Program) bool { return g.Name == p.found.Program })
	program := p.programs[i]
	program.Changes = changes
	return program
}

// lock is a read that can be locked.
type lock struct {
	step *structure.Step
	with string
}

// locks are trials that lock reads: one of those that are overtaken in the structures, then
// all of them. In calls of the same function the same statements are locked.
func (f *finding) locks(ctx context.Context, p *plan) (list []*trial) {
	var all []lock
	for _, s := range p.structures {
		for _, d := range s.Dependencies {
			if d.Kind != structure.RW || !d.Against || slices.ContainsFunc(all, func(l lock) bool { return l.step == d.From }) {
				continue
			}
			if with, ok := f.locking(ctx, d.From); ok {
				all = append(all, lock{d.From, with})
			}
		}
	}
	sets := [][]lock{}
	for _, l := range all {
		sets = append(sets, []lock{l})
	}
	if len(all) > 1 {
		sets = append(sets, all)
	}
	for _, set := range sets {
		t := &trial{kind: "lock"}
		var changes []generate.Change
		for _, l := range set {
			if word := fmt.Sprintf("%s: %s", l.step.At, strings.Join(strings.Fields(l.with), " ")); !slices.Contains(t.words, word) {
				t.words = append(t.words, word)
			}
			for i, call := range p.config.Calls {
				if call == l.step.Of.Call {
					changes = append(changes, generate.Change{Call: i, Statement: l.step.SQL, With: l.with})
				}
			}
		}
		t.program = p.program(changes)
		list = append(list, t)
	}
	return list
}

// locking is a read with FOR UPDATE; false where the statement cannot have it.
func (f *finding) locking(ctx context.Context, s *structure.Step) (string, bool) {
	for _, a := range s.Accesses {
		if a.Kind != access.Read || a.Lock != access.NoLock {
			return "", false
		}
	}
	with := strings.TrimRight(strings.TrimSpace(s.SQL), ";") + " FOR UPDATE"
	_, err := f.sql.Analyse(ctx, with)
	return with, err == nil
}

// levels are trials that give transactions stronger levels: those of one function, then
// all, at REPEATABLE READ and at SERIALIZABLE.
func (f *finding) levels(p *plan) (list []*trial) {
	var names []string
	for _, c := range p.config.Calls {
		if !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	add := func(level string, of ...string) {
		t := &trial{kind: "level"}
		var changes []generate.Change
		for i, c := range p.config.Calls {
			if slices.Contains(of, c.Name) {
				changes = append(changes, generate.Change{Call: i, Level: level})
			}
		}
		for _, name := range of {
			t.words = append(t.words, fmt.Sprintf("%s at %s", name, strings.ToUpper(level)))
		}
		t.program = p.program(changes)
		list = append(list, t)
	}
	if len(names) > 1 {
		for _, name := range names {
			add("repeatable read", name)
		}
	}
	add("repeatable read", names...)
	add("serializable", names...)
	return list
}
