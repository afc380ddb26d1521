package program

import (
	"cmp"
	"maps"
	"slices"
	"sync"
)

// Levels of transactions by their names. The search for the weakest levels that a program
// needs gives transactions other levels than those that the code asks for.

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

// levelled notes that a transaction has begun. asks is the level that it asks for, or "". It
// returns the level that the transaction is given, or "".
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

// LevelOf is the level of the session's next transaction where it is not the one that its
// BEGIN asks for: the levels go by the names of functions. It is "" where none is given, and
// where no BEGIN was sent.
func (b *Backend) LevelOf() string {
	if len(b.run.client.opts.Levels) == 0 || b.begun == 0 || b.tx != nil || b.final {
		return ""
	}
	return b.run.client.opts.levelOf(b.Function())
}
