package program

import (
	"cmp"
	"fmt"

	"github.com/txmc/txmc/program/behaviour"
)

// What sessions do, in words: for errors that say what was done in one run and not in another.

// queryText describes a statement on a table.
func (c *Client) queryText(q *behaviour.Query) string {
	on := c.TableName(q.Table)
	if q.ByKey {
		on = c.Key(q.Var)
	}
	text := [...]string{"select", "update", "delete", "insert"}[q.Verb] + " " + on
	if q.Verb == behaviour.InsertRow {
		text += " = " + c.Format(q.Val)
	}
	return text + q.How.String()
}

// step describes the event i of n, or n itself after its events, and tells its
// line.
func (c *Client) step(n *behaviour.Node, i int, typed bool) (string, behaviour.Loc) {
	if i == len(n.Events) {
		return c.stop(n), n.Loc
	}
	e := n.Events[i]
	value := func() string {
		if typed {
			return fmt.Sprintf("%s of type %T", c.Format(e.Val), c.Value(e.Val))
		}
		return c.Format(e.Val)
	}
	text := ""
	switch e.Kind {
	case behaviour.BeginEvent:
		text = fmt.Sprintf("begin %q", e.Text)
	case behaviour.WriteEvent, behaviour.ChangeEvent:
		text = fmt.Sprintf("write %s = %s", c.Key(e.Var), value())
	case behaviour.OwnReadEvent:
		text = fmt.Sprintf("read %s = %s", c.Key(e.Var), value())
	case behaviour.ObserveEvent:
		text = fmt.Sprintf("observe %s = %s", e.Text, value())
	case behaviour.FailEvent:
		text = "fail: " + e.Text
	case behaviour.StatementEvent:
		text = e.Text
	case behaviour.UndoEvent:
		text = "rollback to a savepoint"
	case behaviour.ShownEvent:
		text = "get another answer"
	case behaviour.AnswerEvent:
		text = "get the answer " + e.Text
	case behaviour.NoticeEvent:
		text = "get the message " + e.Text
	case behaviour.RefuseEvent:
		text = "refuse"
	case behaviour.GaveUpEvent:
		text = "fail"
	}
	return text, e.Loc
}

// stop describes what the session does at n.
func (c *Client) stop(n *behaviour.Node) string {
	if n.Dropped {
		return "not hold what is assumed"
	}
	switch n.Kind {
	case behaviour.Read:
		if n.Lock {
			return "read " + c.Key(n.Var) + cmp.Or(n.How, behaviour.ForUpdate).String()
		}
		return "read " + c.Key(n.Var)
	case behaviour.Commit:
		return "commit"
	case behaviour.Abort:
		return "abort"
	case behaviour.Ask:
		return c.queryText(n.Query)
	case behaviour.Save, behaviour.BackTo, behaviour.Release:
		return n.Kind.String()
	case behaviour.Set:
		return fmt.Sprintf("update %s to %s", c.Key(n.Var), c.Format(n.Val))
	case behaviour.Find:
		return "update " + c.Key(n.Var)
	case behaviour.Serve:
		return n.Request.Kind.String()
	case behaviour.Relay:
		return n.Sent.String()
	case behaviour.Await:
		return "wait for what is given"
	case behaviour.Change:
		if !n.Matches {
			return "leave out " + c.Key(n.Var) + " of the update"
		}
		return fmt.Sprintf("update %s by a function to %s", c.Key(n.Var), c.Format(n.Val))
	default:
		return "end of the session"
	}
}
