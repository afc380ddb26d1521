package program

import (
	"cmp"
	"maps"
	"slices"
	"sync"
)

// Levels of transactions by their names: who looks for the weakest that a program can do
// with gives them levels in place of those that the code asks for.

// begun are the names of the transactions that sessions have begun, but for operations in
// autocommit: what can have a level of its own.
type begun struct {
	mu    sync.Mutex
	names map[string]bool
}

// Transactions lists the names of the transactions that sessions have begun so far, in
// order. Those of Setups and Finals, and operations in autocommit, are not among them.
func (c *Client) Transactions() []string {
	c.begun.mu.Lock()
	defer c.begun.mu.Unlock()
	return slices.Sorted(maps.Keys(c.begun.names))
}

// levelled notes that a transaction has begun, and returns the level that it is given; ""
// for none.
func (c *Client) levelled(name string) string {
	c.begun.mu.Lock()
	defer c.begun.mu.Unlock()
	if c.begun.names == nil {
		c.begun.names = map[string]bool{}
	}
	c.begun.names[name] = true
	return c.opts.levelOf(name)
}

// levelOf is the level that transactions of a name are given.
func (o *Options) levelOf(name string) string { return cmp.Or(o.Levels[name], o.Levels[""]) }

// levelled reports whether the transaction can have a level of its own.
func (tx *Tx) levelled() bool {
	session := tx.run.session
	return session >= 0 && session < len(tx.run.program.sessions) && !tx.auto && !tx.alone
}

// LevelOf is the level that the transaction which the session begins next is given in
// place of what its BEGIN asks for, by the name of its function; "" for none, and where no
// BEGIN was sent.
func (b *Backend) LevelOf() string {
	if len(b.run.client.opts.Levels) == 0 || b.begun == 0 || b.tx != nil || b.final {
		return ""
	}
	return b.run.client.opts.levelOf(b.Function())
}
