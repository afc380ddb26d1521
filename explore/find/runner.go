package find

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/load"
	"github.com/txmc/txmc/report"
)

// Generated programs run in processes of their own, some side by side. Each program is
// explored by one worker, so that what is said of it has an order; what is said of
// different programs has none.

// mostProcesses bounds the processes that run side by side: each has PostgreSQL's memory.
const mostProcesses = 4

// runner runs a built file, again and again.
type runner struct {
	*finding
	pkg     *load.Package
	harness *load.Harness
	names   []string
	plans   []*plan
	now     map[string]*plan // programs of this round
	wanted  map[string]bool  // their names
	each    func(kind string, line []byte) error
}

// build compiles a generated file.
func (r *runner) build(ctx context.Context, name string, text []byte) (err error) {
	if r.pkg, err = r.source.Generated(name, text, r.names); err != nil {
		return err
	}
	r.harness, err = r.pkg.Build(ctx)
	return err
}

// run runs the programs that are wanted.
func (r *runner) run(ctx context.Context) error {
	shares := make([][]string, min(mostProcesses, runtime.GOMAXPROCS(0), len(r.wanted)))
	dealt := 0
	for _, name := range r.names {
		if r.wanted[name] {
			shares[dealt%len(shares)] = append(shares[dealt%len(shares)], name)
			dealt++
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	var one sync.Mutex // takes lines
	for _, share := range shares {
		all.Go(func() {
			if err := r.process(ctx, &one, share); err != nil {
				cancel(err)
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// process runs some programs in a process.
func (r *runner) process(ctx context.Context, one *sync.Mutex, programs []string) error {
	config, err := json.Marshal(r.request(programs))
	if err != nil {
		return err
	}
	ended := false
	out := &harness.Output{To: r.Stderr, Dir: r.Config.Dir}
	err = r.harness.Run(ctx, ctx.Done(), []string{harness.Variable + "=" + string(config)}, out, func(line []byte) error {
		one.Lock()
		defer one.Unlock()
		kind := report.Type(line)
		if kind == harness.TypeEnd {
			ended = true
			return nil
		}
		return r.each(kind, line)
	})
	out.Close()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case ended:
		return nil
	case err != nil:
		return fmt.Errorf("the process that runs the calls has ended by itself: %w", err)
	}
	return errors.New("the process that runs the calls has ended by itself")
}

// request asks for the exploration of some programs.
func (r *runner) request(programs []string) *harness.Request {
	o := explore.Defaults()
	o.Levels, o.MaxOps, o.MaxTreeBytes, o.Patience = []isolation.Level{r.Level}, 1000, 1<<28, 20e9
	o.Timeout, o.Workers, o.Dir = r.Timeout, 1, r.Config.Dir
	q := &harness.Request{Version: harness.Version, Package: r.pkg.Path, Options: o, Scope: explore.Scope{All: true}}
	wanted := map[string]bool{}
	for _, name := range programs {
		wanted[name] = true
	}
	for _, name := range r.names {
		if !wanted[name] {
			q.Done = append(q.Done, explore.Place{Program: name, Iso: r.Level.String()})
		}
	}
	return q
}
