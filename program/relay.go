package program

import (
	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/program/behaviour"
)

// A program runs on a real database server when its Options name one. What a session
// sends is a point of its behaviour tree, and the server's answer chooses the branch. So
// a session's code runs once for each sequence of answers, as under a model. Whoever
// walks the tree decides which session's statement the server gets next.

// OnServer returns a client of the same program on a real database server. Transactions
// that ask for no level have the given one, by the name that the levels of the database
// have. The two clients share nothing.
func (c *Client) OnServer(s access.Server, level string) (*Client, error) {
	opts := c.opts
	opts.Database, opts.Server, opts.Level, opts.Shown = false, s, level, true // outcomes are told apart by what clients see
	return c.similar(opts, nil)
}

// Server is the real server on which the program runs, if it is one of that database:
// postgres or mysql. It is nil where the program runs on none.
func (p *Program) Server(database string) access.Server {
	if s := p.client.opts.Server; s != nil && s.Database() == database {
		return s
	}
	return nil
}

// Relay sends messages to the real server, and waits for the answer.
func (b *Backend) Relay(q *access.Sent) (answer []byte, err error) {
	ended := b.do(func(r *run) {
		b.uses()
		txn := r.txns
		if b.tx != nil {
			txn = b.tx.index
		}
		if b.relayed++; b.relayed > r.client.opts.MaxOps {
			r.unbounded(b.at, "the session sends more statements in a transaction than an exploration allows")
		}
		id := r.ask(&behaviour.Node{Kind: behaviour.Relay, Operation: behaviour.Operation{Sent: q}, Loc: b.at, Txn: int32(txn)})
		answer = []byte(r.client.values.Get(id).(string))
	})
	return answer, ended
}

// Received is the answer that stands for what a server has answered. The error says that
// it is too large.
func (c *Client) Received(answer []byte) (behaviour.ValueID, error) {
	return c.values.Intern(string(answer))
}
