package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/program/load"
	"github.com/txmc/txmc/report"
)

// process is a harness that explores parts, one after another.
type process struct {
	job    *job
	orders *os.File
	lines  chan []byte   // of the harness; nobody reads those of a part that was given up
	over   chan struct{} // closed when it has ended
	cancel context.CancelFunc

	sending sync.Mutex // over orders

	mu    sync.Mutex // over what follows
	at    harness.Progress
	crash string // how it has ended by itself
}

// start starts the harness of a job, with more variables in its environment.
func start(j *job, binary, dir string, env []string, output io.Writer) (*process, error) {
	config, err := json.Marshal(j.Request)
	if err != nil {
		return nil, err
	}
	in, orders, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &process{job: j, orders: orders, lines: make(chan []byte, 64), over: make(chan struct{}), cancel: cancel}
	go func() {
		defer in.Close()
		defer cancel()
		h := &load.Harness{Binary: binary, Dir: dir}
		said := &printed{to: output}
		out := &harness.Output{To: said, Dir: j.Request.Dir}
		err := h.RunWith(ctx, nil, append(env, harness.Variable+"="+string(config)), in, out, func(line []byte) error {
			select {
			case p.lines <- line:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		out.Close()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.crash = p.ending(err, out, said)
		close(p.over)
	}()
	return p, nil
}

// ending says how the harness has ended, and what it has printed last.
func (p *process) ending(err error, out *harness.Output, said *printed) string {
	var exit *exec.ExitError
	var how string
	if err != nil && !errors.As(err, &exit) {
		how = err.Error()
	} else {
		how = harness.Vanished(p.job.Request.Package, nil, &p.at, exit, out).Message
	}
	switch text := said.text(); {
	case out.Recursion() != nil:
		return how // and that is what it has printed
	case text != "":
		return how + "; it has printed: " + text
	}
	return how + "; it has printed nothing"
}

// ended reports whether the harness has ended.
func (p *process) ended() bool {
	select {
	case <-p.over:
		return true
	default:
		return false
	}
}

// end ends the harness and waits for that.
func (p *process) end() {
	p.cancel()
	<-p.over
	p.orders.Close()
}

// send sends the harness a command.
func (p *process) send(c harness.Command) error {
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	p.sending.Lock()
	defer p.sending.Unlock()
	_, err = p.orders.Write(append(line, '\n'))
	return err
}

// stop ends a part early. The harness may have ended.
func (p *process) stop(id string) { go p.send(harness.Command{Stop: id}) }

// stopWait is how long a harness may take to end a part early.
const stopWait = 2 * time.Second

// do lets the harness explore a part, and returns what that has come to. The counts are
// told now and then. When ctx ends nobody wants the part any more.
func (p *process) do(ctx context.Context, o *explore.Order, count func(counts)) (*result, error) {
	r := &result{}
	go p.send(harness.Command{Order: o}) // a harness that has ended does not read it
	given := ctx.Done()
	var late <-chan time.Time
	for {
		select {
		case line := <-p.lines:
			done, err := r.line(p, line, count)
			if done && r.Error != nil {
				p.end() // its client code runs no more
			}
			if done || err != nil {
				return r, err
			}
		case <-p.over:
			return p.ashes(r, count)
		case <-given:
			go p.send(harness.Command{Leave: o.ID})
			given, late = nil, time.After(stopWait)
		case <-late:
			p.end()
			return nil, ctx.Err()
		}
	}
}

// ashes is the result of a harness that has ended: its last lines may hold it.
func (p *process) ashes(r *result, count func(counts)) (*result, error) {
	for {
		select {
		case line := <-p.lines:
			if done, err := r.line(p, line, count); done || err != nil {
				return r, err
			}
		default:
			p.mu.Lock()
			defer p.mu.Unlock()
			return &result{Crash: p.crash}, nil
		}
	}
}

// line takes a line of the harness. It reports whether it is the last of a part.
func (r *result) line(p *process, line []byte, count func(counts)) (done bool, err error) {
	switch report.Type(line) {
	case harness.TypeProgress:
		var at harness.Progress
		if err := report.Parse(line, &at); err != nil {
			return false, harness.Garbled(err)
		}
		p.mu.Lock()
		p.at = at
		p.mu.Unlock()
		count(counts{at.Histories, at.EndStates, at.Explored, at.Violations})
	case explore.TypePart:
		r.Part = &explore.Part{}
		if err := json.Unmarshal(line, r.Part); err != nil {
			return false, harness.Garbled(err)
		}
		return true, nil
	case report.TypeError:
		r.Error = &report.Error{}
		if err := json.Unmarshal(line, r.Error); err != nil {
			return false, harness.Garbled(err)
		}
		return true, nil
	case report.TypeHistory, report.TypeViolation:
		r.Lines = append(r.Lines, json.RawMessage(line))
	}
	return false, nil
}
