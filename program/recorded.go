package program

import (
	"cmp"
	"slices"

	"github.com/txmc/txmc/program/access"
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
	Answer ValueID `json:"v,omitempty"`
	// Row is the row of which the statement at the node was asked what it makes; nil where
	// the session has gone on.
	Row *VarID `json:"x,omitempty"`
	ID  int64  `json:"i"` // of the first node that was recorded after it
}

// Recordings lists what was recorded, in the order in which it was. Call it when no
// exploration runs, or when all its workers rest.
func (c *Client) Recordings() []Recording {
	list := slices.Clone(c.evaluated)
	var walk func(n *Node, r Recording)
	walk = func(n *Node, r Recording) {
		r.ID = n.ID
		list = append(list, r)
		for n != nil && !n.Waits {
			n = n.next
		}
		if n == nil {
			return
		}
		if kids := n.kids.Load(); kids != nil {
			for _, k := range *kids {
				walk(k.node, Recording{Session: r.Session, After: n.ID, Answer: k.val})
			}
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
func (c *Client) Answers() []Answered { return c.values.listed() }

// Record makes the recordings again, of the same program in another process. It
// reports whether they got the same numbers. The error is the program's.
func (c *Client) Record(list []Recording, answers []Answered) (same bool, err error) {
	if !c.values.plan(answers) {
		return false, nil
	}
	nodes := map[int64]*Node{}
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
		for ; n != nil; n = n.next {
			nodes[n.ID] = n
		}
	}
	for _, a := range answers { // that no session has had yet
		if !c.values.reach(a.ID) {
			return false, nil
		}
	}
	return true, nil
}

// evaluateAgain asks a statement on a table what it makes of a row. It reports whether the
// statement can be asked.
func (c *Client) evaluateAgain(r Recording, n *Node) (same bool, err error) {
	if n == nil || int(n.Session) != r.Session || n.Kind != Ask || !n.Query.Judged || !c.values.reach(r.Answer) || !c.inTable(n.Query, Item{*r.Row, r.Answer}) {
		return false, nil
	}
	_, err = c.Evaluate(n, *r.Row, r.Answer)
	return true, err
}

// inTable reports whether an item is a row of the table of a statement.
func (c *Client) inTable(q *Query, i Item) bool {
	c.varMu.RLock()
	defer c.varMu.RUnlock()
	r, ok := c.rows[i.Var]
	return ok && r.table != nil && r.table.number == q.Table && i.Val > 0 && int(i.Val) < c.values.len()
}

// recordAgain runs the session on; nil where it does not stand there, or the answer is
// none.
func (c *Client) recordAgain(r Recording, nodes map[int64]*Node) (*Node, error) {
	if r.After < 0 {
		if r.Session < 0 || r.Session >= len(c.trees) {
			return nil, nil
		}
		return c.Root(r.Session)
	}
	n := nodes[r.After]
	if n == nil || int(n.Session) != r.Session || !n.Waits || r.Answer >= 0 && !c.values.reach(r.Answer) || !c.takes(n, r.Answer) {
		return nil, nil
	}
	return c.Child(n, r.Answer)
}

// takes reports whether an answer is one that the session can go on with at a node that
// waits.
func (c *Client) takes(n *Node, answer ValueID) bool {
	switch {
	case answer == Done:
		return n.Kind != Read && n.Kind != Find && n.Kind != Ask && n.Kind != Serve
	case answer == NoRow:
		return n.Kind == Read || n.Kind == Find || n.Kind == Change || n.Kind == Set
	case answer < 0:
		return ErrorOf(answer) != nil && n.Kind != Serve
	case n.Kind == Ask:
		return c.takesRows(n.Query, answer)
	case n.Kind == Serve:
		return c.takesVersions(n.Request, answer)
	}
	return true
}

// takesRows reports whether a value is what a statement on a table may return: rows of
// the table, or a count.
func (c *Client) takesRows(q *Query, answer ValueID) bool {
	if _, counts := c.values.get(answer).(int); counts {
		return q.Verb == DeleteRows || q.Verb == InsertRow
	}
	_, rows := c.values.get(answer).([]int32)
	return rows && q.Verb != DeleteRows && q.Verb != InsertRow &&
		!slices.ContainsFunc(c.Listed(answer), func(i Item) bool { return !c.inTable(q, i) })
}

// takesVersions reports whether a value is what a Request may be answered.
func (c *Client) takesVersions(q *access.Request, answer ValueID) bool {
	text, ok := c.values.get(answer).(string)
	if !ok {
		return false
	}
	const mostNames = 1 << 20
	a, err := access.Decode(text)
	return err == nil && a.Fits(q.Kind) && !slices.ContainsFunc(a.Versions, func(v access.Version) bool {
		return v.Name < 0 || v.Name > mostNames || !c.Storage().Known(v.Value)
	})
}
