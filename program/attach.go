package program

import (
	"errors"
	"sync"
	"time"

	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/program/repeat"
)

// Attachment returns what make returned the first time that the client's program
// asked for key: what a database keeps for all runs of a program, such as its
// schema. The time that make takes does not count against Options.Patience. When
// make fails, the exploration ends with its error, at the line that asked, or that the
// error is about: see [Placed].
func (p *Program) Attachment(key string, make func() (any, error)) any {
	loc := p.declaring("Attachment")
	c := p.client
	v, err := c.attached.get(key, func() (any, error) {
		since, began := c.since.Swap(0), now()
		defer func() { c.since.Store(since + int64(now().Sub(began))) }()
		return make()
	})
	if err != nil {
		e := &behaviour.Error{Kind: behaviour.Misuse, Program: c.Name, Message: err.Error(), At: c.Location(p.run.here(loc))}
		locate(e, err)
		p.run.fail(e)
	}
	return v
}

// Placed is an error about a line of the user's code.
type Placed interface {
	error
	// Place is the line, of a file with its whole path; "" when it is not known.
	Place() (file string, line int)
	// Reason is the error's text without the place.
	Reason() string
}

// locate makes e an error at the line that its cause is about. Its message does not repeat the
// line, unless something stands around the cause's text.
func locate(e *behaviour.Error, cause error) {
	var p Placed
	if !errors.As(cause, &p) {
		return
	}
	if file, line := p.Place(); file != "" {
		e.At.File, e.At.Line = file, line
		if p.Error() == cause.Error() {
			e.Message = p.Reason()
		}
	}
}

// now is the usual time, also where a run has its own.
func now() (t time.Time) {
	repeat.Apart(func() { t = time.Now() })
	return t
}

// Patience returns how long a step of what runs for the program may take: see
// Options.Patience.
func (p *Program) Patience() time.Duration { return p.client.opts.Patience }

// attachments are made once.
type attachments struct {
	mu   sync.Mutex
	made map[string]any
}

func (a *attachments) get(key string, make func() (any, error)) (any, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if v, ok := a.made[key]; ok {
		return v, nil
	}
	v, err := make()
	if err != nil {
		return nil, err
	}
	if a.made == nil {
		a.made = map[string]any{}
	}
	a.made[key] = v
	return v, nil
}
