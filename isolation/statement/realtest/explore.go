// Package realtest runs programs of statements on real servers, once for each
// interleaving, and collects their outcomes. Only tests import it. Explore is
// the same for all databases; a Server drives one of them.
package realtest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/txmc/txmc/isolation/statement"
)

// Server is a database server with numbered sessions.
type Server interface {
	// Prepare sets the schema and the levels for a program.
	Prepare(ctx context.Context, p *statement.Program) error
	// Reset puts the tables into the program's initial state.
	Reset(ctx context.Context) error
	// Send starts a session's action.
	Send(session int, a statement.Action)
	// Settle waits until each action that was sent has returned or is blocked by
	// a session that will not move by itself. It returns what came back.
	Settle(ctx context.Context) ([]Reply, error)
	// RollbackNow sends ROLLBACK and waits for its end.
	RollbackNow(ctx context.Context, session int) error
	// Final reads the tables.
	Final(ctx context.Context) (statement.Tables, error)
}

// Reply is the result of a session's action.
type Reply struct {
	Session int
	Result  statement.Result
	Err     error // the connection broke
}

// ErrStray means that the server did not repeat the beginning of a schedule, again
// and again: timing decided otherwise, on a machine that is too busy.
var ErrStray = errors.New("the server does not repeat the beginning of a schedule")

// maxStrays is how often a program may stray before Explore gives up.
const maxStrays = 20

// Explore runs all interleavings of a program and records the outcomes. The error
// is ErrStray where the server cannot be made to repeat itself.
func Explore(ctx context.Context, srv Server, p *statement.Program) (*statement.Recorded, error) {
	if err := srv.Prepare(ctx, p); err != nil {
		return nil, fmt.Errorf("preparing: %w", err)
	}
	rec := &statement.Recorded{Program: *p, Outcomes: map[string]string{}}
	var prefix []int
	for strays := 0; ; {
		e, err := newExecution(ctx, srv, p, prefix)
		if err == nil {
			err = e.run(ctx)
		}
		switch {
		case errors.Is(err, ErrStray) && strays < maxStrays:
			strays++
			continue
		case err != nil:
			return nil, err
		}
		rec.Executions++
		if _, known := rec.Outcomes[e.outcome]; !known {
			rec.Outcomes[e.outcome] = scheduleText(e.schedule)
		}
		if prefix = e.next(); prefix == nil {
			return rec, nil
		}
	}
}

func scheduleText(schedule []int) string {
	b := make([]byte, len(schedule))
	for i, s := range schedule {
		b[i] = byte('0' + s)
	}
	return string(b)
}

// execution is one run of a program: prefix first, then always the first session
// that is ready.
type execution struct {
	srv      Server
	program  *statement.Program
	prefix   []int
	clients  []statement.Client
	results  [][]string
	busy     []bool
	schedule []int
	ready    [][]int // the sessions that were ready at each step
	outcome  string
}

func newExecution(ctx context.Context, srv Server, p *statement.Program, prefix []int) (*execution, error) {
	n := len(p.Sessions)
	e := &execution{srv: srv, program: p, prefix: prefix,
		clients: make([]statement.Client, n), results: make([][]string, n), busy: make([]bool, n)}
	if err := srv.Reset(ctx); err != nil {
		return nil, fmt.Errorf("resetting: %w", err)
	}
	return e, nil
}

func (e *execution) action(s int) statement.Action { return e.clients[s].Next(e.program.Sessions[s]) }

// run takes steps until all sessions have ended.
func (e *execution) run(ctx context.Context) error {
	for {
		var ready []int
		for s := range e.clients {
			if !e.busy[s] && e.action(s).Kind != statement.Done {
				ready = append(ready, s)
			}
		}
		if len(ready) == 0 {
			return e.end(ctx)
		}
		s := ready[0]
		if k := len(e.schedule); k < len(e.prefix) {
			if s = e.prefix[k]; !slices.Contains(ready, s) {
				return errors.Join(ErrStray, e.drain(ctx))
			}
		}
		e.schedule, e.ready = append(e.schedule, s), append(e.ready, ready)
		if err := e.step(ctx, s); err != nil {
			return err
		}
	}
}

func (e *execution) end(ctx context.Context) error {
	if slices.Contains(e.busy, true) {
		return fmt.Errorf("every session is blocked after schedule %s", scheduleText(e.schedule))
	}
	final, err := e.srv.Final(ctx)
	if err != nil {
		return fmt.Errorf("reading the tables: %w", err)
	}
	e.outcome = e.program.Outcome(e.results, final)
	return nil
}

// step sends the session's action and lets everything settle. A ROLLBACK in the
// same step may release others.
func (e *execution) step(ctx context.Context, s int) error {
	e.busy[s] = true
	e.srv.Send(s, e.action(s))
	for again := true; again; {
		again = false
		replies, err := e.srv.Settle(ctx)
		if err != nil {
			return err
		}
		for _, r := range replies {
			rollback := e.receive(r)
			if rollback {
				again = true
				if err := e.srv.RollbackNow(ctx, r.Session); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (e *execution) receive(r Reply) (rollback bool) {
	e.busy[r.Session] = false
	e.results[r.Session] = append(e.results[r.Session], r.Result.String())
	e.clients[r.Session], rollback = e.clients[r.Session].After(e.program.Sessions[r.Session], e.program.DB, r.Result)
	return rollback
}

// drain rolls everything back.
func (e *execution) drain(ctx context.Context) error {
	for {
		for s, busy := range e.busy {
			if !busy {
				if err := e.srv.RollbackNow(ctx, s); err != nil {
					return err
				}
			}
		}
		if !slices.Contains(e.busy, true) {
			return nil
		}
		replies, err := e.srv.Settle(ctx)
		if err != nil {
			return err
		}
		if len(replies) == 0 {
			return errors.New("blocked sessions stay blocked after everybody else has rolled back")
		}
		for _, r := range replies {
			e.busy[r.Session] = false
		}
	}
}

// next is the beginning of the next schedule in lexicographic order, nil after
// the last one.
func (e *execution) next() []int {
	for k := len(e.schedule) - 1; k >= 0; k-- {
		for _, r := range e.ready[k] {
			if r > e.schedule[k] {
				return append(slices.Clone(e.schedule[:k]), r)
			}
		}
	}
	return nil
}
