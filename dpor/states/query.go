package states

import (
	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program/behaviour"
)

// Statements on tables, as a model takes them, and what the client makes of rows.

// lockOf is a locking clause.
func lockOf(o behaviour.ReadOption) model.Lock {
	l := model.Lock{Share: o&behaviour.ForUpdate == 0}
	switch {
	case o&behaviour.SkipLocked != 0:
		l.Wait = model.Skip
	case o&behaviour.NoWait != 0:
		l.Wait = model.NoWait
	}
	return l
}

// queryOf is a statement on a table.
func queryOf(q *behaviour.Query) *model.Query {
	out := &model.Query{
		Verb: model.Verb(q.Verb), Table: q.Table, X: int(q.Var), Judged: q.Judged, Locks: q.How.Locks(), Lock: lockOf(q.How), Limit: q.How.Limit(),
		Row: model.Row{Table: q.Table, Value: int32(q.Val), Columns: entries(q.Columns)}, Conflict: model.Conflict(q.Conflict),
	}
	if !q.ByKey {
		out.X = -1
	}
	return out
}

// asked evaluates the statements of the sessions at a state.
type asked struct {
	*database
	state *state
}

func (d *database) of(m *state) model.Client { return asked{d, m} }

// Judge says what the session's statement makes of a row.
func (a asked) Judge(sess, x int, value int32) model.Verdict {
	evaluate := a.prog.Evaluate
	if a.copies != nil {
		evaluate = a.copies.Evaluate
	}
	v, err := evaluate(a.state.nodes[sess], behaviour.VarID(x), behaviour.ValueID(value))
	if err != nil && a.failed == nil {
		a.failed = err
	}
	return model.Verdict{Matches: v.Matches, Value: int32(v.Val), Columns: entries(v.Columns)}
}

func entries(list []behaviour.Entry) (out []model.Entry) {
	for _, e := range list {
		out = append(out, model.Entry(e))
	}
	return out
}
