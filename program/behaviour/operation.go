package behaviour

import "github.com/txmc/txmc/program/access"

// Operation is what is asked at a node that Waits.
type Operation struct {
	Var     VarID           // of Read
	Lock    bool            // of Read: a locking read
	Matches bool            // of Change
	How     ReadOption      // of Read in database mode
	Val     ValueID         // of Set and Change
	Depth   int32           // of BackTo and Release: the savepoint's place, from 1
	Query   *Query          // of Ask
	Request *access.Request // of Serve
	Sent    *access.Sent    // of Relay
}

func (p *Operation) same(o *Operation) bool {
	return p.Var == o.Var && p.Lock == o.Lock && p.Matches == o.Matches && p.How == o.How && p.Val == o.Val && p.Depth == o.Depth &&
		p.Query.same(o.Query) && p.Request.Same(o.Request) && p.Sent.Same(o.Sent)
}

// OnDatabase is what a node has in database mode beside its operation.
type OnDatabase struct {
	Auto   bool   // the transaction is this statement
	Joins  bool   // it belongs to the step of the node before
	Conn   int32  // the session's connection on which it is done, from 0
	Joined bool   // the read of the node before, whose answer leads here, is a locking read: see Backend.Join
	Mode   Mode   // of the transaction
	Past   int32  // stands for all that a database has answered to the client before, 0 for nothing
	Level  string // the level that the transaction asks for, or ""
}
