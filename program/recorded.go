package program

import (
	"cmp"
	"slices"

	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/program/behaviour"
)

// What the sessions have been seen to do, as data. A Client numbers nodes, variables and
// values. Client code is deterministic: so these numbers follow from the order in which
// sessions were run, and from the answers of a database. A process that runs them in the
// same order again, and gives answers the numbers that they had, gets the same numbers.

// Recording is one run of a session from an answer to its next wait or its end, or of the
// function of a statement on a table.
type Recording struct {
	Session int   `json:"s"`
	After   int64 `json:"a"` // the ID of the node that got the answer; -1 at the session's beginning
	// Answer is the answer that the node got, or the value of Row.
	Answer behaviour.ValueID `json:"v,omitempty"`
	// Row is the row of which the statement at the node was asked what it makes; nil where
	// the session has gone on.
	Row *behaviour.VarID `json:"x,omitempty"`
	ID  int64            `json:"i"` // of the first node that was recorded after it
}

// Recordings lists what was recorded, in the order in which it was. Call it when no
// exploration runs, or when all its workers rest.
func (c *Client) Recordings() []Recording {
	list := slices.Clone(c.evaluated)
	var walk func(n *behaviour.Node, r Recording)
	walk = func(n *behaviour.Node, r Recording) {
		r.ID = n.ID
		list = append(list, r)
		for n != nil && !n.Waits {
			n = n.Next()
		}
		if n == nil {
			return
		}
		for answer, m := range n.Answered() {
			walk(m, Recording{Session: r.Session, After: n.ID, Answer: answer})
		}
	}
	for i := range c.trees {
		if root := c.trees[i].root; root != nil {
			walk(root, Recording{Session: i, After: -1})
		}
	}
	slices.SortStableFunc(list, func(a, b Recording) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// Answers lists what a database has answered, where no session has had that value before.
// Call it when Recordings may be called.
func (c *Client) Answers() []behaviour.Answered { return c.values.Listed() }

// Record makes the recordings again, of the same program in another process. It
// reports whether they got the same numbers. The error is the program's.
func (c *Client) Record(list []Recording, answers []behaviour.Answered) (same bool, err error) {
	if !c.values.Plan(answers) {
		return false, nil
	}
	nodes := map[int64]*behaviour.Node{}
	for _, r := range list {
		if r.Row != nil {
			if same, err := c.evaluateAgain(r, nodes[r.After]); err != nil || !same {
				return false, err
			}
			continue
		}
		n, err := c.recordAgain(r, nodes)
		if err != nil || n == nil || n.ID != r.ID {
			return false, err
		}
		for ; n != nil; n = n.Next() {
			nodes[n.ID] = n
		}
	}
	for _, a := range answers { // that no session has had yet
		if !c.values.Reach(a.ID) {
			return false, nil
		}
	}
	return true, nil
}

// evaluateAgain asks a statement on a table what it makes of a row. It reports whether the
// statement can be asked.
func (c *Client) evaluateAgain(r Recording, n *behaviour.Node) (same bool, err error) {
	if n == nil || int(n.Session) != r.Session || n.Kind != behaviour.Ask || !n.Query.Judged || !c.values.Reach(r.Answer) || !c.inTable(n.Query, behaviour.Item{Var: *r.Row, Val: r.Answer}) {
		return false, nil
	}
	_, err = c.Evaluate(n, *r.Row, r.Answer)
	return true, err
}

// inTable reports whether an item is a row of the table of a statement.
func (c *Client) inTable(q *behaviour.Query, i behaviour.Item) bool {
	c.varMu.RLock()
	defer c.varMu.RUnlock()
	r, ok := c.rows[i.Var]
	return ok && r.table != nil && r.table.number == q.Table && i.Val > 0 && int(i.Val) < c.values.Len()
}

// recordAgain runs the session on; nil where it does not stand there, or the answer is
// none.
func (c *Client) recordAgain(r Recording, nodes map[int64]*behaviour.Node) (*behaviour.Node, error) {
	if r.After < 0 {
		if r.Session < 0 || r.Session >= len(c.trees) {
			return nil, nil
		}
		return c.Root(r.Session)
	}
	n := nodes[r.After]
	if n == nil || int(n.Session) != r.Session || !n.Waits || r.Answer >= 0 && !c.values.Reach(r.Answer) || !c.takes(n, r.Answer) {
		return nil, nil
	}
	return c.Child(n, r.Answer)
}

// takes reports whether an answer is one that the session can go on with at a node that
// waits.
func (c *Client) takes(n *behaviour.Node, answer behaviour.ValueID) bool {
	switch {
	case answer == behaviour.Done:
		return n.Kind != behaviour.Read && n.Kind != behaviour.Find && n.Kind != behaviour.Ask && n.Kind != behaviour.Serve
	case answer == behaviour.NoRow:
		return n.Kind == behaviour.Read || n.Kind == behaviour.Find || n.Kind == behaviour.Change || n.Kind == behaviour.Set
	case answer < 0:
		return behaviour.ErrorOf(answer) != nil && n.Kind != behaviour.Serve
	case n.Kind == behaviour.Ask:
		return c.takesRows(n.Query, answer)
	case n.Kind == behaviour.Serve:
		return c.takesVersions(n.Request, answer)
	}
	return true
}

// takesRows reports whether a value is what a statement on a table may return: rows of
// the table, or a count.
func (c *Client) takesRows(q *behaviour.Query, answer behaviour.ValueID) bool {
	if _, counts := c.values.Get(answer).(int); counts {
		return q.Verb == behaviour.DeleteRows || q.Verb == behaviour.InsertRow
	}
	_, rows := c.values.Get(answer).([]int32)
	return rows && q.Verb != behaviour.DeleteRows && q.Verb != behaviour.InsertRow &&
		!slices.ContainsFunc(c.Listed(answer), func(i behaviour.Item) bool { return !c.inTable(q, i) })
}

// takesVersions reports whether a value is what a Request may be answered.
func (c *Client) takesVersions(q *access.Request, answer behaviour.ValueID) bool {
	text, ok := c.values.Get(answer).(string)
	if !ok {
		return false
	}
	const mostNames = 1 << 20
	a, err := access.Decode(text)
	return err == nil && a.Fits(q.Kind) && !slices.ContainsFunc(a.Versions, func(v access.Version) bool {
		return v.Name < 0 || v.Name > mostNames || !c.Storage().Known(v.Value)
	})
}
