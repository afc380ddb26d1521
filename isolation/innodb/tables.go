package innodb

import "github.com/txmc/txmc/isolation/model"

// Statements on tables, of model.Database. The client evaluates their expressions.

// running is a session's statement on a table.
type running struct {
	active bool
	judged bool // the client says which rows are meant
	exec
}

// asks are the expressions of a session's statement.
type asks struct {
	rows   *Rows
	client model.Client
	sess   int
}

func (a *asks) judge(r Row) model.Verdict {
	return a.client.Judge(a.sess, r[columnX], int32(r[columnValue]))
}

func (a *asks) matches(r Row) bool {
	return !a.rows.execs[a.sess].judged || a.judge(r).Matches
}

func (a *asks) set(r Row) Row {
	v := a.judge(r)
	return a.rows.rowOf(r[columnX], v.Value, v.Columns)
}

// planOf is a statement of the session as the executor sees it.
func (r *Rows) planOf(sess int, q *model.Query) *plan {
	p := &plan{verb: [...]verb{selects, updates, deletes, inserts}[q.Verb], table: q.Table, mode: Exclusive, limit: q.Limit, returning: q.Verb == model.Update}
	switch {
	case q.Verb == model.Insert:
		p.insert = Insert{Table: q.Table, Row: r.rowOf(q.X, q.Row.Value, q.Row.Columns), Update: q.Conflict == model.Replace}
		p.duplicate = [...]duplicate{fails, ignores, updatesThat}[q.Conflict]
		return p
	case q.Verb == model.Select && q.Locks && q.Lock.Share:
		p.mode = Shared
	case q.Verb == model.Select && !q.Locks:
		p.mode = r.plain(sess)
	}
	p.cursor = Cursor{Index: r.state.IndexOf(q.Table, 0), Mode: p.mode, Wait: policies[q.Lock.Wait], Semi: q.Verb == model.Update}
	if q.X >= 0 {
		p.cursor.Low, p.cursor.Exact = Tuple{r.slots[q.X].order}, true
	}
	return p
}

// Run is a statement on a table.
func (r *Rows) Run(sess int, q *model.Query, c model.Client) model.Reply {
	run, e := &r.runs[sess], &r.execs[sess]
	if run.readOnly && (q.Verb != model.Select || q.Locks && !q.Lock.Share) {
		return r.refuse(sess)
	}
	run.used = true
	*e = running{active: true, judged: q.Judged}
	e.begin(&r.state, run.trx, r.planOf(sess, q), nil)
	return r.goOn(sess, c)
}

// executing reports whether the session is in a statement on a table.
func (r *Rows) executing(sess int) bool { return len(r.execs) > 0 && r.execs[sess].active }

// goOn runs the session's statement, or goes on with it.
func (r *Rows) goOn(sess int, c model.Client) model.Reply {
	run, e := &r.runs[sess], &r.execs[sess]
	run.busy = false
	a := e.run(&r.state, run.trx, &asks{r, c, sess})
	if a == Blocked {
		run.busy = true
		return model.Reply{Kind: model.Waits}
	}
	start, reply := e.start, e.reply()
	r.execs[sess] = running{}
	if a.Code() != "" {
		return r.fail(sess, a, start)
	}
	return r.complete(sess, reply)
}

// reply is what a statement that has ended replies. It names the rows by their numbers.
func (e *exec) reply() model.Reply {
	switch e.plan.verb {
	case deletes:
		return model.Reply{Kind: model.Count, Value: int32(e.n)}
	case inserts:
		return model.Reply{Kind: model.Count, Value: int32(e.affected())}
	}
	items := make([]model.Item, len(e.rows))
	for i, r := range e.rows {
		items[i] = model.Item{X: int32(r[columnX]), Value: int32(r[columnValue])}
	}
	return model.Reply{Kind: model.Rows, Rows: items}
}

// affected is how many rows an INSERT affects: ON DUPLICATE KEY UPDATE counts an
// updated row as two.
func (e *exec) affected() int {
	if e.phase != inserting {
		return 2 * e.n
	}
	return e.n
}

// Savepoint opens a savepoint.
func (r *Rows) Savepoint(sess int) model.Reply {
	run := &r.runs[sess]
	run.saves = append(run.saves[:len(run.saves):len(run.saves)], save{true, !run.used, r.state.Savepoint(run.trx)})
	return r.complete(sess, model.Reply{Kind: model.Done})
}

// RollbackTo undoes what came after a savepoint, and keeps it. Locks stay, unless the
// savepoint is older than the first use of a table: see savepoint of a run.
func (r *Rows) RollbackTo(sess, depth int) model.Reply {
	run := &r.runs[sess]
	run.saves = run.saves[:depth:depth]
	if p := run.saves[depth-1]; p.first {
		l := r.state.LevelOf(run.trx)
		r.state.Rollback(run.trx)
		run.trx, run.used = r.state.Begin(sess, l), false
	} else {
		r.state.RollbackTo(run.trx, p.at)
	}
	return r.complete(sess, model.Reply{Kind: model.Done})
}

// Release forgets a savepoint and those behind it.
func (r *Rows) Release(sess, depth int) model.Reply {
	run := &r.runs[sess]
	run.saves = run.saves[: depth-1 : depth-1]
	return r.complete(sess, model.Reply{Kind: model.Done})
}
