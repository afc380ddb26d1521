package program

import "github.com/txmc/txmc/program/behaviour"

// Intern is the ID of a value, for tests.
func Intern(c *Client, v any) behaviour.ValueID {
	id, err := c.values.Intern(v)
	if err != nil {
		panic(err)
	}
	return id
}

// InternError is the error of a value that cannot be stored.
func InternError(v any) error {
	_, err := behaviour.NewValues(behaviour.DefaultValueBytes).Intern(v)
	return err
}

// Forget is a copy of the Read n that knows no children.
func Forget(n *behaviour.Node) *behaviour.Node {
	m := &behaviour.Node{Kind: n.Kind, Waits: n.Waits, Session: n.Session, Txn: n.Txn, Operation: behaviour.Operation{Var: n.Var}, Loc: n.Loc, ID: n.ID, Trace: behaviour.Trace{Events: n.Events}}
	m.Follow(n.Before(), n.Value())
	return m
}

// KeepEvents forgets what happened since the last point but for the first n
// events, so that a benchmark does not measure how they grow.
func KeepEvents(tx *Tx, n int) { tx.run.events = tx.run.events[:n] }
