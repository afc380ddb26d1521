package mariadb

import (
	"context"
	"fmt"
	"slices"

	"github.com/txmc/txmc/isolation/statement"
)

// Step is what one session did, and what returned before everything settled.
type Step struct {
	Session int
	SQL     string
	Done    []Completion
}

// Completion is a result that a session has received.
type Completion struct {
	Session int
	Result  statement.Result
}

// Execution is one complete run of a program.
type Execution struct {
	Steps   []Step
	Outcome string
	ready   [][]int // before each step: the sessions that were not blocked
}

// Explore runs every interleaving of a program, depth first, and calls visit
// with each execution. It ends with the first error: of the server, or of visit.
func (r *Runner) Explore(ctx context.Context, p *statement.Program, visit func(*Execution) error) error {
	if err := r.prepare(ctx, p); err != nil {
		return err
	}
	for prefix := []int{}; prefix != nil; {
		e, err := r.execute(ctx, p, prefix)
		if err != nil {
			return err
		}
		if err := visit(e); err != nil {
			return err
		}
		prefix = e.next()
	}
	return nil
}

// next is the prefix of the next schedule in lexicographic order, nil after the
// last one.
func (e *Execution) next() []int {
	for k := len(e.Steps) - 1; k >= 0; k-- {
		for _, s := range e.ready[k] {
			if s <= e.Steps[k].Session {
				continue
			}
			prefix := make([]int, k+1)
			for i := range k {
				prefix[i] = e.Steps[i].Session
			}
			prefix[k] = s
			return prefix
		}
	}
	return nil
}

// execution is a run in progress.
type execution struct {
	*Runner
	p        *statement.Program
	clients  []statement.Client
	results  [][]string
	blocked  []bool
	inflight int
}

func (r *Runner) execute(ctx context.Context, p *statement.Program, prefix []int) (*Execution, error) {
	if err := r.reset(ctx, p); err != nil {
		return nil, err
	}
	n := len(p.Sessions)
	x := &execution{r, p, make([]statement.Client, n), make([][]string, n), make([]bool, n), 0}
	e := &Execution{}
	for {
		ready := x.ready()
		if len(ready) == 0 {
			break
		}
		s := ready[0]
		if k := len(e.Steps); k < len(prefix) {
			s = prefix[k]
		}
		if !slices.Contains(ready, s) {
			return nil, fmt.Errorf("session %d is blocked where it was not before: %v", s, e.Steps)
		}
		step, err := x.step(ctx, s)
		if err != nil {
			return nil, err
		}
		e.Steps, e.ready = append(e.Steps, step), append(e.ready, ready)
	}
	if x.inflight > 0 {
		return nil, fmt.Errorf("every session is blocked: %v", e.Steps)
	}
	final, err := r.final(ctx, p)
	e.Outcome = p.Outcome(x.results, final)
	return e, err
}

func (x *execution) ready() (out []int) {
	for i, c := range x.clients {
		if !x.blocked[i] && c.Next(x.p.Sessions[i]).Kind != statement.Done {
			out = append(out, i)
		}
	}
	return out
}

// step lets a session do its next action.
func (x *execution) step(ctx context.Context, s int) (Step, error) {
	a := x.clients[s].Next(x.p.Sessions[s])
	step := Step{Session: s, SQL: a.SQL(x.p, s)}
	t := &x.p.Sessions[s][a.Txn]
	if a.First || t.Auto {
		if err := x.setLevel(ctx, s, x.p.LevelOf(t)); err != nil {
			return step, err
		}
	}
	x.blocked[s] = true
	x.inflight++
	x.send(ctx, x.p, s, a)
	replies, err := x.settle(ctx, x.inflight)
	if err != nil {
		return step, err
	}
	for _, a := range replies {
		x.inflight--
		x.blocked[a.session] = false
		x.results[a.session] = append(x.results[a.session], a.result.String())
		x.clients[a.session], _ = x.clients[a.session].After(x.p.Sessions[a.session], x.p.DB, a.result)
		step.Done = append(step.Done, Completion{a.session, a.result})
	}
	return step, nil
}
