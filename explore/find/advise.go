package find

import (
	"context"
	"fmt"
	"slices"

	"github.com/txmc/txmc/explore/find/generate"
	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/report"
)

// Changes that make an anomaly go away. Each is tried by exploring the configuration of
// the anomaly again with it; of each kind the cheapest that helps is advised. Where it
// makes transactions fail that may succeed when they are run again, the calls are made
// again in a further exploration, in which all have to succeed.

// retries is how often a call is made again.
const retries = 3

// passing are the codes of errors that may go away when the transaction is run again: of
// PostgreSQL, and of MySQL and MariaDB.
var passing = []string{"40001", "40P01", "1213", "1020"}

// trial is a change that is tried.
type trial struct {
	found   *Finding
	kind    string
	words   []string
	patch   string
	program generate.Program
	again   string // the name of the program that makes calls again; "" when it cannot be written
	broken  bool   // an anomaly, or an error
	result  *report.Result
}

// advise looks for advice on every finding.
func (f *finding) advise(ctx context.Context, plans []*plan) error {
	file := generate.NewFile(f.packageName()+"advice", f.schema, f.Dialect)
	tracks := map[*Finding][][]*trial{}
	r := &runner{finding: f}
	for _, p := range plans {
		if p.found == nil {
			continue
		}
		tracks[p.found] = f.changes(ctx, p)
		for _, track := range tracks[p.found] {
			for i, t := range track {
				t.found = p.found
				if err := r.add(file, t, fmt.Sprintf("%s_%s%d", p.found.Program, t.kind, i+1)); err != nil {
					return err
				}
			}
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

// add writes the programs of a trial.
func (r *runner) add(file *generate.File, t *trial, name string) error {
	t.program.Name = name
	if err := file.Add(t.program); err != nil {
		return err
	}
	r.names = append(r.names, name)
	again := t.program
	again.Name, again.Retries = name+"_again", retries
	if file.Add(again) == nil {
		t.again = again.Name
		r.names = append(r.names, again.Name)
	}
	return nil
}

// trials runs the first trials of all findings, then the second ones of those that the
// first have not helped, and so on.
func (r *runner) trials(ctx context.Context, tracks map[*Finding][][]*trial) error {
	var helped []*trial
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
			if err := r.retried(ctx, helped); err != nil || r.Server.DSN == "" {
				return err
			}
			return r.helpedOnServer(ctx, helped)
		}
		if err := r.try(ctx, byName); err != nil {
			return err
		}
		for _, found := range r.report.Findings { // in their order
			for _, track := range tracks[found] {
				if t := at(track, i); t != nil && byName[t.program.Name] == t && t.helps() {
					t.found.Advice = append(t.found.Advice, t.advice())
					helped = append(helped, t)
				}
			}
		}
	}
}

// at is a trial of a track; nil behind its end.
func at(track []*trial, i int) *trial {
	if i >= len(track) {
		return nil
	}
	return track[i]
}

// try runs trials.
func (r *runner) try(ctx context.Context, byName map[string]*trial) error {
	r.wanted = map[string]bool{}
	for name := range byName {
		r.wanted[name] = true
	}
	r.each = func(kind string, line []byte) error { return tried(byName, kind, line) }
	return r.run(ctx)
}

// retried runs the trials that have helped at the cost of errors once more, with calls that
// are made again, and notes with which of them all succeed.
func (r *runner) retried(ctx context.Context, helped []*trial) error {
	byName := map[string]*trial{}
	for _, t := range helped {
		if t.again != "" && slices.ContainsFunc(passing, t.result.Met) {
			byName[t.again] = &trial{found: t.found, kind: t.kind}
		}
	}
	if len(byName) == 0 {
		return ctx.Err()
	}
	if err := r.try(ctx, byName); err != nil {
		return err
	}
	for _, t := range helped {
		if again := byName[t.again]; again != nil && again.helps() {
			i := slices.IndexFunc(t.found.Advice, func(a Advice) bool { return a.Kind == t.kind })
			t.found.Advice[i].Retries = retries
		}
	}
	return nil
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
	case report.TypeViolation:
		var v report.Violation
		if err := report.Parse(line, &v); err != nil {
			return harness.Garbled(err)
		}
		t.broken = t.broken || anomalous(&v)
	case report.TypeError:
		t.broken = true
	case report.TypeResult:
		t.result = &report.Result{}
		return report.Parse(line, t.result)
	}
	return nil
}

// helps reports whether nothing was broken in the whole exploration.
func (t *trial) helps() bool {
	return !t.broken && t.result != nil && t.result.Complete
}

// advice is a trial that has helped.
func (t *trial) advice() Advice {
	a := Advice{Kind: t.kind, Change: t.words, Patch: t.patch, Outcomes: t.result.Outcomes, Errors: map[string]int{}}
	for _, e := range t.result.Errors {
		a.Errors[e.Code] += int(e.Outcomes)
	}
	return a
}
