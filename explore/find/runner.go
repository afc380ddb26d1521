package find

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/find/generate"
	"github.com/txmc/txmc/explore/find/source"
	"github.com/txmc/txmc/explore/find/structure"
	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/load"
	"github.com/txmc/txmc/report"
)

// Generated programs run in processes of their own, some side by side. One worker explores
// each program. So the lines about one program have an order, and the lines about different
// programs have none.
//
// Exploration runs the code of sessions again, to see whether it repeats itself. In programs
// as small as these that is most of the work. So a call is run again only in the first
// program that has it.

// mostProcesses bounds the processes that run side by side: each has PostgreSQL's memory.
const mostProcesses = 4

// runner runs a built file, again and again.
type runner struct {
	*finding
	pkg     *load.Package
	harness *load.Harness
	names   []string
	programs
	each func(kind string, line []byte) error
	one  sync.Mutex // takes what is said
	schedules
	quiet bool // what the application prints is kept for errors alone

	harmless map[*structure.Structure]*Benign // structures that ran in runs that are serializable
	env      []string                         // more variables of the processes' environment
}

// programs are those of a round.
type programs struct {
	plans  []*plan
	only   []string         // the invariants that are looked at; nil for all
	now    map[string]*plan // programs of this round
	wanted map[string]bool  // their names
	twice  map[string]bool  // programs whose calls are run again to see whether they repeat themselves
}

// schedules says in which orders the programs run, and where.
type schedules struct {
	server explore.OnServer
	every  bool         // all outcomes are reported
	ways   int          // unless 0, executions are, in which another session goes on so often at most
	few    *explore.Few // schedules on the server; nil for all
}

// build compiles a generated file.
func (r *runner) build(ctx context.Context, file *generate.File, text []byte) (err error) {
	if r.pkg, err = r.source.Generated(file.Package, text, r.names, file.Sets); err != nil {
		return err
	}
	return r.waiting("compiling programs that run the calls", func() (err error) {
		r.harness, err = r.pkg.Build(ctx)
		return err
	})
}

// run runs the programs that are wanted.
func (r *runner) run(ctx context.Context) error {
	shares := r.shares(min(mostProcesses, runtime.GOMAXPROCS(0)))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	for _, share := range shares {
		all.Go(func() {
			if err := r.process(ctx, share); err != nil {
				cancel(err)
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// shares deals the programs that are wanted to processes. Those whose calls are run again
// have one of their own.
func (r *runner) shares(processes int) (list [][]string) {
	var twice, once []string
	for _, name := range r.names {
		switch {
		case r.wanted[name] && r.twice[name]:
			twice = append(twice, name)
		case r.wanted[name]:
			once = append(once, name)
		}
	}
	if len(twice) > 0 {
		list = append(list, twice)
	}
	rest := make([][]string, min(max(1, processes-len(list)), len(once)))
	for i, name := range once {
		rest[i%len(rest)] = append(rest[i%len(rest)], name)
	}
	return append(list, rest...)
}

// fresh are the programs of a round that have calls which no program has had before.
func (r *runner) fresh(known map[*source.Call]bool) map[string]bool {
	twice := map[string]bool{}
	for _, name := range r.names {
		if p := r.now[name]; p != nil {
			for _, c := range p.config.Calls {
				twice[name] = twice[name] || !known[c]
				known[c] = true
			}
		}
	}
	return twice
}

// process runs some programs in a process.
func (r *runner) process(ctx context.Context, programs []string) error {
	config, err := json.Marshal(r.request(programs))
	if err != nil {
		return err
	}
	ended := false
	var kept bytes.Buffer
	first := &harness.First{To: r.Stderr, Most: r.Shown}
	if r.quiet {
		first.To = &kept
	}
	out := &harness.Output{To: first, Dir: r.Config.Dir}
	err = r.harness.Run(ctx, ctx.Done(), append([]string{harness.Variable + "=" + string(config)}, r.env...), out, func(line []byte) error {
		r.one.Lock()
		defer r.one.Unlock()
		kind := report.Type(line)
		if kind == harness.TypeEnd {
			ended = true
			return nil
		}
		return r.each(kind, line)
	})
	out.Close()
	first.Close()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case ended:
		return nil
	}
	kept.WriteTo(r.Stderr) // a process that has died has said why
	switch {
	case err != nil:
		return fmt.Errorf("the process that runs the calls has ended by itself: %w", err)
	}
	return errors.New("the process that runs the calls has ended by itself")
}

// request asks for the exploration of some programs.
func (r *runner) request(programs []string) *harness.Request {
	o := explore.Defaults()
	o.Levels, o.MaxOps, o.MaxTreeBytes, o.Patience = []isolation.Level{r.Level}, 1000, 1<<28, 20e9
	o.Timeout, o.Workers, o.Dir, o.Prints = r.Timeout, 1, r.Config.Dir, r.Shown == 0
	if !r.twice[programs[0]] {
		o.Recheck = 0
	}
	q := &harness.Request{Version: harness.Version, Package: r.pkg.Path, Programs: programs, Options: o, Scope: explore.Scope{All: true, List: r.every, Few: r.few}, Server: r.server}
	q.Scope.Ways, q.Scope.Switches = r.ways > 0, r.ways
	return q
}
