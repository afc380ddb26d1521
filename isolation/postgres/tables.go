package postgres

import "github.com/txmc/txmc/isolation/model"

// Statements on tables, of model.Database. The client evaluates their expressions.

// asks are the expressions of a session's statement.
type asks struct {
	rows   *Rows
	query  *exec
	client model.Client
	sess   int
}

func (a *asks) judge(r Row) model.Verdict {
	return a.client.Judge(a.sess, int(r.Keys[indexID])-1, r.Value)
}

func (a *asks) matches(r Row) bool { return !a.query.plan.judged || a.judge(r).Matches }

func (a *asks) set(r Row) Row {
	v := a.judge(r)
	return a.rows.rowOf(int(a.query.plan.table), int(r.Keys[indexID])-1, v.Value, v.Columns)
}

// planOf is a statement as the executor sees it.
func (r *Rows) planOf(q *model.Query) *plan {
	p := &plan{
		read: Read{Kind: ReadTable, Table: uint8(q.Table)}, judged: q.Judged, locks: q.Locks, lock: ForUpdate, wait: q.Lock.Wait,
		limit: int32(q.Limit), table: uint8(q.Table), verb: [...]verb{selects, updates, deletes, inserts}[q.Verb], returning: q.Verb == model.Update,
	}
	if q.Lock.Share {
		p.lock = Share
	}
	if q.X >= 0 {
		p.read.Kind, p.read.Value = ReadKey, r.keys[q.X][0]
	}
	if q.Verb != model.Insert {
		return p
	}
	p.row = r.rowOf(q.Table, q.X, q.Row.Value, q.Row.Columns)
	switch q.Conflict {
	case model.Ignore:
		p.arbiters = 1<<len(p.row.Keys) - 1
	case model.Replace:
		p.arbiters, p.replaces = 1<<indexID, true
	}
	return p
}

// Run is a statement on a table.
func (r *Rows) Run(sess int, q *model.Query, c model.Client) model.Reply {
	if r.state.Snapshot(sess) == Blocked {
		return model.Reply{Kind: model.Waits}
	}
	if r.state.ReadOnly(sess) && (q.Verb != model.Select || q.Locks) {
		return r.fail(sess, ReadOnlyTransaction)
	}
	e := &r.execs[sess]
	*e = newExec(r.planOf(q))
	done, code := e.start(&r.state, sess, &asks{r, e, c, sess})
	return r.executed(sess, done, code)
}

// executing reports whether the session is in a statement on a table.
func (r *Rows) executing(sess int) bool { return len(r.execs) > 0 && r.execs[sess].active }

// goOn goes on with the statement after an answer of its operation.
func (r *Rows) goOn(sess int, c model.Client, a Answer) model.Reply {
	e := &r.execs[sess]
	done, code := e.run(&r.state, sess, &asks{r, e, c, sess}, a)
	return r.executed(sess, done, code)
}

// executed is the reply of a statement.
func (r *Rows) executed(sess int, done bool, code Code) model.Reply {
	e := r.execs[sess]
	switch {
	case code != NoError:
		r.execs[sess] = exec{}
		return r.fail(sess, code)
	case !done:
		return model.Reply{Kind: model.Waits}
	}
	r.execs[sess] = exec{}
	return r.complete(sess, e.reply())
}

// reply is what a statement that has ended replies.
func (e *exec) reply() model.Reply {
	switch e.plan.verb {
	case deletes:
		return model.Reply{Kind: model.Count, Value: e.n}
	case inserts:
		return model.Reply{Kind: model.Count, Value: e.n}
	}
	items := make([]model.Item, len(e.out))
	for i, r := range e.out {
		items[i] = model.Item{X: r.Keys[indexID] - 1, Value: r.Value}
	}
	return model.Reply{Kind: model.Rows, Rows: items}
}

// Savepoint opens a savepoint.
func (r *Rows) Savepoint(sess int) model.Reply {
	r.state.Savepoint(sess)
	return r.complete(sess, model.Reply{Kind: model.Done})
}

// RollbackTo undoes what came after a savepoint, and keeps it.
func (r *Rows) RollbackTo(sess, depth int) model.Reply {
	return r.saved(sess, r.state.RollbackTo(sess, depth))
}

// Release forgets a savepoint and those behind it.
func (r *Rows) Release(sess, depth int) model.Reply {
	return r.saved(sess, r.state.Release(sess, depth))
}

func (r *Rows) saved(sess int, a Answer) model.Reply {
	if a.Result == Failed {
		return r.fail(sess, a.Code)
	}
	return r.complete(sess, model.Reply{Kind: model.Done})
}
