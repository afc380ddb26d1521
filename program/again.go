package program

import (
	"errors"
	"fmt"

	"github.com/txmc/txmc/program/behaviour"
)

// ErrAgain is returned by Root and Child when a [Backend] has asked for the
// exploration to begin once more: see [Client.Renew].
var ErrAgain = errors.New("the exploration has to begin again with what it has found")

// news is why an exploration has to begin again.
type news struct {
	session   string
	statement string
	at        behaviour.Loc
}

// UsesBackend reports whether a [Backend] reads and writes for the sessions.
func (c *Client) UsesBackend() bool { return c.backend.Load() }

// Grows reports whether rows may become known while the program runs, so that the
// exploration at an axiomatic level has to begin again.
func (c *Client) Grows() bool { return !c.opts.Database && (c.UsesBackend() || len(c.tables) > 0) }

// Again returns ErrAgain when the exploration has to begin again.
func (c *Client) Again() error {
	if c.anew.Load() != nil {
		return ErrAgain
	}
	return nil
}

// Again asks for the exploration to begin once more: this one has found a row of a
// table that earlier operations would have looked at, had it been known, by a
// statement. Root and Child return ErrAgain from then on. When a session brings in
// other rows each time, although it has read the same, the exploration ends.
func (b *Backend) Again(statement, table string, row map[string]any) error {
	c := b.run.client
	c.anew.Store(&news{b.run.name(), statement, b.at})
	o := b.occasion
	o.session, o.at = b.run.name(), b.at
	before, tooOften := c.newcomers.note(o, row)
	if !tooOften {
		return nil
	}
	return b.do(func(r *run) {
		r.fail(&behaviour.Error{Kind: behaviour.Nondeterminism, Program: c.Name, Session: o.session, Message: fickle(statement, table, row, before), At: c.Location(b.at)})
	})
}

// Endless is the error of a program of which something new becomes known in
// every one of many rounds. It names what the last one met.
func (c *Client) Endless(rounds int) error {
	n := c.anew.Load()
	if n == nil {
		n = &news{}
	}
	return &behaviour.Error{Kind: behaviour.Unbounded, Program: c.Name, Session: n.session, At: c.Location(n.at), Message: fmt.Sprintf(
		"the exploration has begun again %d times, as new rows become known each time, the last by %q: "+
			"let it insert rows of fewer different keys", rounds, n.statement)}
}

// Renew forgets all behaviours and runs the Setups afresh, for an exploration
// that begins once more. Variables and values keep their numbers. No exploration
// may be running.
func (c *Client) Renew() error {
	if err := c.awaitTurn(); err != nil {
		return err
	}
	defer c.give()
	c.retireAll()
	c.trees = make([]tree, len(c.trees))
	c.judged = nil
	c.anew.Store(nil)
	c.kept.found.Clear()
	c.newcomers.renew()
	for _, t := range c.tables {
		t.scanned = false
	}
	_, initial, err := c.setUp(nil)
	if err == nil {
		c.initial = initial
	}
	return err
}
