package program

import "github.com/txmc/txmc/program/behaviour"

// question is asked of a session that waits at a statement on a table: what the
// statement makes of a row.
type question struct {
	item    behaviour.Item
	verdict behaviour.Verdict
}

// Evaluate returns what the statement at n, which is Judged, makes of a row with a
// value. It runs the function that the client has given to the statement, in a run of
// its own: what the function leaves in variables does not count.
func (c *Client) Evaluate(n *behaviour.Node, x behaviour.VarID, v behaviour.ValueID) (behaviour.Verdict, error) {
	if known, ok := n.Query.Verdict(x, v); ok {
		return known, nil
	}
	if err := c.awaitTurn(); err != nil {
		return behaviour.Verdict{}, err
	}
	defer c.give()
	t := &c.trees[n.Session]
	if t.asked == nil || t.asked.last != n {
		if t.asked != nil {
			t.asked.close()
		}
		var err error
		if t.asked, err = c.replay(n); err != nil {
			t.asked = nil
			return behaviour.Verdict{}, err
		}
	}
	r := t.asked
	r.question = &question{item: behaviour.Item{Var: x, Val: v}}
	if err := r.resume(); err != nil {
		return behaviour.Verdict{}, err
	}
	verdict := r.question.verdict
	n.Query.Keep(x, v, verdict)
	c.evaluated = append(c.evaluated, Recording{Session: int(n.Session), After: n.ID, Row: &x, Answer: v, ID: c.nodes})
	return verdict, nil
}

// judge answers the question that a run has been asked. A function of a statement stands
// for an expression in SQL, which does not panic.
func (r *run) judge() {
	defer func() {
		if v := recover(); v != nil {
			r.judging = false
			r.misuse(r.last.Loc, "the function given to this statement panics: %v: it stands for an expression in SQL", v)
		}
	}()
	r.judging = true
	q := r.question
	q.verdict = r.evaluate(q.item.Var, q.item.Val)
	r.judging = false
}

// Items is the answer that stands for a list of rows.
func (c *Client) Items(list []behaviour.Item) (behaviour.ValueID, error) {
	flat := make([]int32, 0, 2*len(list))
	for _, i := range list {
		flat = append(flat, int32(i.Var), int32(i.Val))
	}
	return c.values.Answer(flat)
}

// Listed is the list of rows that an answer of Items stands for.
func (c *Client) Listed(answer behaviour.ValueID) (list []behaviour.Item) {
	flat, _ := c.values.Get(answer).([]int32)
	for i := 0; i+1 < len(flat); i += 2 {
		list = append(list, behaviour.Item{Var: behaviour.VarID(flat[i]), Val: behaviour.ValueID(flat[i+1])})
	}
	return list
}

// Number is the answer that stands for a count of rows.
func (c *Client) Number(n int) (behaviour.ValueID, error) { return c.values.Answer(n) }
