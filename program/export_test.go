package program

// Intern is the ID of a value, for tests.
func Intern(c *Client, v any) ValueID {
	id, err := c.values.intern(v)
	if err != nil {
		panic(err)
	}
	return id
}

// InternError is the error of a value that cannot be stored.
func InternError(v any) error {
	_, err := newValues(maxValueBytes).intern(v)
	return err
}

// ValueTable interns values outside any client.
type ValueTable struct{ t *values }

// NewValueTable returns an empty table.
func NewValueTable() ValueTable { return ValueTable{newValues(maxValueBytes)} }

// ID interns v.
func (t ValueTable) ID(v any) ValueID {
	id, err := t.t.intern(v)
	if err != nil {
		panic(err)
	}
	return id
}

// Get copies a value out.
func (t ValueTable) Get(id ValueID) any { return t.t.get(id) }

// Forget is a copy of the Read n that knows no children.
func Forget(n *Node) *Node {
	return &Node{Kind: n.Kind, Waits: n.Waits, Session: n.Session, Txn: n.Txn, Operation: Operation{Var: n.Var}, Loc: n.Loc, ID: n.ID, Trace: Trace{Events: n.Events}, branch: branch{parent: n.parent, via: n.via}}
}

// KeepEvents forgets what happened since the last point but for the first n
// events, so that a benchmark does not measure how they grow.
func KeepEvents(tx *Tx, n int) { tx.run.events = tx.run.events[:n] }

// Format renders a value.
func (t ValueTable) Format(id ValueID) string { return t.t.format(id) }
