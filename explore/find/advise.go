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
// the anomaly again with it; of each kind the cheapest that helps is advised. A change
// may make transactions fail that can succeed when they are run again. Then a further
// exploration makes the calls again, and all have to succeed in it.

// retries is how often a call is made again.
const retries = 3

// passing are the codes of errors that may go away when the transaction is run again: of
// PostgreSQL, and of MySQL and MariaDB.
var passing = []string{"40001", "40P01", "1213", "1020"}

// trial is a change that is tried.
type trial struct {
	kind    string
	words   []string
	patch   string
	program generate.Program
	again   string            // the name of the program that makes calls again; "" when it cannot be written
	serial  bool              // it makes all transactions serializable
	broken  *report.Violation // an anomaly
	failed  string            // the error that has ended it
	result  *report.Result
	advised *Advice // when it has helped
}

// advise looks for advice on every finding.
func (f *finding) advise(ctx context.Context, plans []*plan) error {
	file := f.newFile(f.packageName() + "advice")
	var tracks []*track
	r := &runner{finding: f}
	for _, p := range plans {
		if p.found == nil || p.ends {
			continue
		}
		changes := f.changes(ctx, p)
		if f.one {
			changes = [][]*trial{slices.Concat(changes...)}
		}
		for _, trials := range changes {
			tracks = append(tracks, &track{found: p.found, twice: p.twice[p.found.Program], trials: trials})
			for i, t := range trials {
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
	if err := r.build(ctx, file, text); err != nil {
		return err
	}
	s := &search{tracks: tracks, run: r.try}
	if r.Server.DSN != "" {
		s.there = r.tryOnServer
	}
	return s.advise(ctx)
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

// try explores trials.
func (r *runner) try(ctx context.Context, byName map[string]*trial) error {
	r.wanted = map[string]bool{}
	for name := range byName {
		r.wanted[name] = true
	}
	r.each = func(kind string, line []byte) error { return tried(byName, kind, line) }
	return r.run(ctx)
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
		if anomalous(&v) && (t.broken == nil || len(v.Schedule) < len(t.broken.Schedule)) {
			t.broken = &v
		}
	case report.TypeError:
		var e report.Error
		if err := report.Parse(line, &e); err != nil {
			return harness.Garbled(err)
		}
		t.failed = e.Message
	case report.TypeResult:
		t.result = &report.Result{}
		return report.Parse(line, t.result)
	}
	return nil
}

// helps reports whether nothing was broken in the whole exploration.
func (t *trial) helps() bool {
	return t.broken == nil && t.failed == "" && t.result != nil && t.result.Complete
}

// advice is a trial that has helped.
func (t *trial) advice() *Advice {
	a := &Advice{Kind: t.kind, Change: t.words, Patch: t.patch, Outcomes: t.result.Outcomes, Errors: map[string]int{}}
	for _, e := range t.result.Errors {
		a.Errors[e.Code] += int(e.Outcomes)
	}
	return a
}
