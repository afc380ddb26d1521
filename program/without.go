package program

import (
	"fmt"
	"slices"
)

// Part is a session of a client program, or one of its transactions.
type Part struct {
	Session string
	// Txn is the position of the transaction among the session's calls of Txn and
	// Begin, from 0; -1 stands for the whole session.
	Txn int
}

// String returns the session's name, or that of a transaction as in
// "teller1/2".
func (p Part) String() string {
	if p.Txn < 0 {
		return p.Session
	}
	return fmt.Sprintf("%s/%d", p.Session, p.Txn+1)
}

// Without returns a client of the same program that leaves parts out: such a session
// ends at once, and such a call of Txn returns nil and does nothing. The code between
// Begin and Commit runs all the same. So a transaction that Begin starts is left out by
// keeping it from the database. It reads its own writes and otherwise initial values.
// Nobody sees what it writes, and no history has it. The two clients share nothing.
func (c *Client) Without(parts ...Part) (*Client, error) {
	o, err := c.similar(c.opts, parts)
	if err == nil {
		o.keptOut = c.keptOut
	}
	return o, err
}

// leavesOut reports whether the call txn of the session is left out, or with -1
// the session.
func (r *run) leavesOut(txn int) bool {
	parts := r.client.without
	return len(parts) > 0 && slices.Contains(parts, Part{r.name(), txn})
}
