package program

import (
	"time"

	"github.com/txmc/txmc/program/behaviour"
)

// Client code runs only in a turn, and a stuck client keeps its turn for ever.
// So nobody waits for a turn without looking whether the one that has it is
// stalled, and Stalled, Busy and Err need no turn.

// awaitTurn waits for the turn. It returns the client's first error instead when
// there is one, or when the turn will not come.
func (c *Client) awaitTurn() error {
	if err := c.Err(); err != nil {
		return err
	}
	select {
	case c.turn <- struct{}{}:
	default:
		if err := c.queue(); err != nil {
			return err
		}
	}
	if err := c.Err(); err != nil {
		c.give()
		return err
	}
	return nil
}

func (c *Client) queue() error {
	tick := time.NewTicker(c.watchEvery())
	defer tick.Stop()
	for {
		select {
		case c.turn <- struct{}{}:
			return nil
		case <-tick.C:
			if err := c.Stalled(); err != nil {
				return err
			}
		}
	}
}

// watchEvery is the time between two looks at whether client code is stalled.
func (c *Client) watchEvery() time.Duration { return max(c.opts.Patience/10, time.Millisecond) }

// give ends the turn.
func (c *Client) give() {
	if c.Err() != nil {
		c.retireAll()
	}
	<-c.turn
}

// report keeps err when it is the first error.
func (c *Client) report(err *behaviour.Error) {
	if now := c.running.Load(); now != nil && (err.Kind == behaviour.Exited || err.Kind == behaviour.Crashed || err.Kind == behaviour.Stalled) && c.failed.Load() == nil {
		err.Printed = now.lastLines(mostLast)
	}
	c.failed.CompareAndSwap(nil, err)
}

// Err returns the first error, an [*behaviour.Error], or nil. Some errors are noticed when nobody
// can return them, such as a call of the API from a goroutine that the client started.
// So ask at the end of an exploration.
func (c *Client) Err() error {
	if err := c.failed.Load(); err != nil {
		return err
	}
	return nil
}

// Park ends the coroutines that wait for a next read. They are started again on
// demand. Call it at the end of an exploration; otherwise they leak. It does
// nothing while client code runs, which may be stuck.
func (c *Client) Park() {
	select {
	case c.turn <- struct{}{}:
		c.retireAll()
		<-c.turn
	default:
	}
}

func (c *Client) retireAll() {
	for i := range c.trees {
		c.retire(i)
	}
}

func (c *Client) retire(session int) {
	if r := c.trees[session].asked; r != nil {
		c.trees[session].asked = nil
		r.close()
	}
	if r := c.trees[session].live; r != nil {
		c.trees[session].live = nil
		r.close()
	}
}
