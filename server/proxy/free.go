package proxy

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/txmc/txmc/program"
)

// A free run: nobody decides who is next. Each session sends its next statement as soon as
// the last one is answered, after a delay by chance, whatever the others do. So the server
// interleaves their statements also inside, as it does in production, and not only between
// them, as in a schedule.

// freedom is what a server keeps for free runs.
type freedom struct {
	free    bool                     // nobody decides who is next
	pausing bool                     // what runs is paused: see pause.go
	usual   map[string]time.Duration // how long statements take, by their messages
}

// freeRun is what an execution has when it is free.
type freeRun struct {
	timed  bool           // a time limit has ended a statement
	chance float64        // of a pause, for each statement
	pauses sync.WaitGroup // that are not over
}

// pace says how long sessions of a run delay at most what they send: the first statement,
// and each of the others.
type pace struct{ first, next time.Duration }

// paces are those of runs. Statements of small programs take some tenths of a millisecond:
// what begins within that time overlaps.
var paces = []pace{
	{0, 0},
	{100 * time.Microsecond, 0},
	{500 * time.Microsecond, 0},
	{200 * time.Microsecond, 100 * time.Microsecond},
	{time.Millisecond, 300 * time.Microsecond},
	{3 * time.Millisecond, time.Millisecond},
}

// freely is one free run, with delays that a seed decides.
func (s *Server) freely(ctx context.Context, client *program.Client, seed uint64) (o *result, err error) {
	x, err := s.atFirst(ctx, client)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, x.finish()) }()
	err = x.runFree(rand.New(rand.NewPCG(seed, 0)))
	x.pauses.Wait()
	if err != nil {
		return nil, err
	}
	o = &result{lines: x.lines, timed: x.timed}
	if o.ends, o.failures, err = x.judge(); err != nil {
		return nil, err
	}
	o.left, err = x.db.Left(ctx)
	return o, err
}

// runFree runs all sessions to their ends.
func (x *execution) runFree(r *rand.Rand) error {
	x.last.session = -1 // there are no steps
	p := paces[r.IntN(len(paces))]
	x.chance = []float64{0, 0.3, 0.7}[r.IntN(3)]
	for i := range x.sessions {
		if x.ready(i) {
			if err := x.connect(i); err != nil {
				return err
			}
		}
	}
	order := r.Perm(len(x.sessions))
	if err := x.launch(order, p.first, r); err != nil {
		return err
	}
	for x.inFlight() > 0 {
		select {
		case <-x.ctx.Done():
			return x.ctx.Err()
		case <-time.After(x.limit):
			return x.unanswered()
		case answer := <-x.replies:
			x.took(answer)
			if err := x.receive(answer); err != nil {
				return err
			}
			if err := x.launch(order, p.next, r); err != nil {
				return err
			}
		}
	}
	return x.ended()
}

// launch lets all sessions send that have something to send, each after at most so long.
func (x *execution) launch(order []int, most time.Duration, r *rand.Rand) error {
	for _, i := range order {
		if !x.ready(i) {
			continue
		}
		delay := time.Duration(0)
		if most > 0 {
			delay = time.Duration(r.Int64N(int64(most)))
		}
		switch x.dialect.Kind(x.sessions[i].node.Sent) {
		case Runs, Commits, RollsBack:
			x.number++
			x.line(i)
		}
		if err := x.connect(i); err != nil {
			return err
		}
		pause := x.pause(i, r)
		if err := x.sendAfter(i, func() { wait(delay); pause() }); err != nil {
			return err
		}
	}
	return nil
}

// unanswered is the error of a run in which no statement has been answered for long.
func (x *execution) unanswered() error {
	free, err := x.running()
	if err != nil {
		return err
	}
	if free >= 0 {
		return x.late(free)
	}
	return x.ended()
}
