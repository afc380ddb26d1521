package explore

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/report"
)

// Program is an Explore function and its name.
type Program struct {
	Name    string
	Explore func(*program.Program)
}

// Task is what is done with a program at a level. The error is the program's.
type Task func(ctx context.Context, r *Run, client *program.Client, level isolation.Level) error

// Run explores programs of a package one after another, each at every level.
type Run struct {
	Package  string // import path, for reports
	Options  Options
	Scope    Scope
	Sink     Sink
	Task     Task     // nil: Find
	Naming   Naming   // how options are given; nil: Flags
	Estimate bool     // estimate the share that is done
	Going    Progress // where it goes on, and what is kept
	Server   Server   // where programs run, or what confirms violations; nil for no server
	Confirm  bool     // the server only confirms

	Elsewhere Elsewhere // processes that explore for this one; nil: none
}

// Programs explores every program until ctx ends.
func (r *Run) Programs(ctx context.Context, programs []Program) {
	for _, p := range programs {
		if ctx.Err() != nil {
			return
		}
		r.Sink.Turn(p.Name, "", nil)
		client, err := r.Prepare(ctx, p)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			r.Sink.Event(r.problem(p.Name, "", err))
			continue
		}
		r.levels(ctx, client)
	}
}

// Prepare makes the client of a program. It does not wait for client code when ctx ends.
func (r *Run) Prepare(ctx context.Context, p Program) (*program.Client, error) {
	type made struct {
		client *program.Client
		err    error
	}
	opts := r.Options.Program()
	if level, ok := r.sole(); ok {
		opts.Database, opts.Level = true, level.String()
	}
	done := make(chan made, 1)
	go func() {
		c, err := program.NewClient(p.Name, p.Explore, opts)
		done <- made{c, err}
	}()
	select {
	case m := <-done:
		return m.client, m.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// sole is the level of a database at which alone programs are explored, under its model. The
// client is made for it at once: of a program in SQL that is a database with its schema and rows.
func (r *Run) sole() (level isolation.Level, ok bool) {
	if len(r.Options.Levels) != 1 || len(r.Options.InSQL) > 0 || r.Elsewhere != nil || r.Server != nil && !r.Confirm {
		return level, false
	}
	level = r.Options.Levels[0]
	return level, level.Database() != isolation.NoDatabase
}

// levels explores the client at each level. They share its behaviour trees.
func (r *Run) levels(ctx context.Context, client *program.Client) {
	var onDatabase *program.Client // shared by the levels of databases; of SQL programs for one level
	levels, err := r.Options.LevelsOf(client)
	if err != nil {
		r.Sink.Event(r.problem(client.Name, "", err))
		return
	}
	for _, level := range levels {
		if ctx.Err() != nil {
			return
		}
		if slices.Contains(r.Going.Done, Place{client.Name, level.String()}) {
			continue
		}
		at := client
		_, made := r.sole()
		if !made && level.Database() != isolation.NoDatabase && (r.Server == nil || r.Confirm) {
			// A checkpoint tells what its level has seen the sessions do, and nothing else.
			if onDatabase == nil || client.UsesBackend() || r.Going.Every > 0 || len(r.Going.Resume) > 0 || r.Elsewhere != nil {
				var err error
				if onDatabase, err = client.DatabaseAt(level.String()); err != nil {
					r.Sink.Event(r.problem(client.Name, level.String(), err))
					return
				}
			}
			at = onDatabase
		}
		err := r.Level(ctx, at, level)
		if err == nil {
			continue
		}
		var e *behaviour.Error
		if !errors.As(err, &e) || e.Kind != behaviour.Unbounded {
			// The other levels would say the same, save that a stronger one may
			// bound what a weaker one does not.
			return
		}
	}
}

// Level explores the client at one level. An error is an event too.
func (r *Run) Level(ctx context.Context, client *program.Client, level isolation.Level) error {
	do := r.Task
	if do == nil {
		do = Find
	}
	err := do(ctx, r.onServer(ctx, client, level), client, level)
	if err != nil {
		r.Sink.Event(r.problem(client.Name, level.String(), err))
	}
	return err
}

// problem is the line of an error, with what the user can do about it.
func (r *Run) problem(name, iso string, err error) *report.Error {
	if line := lineOf(err); line != nil {
		return line
	}
	e := report.NewError(r.Package, name, iso, err)
	var p *behaviour.Error
	var ambiguous *isolation.AmbiguousLevelError
	switch {
	case errors.As(err, &ambiguous):
		e.Kind, e.Message = behaviour.Misuse.String(), r.named("iso", "")+": "+e.Message+"; "+r.named("db", "postgres")+" or "+r.named("db", "mysql")+" says it"
	case !errors.As(err, &p):
	case p.Kind == behaviour.Unbounded:
		e.Message += ", or raise " + r.named("max-ops", "") + " if it is meant to be that long"
	case p.Limit != "" && r.named(p.Limit, "") != "":
		e.Message += "; with a higher " + r.named(p.Limit, "") + " it has more time"
	}
	return e
}

// named is an option as the user gives it.
func (r *Run) named(option, value string) string {
	if r.Naming == nil {
		return Flags(option, value)
	}
	return r.Naming(option, value)
}

// source gives names to the histories of a client.
func (r *Run) source(client *program.Client, level isolation.Level) report.Source {
	return report.Source{Package: r.Package, Program: client.Name, Level: level, Names: client}
}

// All runs one exploration of a client and hands what it yields to each, whose error ends
// it. An error is that one, or the program's.
func (r *Run) All(ctx context.Context, client *program.Client, opts dpor.Options, each func(*dpor.Found) error) (dpor.Stats, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var ended error
	stats, failed := r.all(ctx, client, opts, func(f *dpor.Found) {
		if ended == nil {
			if ended = each(f); ended != nil {
				cancel()
			}
		}
	})
	return stats, cmp.Or(ended, failed)
}

// all runs one exploration and hands what it yields to each. The error is the
// program's.
func (r *Run) all(ctx context.Context, client *program.Client, opts dpor.Options, each func(*dpor.Found)) (stats dpor.Stats, failed error) {
	if r.Options.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.Options.Timeout)
		defer cancel()
	}
	opts.Estimate = r.Estimate
	x := dpor.Explore(ctx, client, opts)
	r.Sink.Turn(client.Name, opts.Level.String(), x)
	for found, err := range x.Histories() {
		if err != nil {
			failed = err
			break
		}
		each(found)
	}
	return x.Stats(), failed
}
