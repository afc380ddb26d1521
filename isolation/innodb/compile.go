package innodb

import (
	"slices"

	"github.com/txmc/txmc/isolation/statement"
)

// How the statements of programs are executed.

// expressions are the expressions of a statement.
type expressions struct {
	stmt  statement.Statement
	local int
}

// matches reports whether the statement wants the row. The bounds of a range are
// the cursor's, and INSERT … ON DUPLICATE KEY UPDATE has found its row by a key
// of its own.
func (x *expressions) matches(r Row) bool {
	switch x.stmt.Op {
	case statement.Insert, statement.Range, statement.UpdRange, statement.DelChild, statement.UpdChild:
		return true
	}
	return x.stmt.Matches(r[columnID], r[columnV])
}

// set is the row that an update makes of a row.
func (x *expressions) set(old Row) Row {
	row := slices.Clone(old)
	switch x.stmt.Op {
	case statement.UpdKey, statement.UpdPred, statement.UpdRange, statement.Insert:
		row[columnV] += x.stmt.C
	case statement.UpdLocal:
		row[columnV] = x.local + x.stmt.C
	case statement.UpdU:
		row[columnU] = nullable(x.stmt.U)
	case statement.UpdID:
		row[columnID] = x.stmt.C
	case statement.UpdChild:
		row[1] = x.stmt.ID
	}
	return row
}

// result is the statement's result.
func (x *expressions) result(e *exec) statement.Result {
	switch op := x.stmt.Op; {
	case op == statement.Get || op == statement.Scan || op == statement.Range:
		r := statement.Result{Kind: statement.Rows}
		for _, row := range e.rows {
			r.Rows = append(r.Rows, statement.IDValue{ID: row[columnID], V: row[columnV]})
		}
		return r
	case op == statement.Agg:
		r := statement.Result{Kind: statement.Aggregate, N: e.n}
		for _, row := range e.rows {
			r.Sum += row[columnV]
		}
		return r
	case op == statement.Insert:
		return statement.Result{Kind: statement.Count, N: e.affected()}
	}
	return statement.Result{Kind: statement.Count, N: e.n}
}

func isRead(op statement.Op) bool {
	return op == statement.Get || op == statement.Scan || op == statement.Agg || op == statement.Range
}

// planOf is a statement of a transaction as the executor sees it.
func planOf(s *State, l Level, txn *statement.Transaction, st statement.Statement) *plan {
	p := &plan{mode: modeOf(l, txn, st), limit: st.Limit}
	switch st.Op {
	case statement.Child:
		p.verb, p.table, p.insert = inserts, tableC, Insert{Table: tableC, Row: Row{st.C, st.ID}}
		return p
	case statement.Insert:
		p.verb, p.insert = inserts, Insert{Row: Row{st.ID, st.C, nullable(st.U)}, Update: st.Conflict == statement.DoUpdate}
		p.duplicate = map[string]duplicate{statement.DoNothing: ignores, statement.DoUpdate: updatesThat}[st.Conflict]
		return p
	case statement.DelChild:
		p.verb, p.table = deletes, tableC
	case statement.UpdChild:
		p.verb, p.table = updates, tableC
	case statement.DelKey, statement.DelPred:
		p.verb = deletes
	default:
		if !isRead(st.Op) {
			p.verb = updates
		}
	}
	p.collects = st.Op == statement.UpdRange && st.By == "v"
	p.cursor = scan(s, st, p.mode)
	return p
}

// modeOf is how the statement uses its table. A plain SELECT in a transaction
// locks at SERIALIZABLE.
func modeOf(l Level, txn *statement.Transaction, st statement.Statement) Mode {
	switch {
	case !isRead(st.Op) || st.Lock == statement.ForUpdate:
		return Exclusive
	case st.Lock == statement.ForShare || l == Serializable && !txn.Auto:
		return Shared
	}
	return Snapshot
}

// scan is the cursor of the statement's WHERE clause.
func scan(s *State, st statement.Statement, mode Mode) Cursor {
	c := Cursor{Index: indexID, Mode: mode, Semi: st.Op == statement.UpdPred}
	if key, by := st.ByKey(); by {
		c.Low, c.Exact = Tuple{key}, true
		if st.Op == statement.DelChild || st.Op == statement.UpdChild {
			c.Index = s.IndexOf(tableC, 0)
		}
	}
	if st.Op == statement.Range || st.Op == statement.UpdRange {
		c.bounds(st)
	}
	switch st.Wait {
	case statement.NoWait:
		c.Wait = NoWait
	case statement.SkipLocked:
		c.Wait = SkipLocked
	}
	return c
}

// bounds are the bounds of a range. A range excludes null. A SELECT that needs
// columns outside the index tests the bounds before it looks the row up; one of
// id and v by v needs none.
func (c *Cursor) bounds(st statement.Statement) {
	c.Index = columns[st.By].index
	c.Exact = st.D == st.E && !st.Desc
	c.Low, c.LowOpen = Tuple{Null}, true
	if st.D != statement.All {
		c.Low, c.LowOpen = Tuple{st.D}, false
	} else if c.Index == indexID {
		c.Low, c.LowOpen = nil, false
	}
	if st.E != statement.All {
		c.High = Tuple{st.E}
	}
	c.Descending = st.Desc
	c.Semi = st.Op == statement.UpdRange
	c.Covering = st.Op == statement.Range && st.By == "v"
	c.Pushed = st.Op == statement.Range && st.By == "u" && !st.Desc
}

// readsFrom is what the view that the statement makes may show: at READ COMMITTED
// to the statement, else to any statement of its transaction.
func readsFrom(s *State, l Level, txn *statement.Transaction, st statement.Statement) []Access {
	if !s.options.Record {
		return nil
	}
	if l.recordsOnly() {
		return readsOf(s, l, []statement.Statement{st})
	}
	return readsOf(s, l, txn.Stmts)
}

// readsOf lists what statements may read from a view. With
// innodb_snapshot_isolation every record that is locked is judged by the view.
func readsOf(s *State, l Level, stmts []statement.Statement) (out []Access) {
	for _, st := range stmts {
		key, by := st.ByKey()
		switch {
		case !isRead(st.Op) && l != SnapshotIsolation:
		case st.Op == statement.DelChild:
			out = append(out, s.Where(tableC, 0, key, key))
		case st.Op == statement.UpdChild:
			out = append(out, s.Where(tableC, 0, st.C, st.C), s.Where(tableT, columnID, st.ID, st.ID))
		case st.Op == statement.Child:
			out = append(out, s.Where(tableC, 0, st.C, st.C), s.Where(tableT, columnID, st.ID, st.ID))
		case by:
			out = append(out, s.Where(tableT, columnID, key, key))
		case st.Op == statement.Range && isPlain(st):
			out = append(out, rangeOf(s, st))
		case st.D == statement.All || st.Op != statement.Agg && !isPlain(st):
			out = append(out, s.WholeTable(tableT))
		default:
			out = append(out, s.Where(tableT, columnV, st.D, 1<<62))
		}
	}
	return out
}

// rangeOf is what a plain range reads.
func rangeOf(s *State, st statement.Statement) Access {
	low, high := st.D, st.E
	if low == statement.All {
		low = Null + 1
	}
	if high == statement.All {
		high = 1 << 62
	}
	return s.Where(tableT, columns[st.By].column, low, high)
}

func isPlain(st statement.Statement) bool { return isRead(st.Op) && st.Lock == "" }
