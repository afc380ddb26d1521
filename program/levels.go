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
	asked map[string]string // the level that the code asks for, of those that ask
}

// Transactions lists the names of the transactions that sessions have begun so far, in
// order. Those of Setups and Finals, and operations in autocommit, are not among them.
func (c *Client) Transactions() []string {
	c.begun.mu.Lock()
	defer c.begun.mu.Unlock()
	return slices.Sorted(maps.Keys(c.begun.names))
}

// Asking returns the first by name of the transactions that ask for a level of their own, and
// that level; "" where none does.
func (c *Client) Asking() (name, level string) {
	c.begun.mu.Lock()
	defer c.begun.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(c.begun.asked)) {
		return name, c.begun.asked[name]
	}
	return "", ""
}

// levelled notes that a transaction has begun, which asks for a level or for none, and returns
// the level that it is given; "" for none.
func (c *Client) levelled(name, asks string) string {
	c.begun.mu.Lock()
	defer c.begun.mu.Unlock()
	if c.begun.names == nil {
		c.begun.names, c.begun.asked = map[string]bool{}, map[string]string{}
	}
	c.begun.names[name] = true
	if asks != "" {
		c.begun.asked[name] = asks
	}
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
