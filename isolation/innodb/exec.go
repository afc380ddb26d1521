package innodb

import (
	"slices"

	"github.com/txmc/txmc/isolation/statement"
)

// exec is a statement in progress: what MySQL's SQL layer does with it. It is a
// value, so that a state with blocked statements is copied like any other.
type exec struct {
	action statement.Action
	txn    *statement.Transaction
	stmt   statement.Statement
	start  Savepoint
	phase  phase
	cursor Cursor
	keys   []Tuple // UPDATE of the index that it scans: rows found and not written yet; never changed in place
	write  Write
	insert Insert
	rows   []statement.IDValue // never changed in place
	n, sum int
}

type phase uint8

const (
	inserting  phase = iota
	scanning         // looks for the next row, which is written at once
	writing          // writes it
	collecting       // looks for the next row, which is written when all are found
)

func isRead(op statement.Op) bool {
	return op == statement.Get || op == statement.Scan || op == statement.Agg || op == statement.Range
}

// begin starts an action of a transaction.
func (e *exec) begin(s *State, trx Trx, a statement.Action, t *statement.Transaction) {
	*e = exec{action: a, txn: t}
	if a.Kind != statement.Run {
		return
	}
	e.stmt, e.start = t.Stmts[a.Stmt], s.Savepoint(trx)
	if e.stmt.Op == statement.Save || e.stmt.Op == statement.BackTo {
		return
	}
	level := s.LevelOf(trx)
	mode := e.mode(level)
	s.LockTable(trx, e.table(), mode)
	if mode == Snapshot {
		s.View(trx, e.reads(s, level))
	}
	switch e.stmt.Op {
	case statement.Child:
		e.insert = Insert{Table: tableC, Row: Row{e.stmt.C, e.stmt.ID}}
		return
	case statement.Insert:
		e.insert = Insert{Row: Row{e.stmt.ID, e.stmt.C, nullable(e.stmt.U)}, Update: e.stmt.Conflict == statement.DoUpdate}
		return
	}
	e.phase = scanning
	if e.stmt.Op == statement.UpdRange && e.stmt.By == "v" {
		e.phase = collecting
	}
	e.cursor = scan(s, e.stmt, mode)
}

// table is the table of the statement.
func (e *exec) table() int {
	if e.stmt.Op == statement.Child || e.stmt.Op == statement.DelChild {
		return tableC
	}
	return tableT
}

// mode is how the statement uses its table. A plain SELECT in a transaction
// locks at SERIALIZABLE.
func (e *exec) mode(l Level) Mode {
	switch {
	case !isRead(e.stmt.Op) || e.stmt.Lock == statement.ForUpdate:
		return Exclusive
	case e.stmt.Lock == statement.ForShare || l == Serializable && !e.txn.Auto:
		return Shared
	}
	return Snapshot
}

// scan is the cursor of the statement's WHERE clause.
func scan(s *State, st statement.Statement, mode Mode) Cursor {
	c := Cursor{Index: indexID, Mode: mode, Semi: st.Op == statement.UpdPred}
	if key, by := st.ByKey(); by {
		c.Low, c.Exact = Tuple{key}, true
		if st.Op == statement.DelChild {
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

// reads is what the view that the statement makes may show: at READ COMMITTED
// to the statement, else to any statement of its transaction.
func (e *exec) reads(s *State, l Level) []Access {
	if !s.options.Record {
		return nil
	}
	if l == ReadCommitted {
		return readsOf(s, l, []statement.Statement{e.stmt})
	}
	return readsOf(s, l, e.txn.Stmts)
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

// run runs the statement or goes on with it. The answer End means that it has
// returned.
func (e *exec) run(s *State, t Trx) Answer {
	for {
		var a Answer
		switch e.phase {
		case inserting:
			a = e.doInsert(s, t)
		case scanning, collecting:
			a = e.doScan(s, t)
		case writing:
			a = e.doWrite(s, t)
		}
		if a != Done {
			return a
		}
	}
}

// doScan goes to the next row. The answer Done means that there is more to do.
func (e *exec) doScan(s *State, t Trx) Answer {
	if e.stmt.Limit > 0 && e.n == e.stmt.Limit {
		return End
	}
	a := s.Next(t, &e.cursor)
	switch {
	case a == End && e.phase == collecting, a == End && len(e.keys) > 0:
		return e.nextKey()
	case a != Found:
		return a
	}
	row := e.cursor.Row
	switch {
	case !e.matches(row):
		s.Unwanted(t, &e.cursor)
	case e.cursor.Committed:
		e.cursor.Again()
	case isRead(e.stmt.Op):
		e.output(row)
	case e.phase == collecting:
		e.keys = append(e.keys[:len(e.keys):len(e.keys)], e.cursor.Key)
	default:
		e.change(row)
	}
	return Done
}

// nextKey looks the next row up that has been found before.
func (e *exec) nextKey() Answer {
	if len(e.keys) == 0 {
		return End
	}
	e.phase = scanning
	e.cursor = Cursor{Index: indexID, Low: e.keys[0], Exact: true, Mode: Exclusive}
	e.keys = e.keys[1:]
	return Done
}

// matches reports whether the statement wants the row. The bounds of a range are
// the cursor's, and INSERT … ON DUPLICATE KEY UPDATE has found its row by a key
// of its own.
func (e *exec) matches(r Row) bool {
	switch e.stmt.Op {
	case statement.Insert, statement.Range, statement.UpdRange, statement.DelChild:
		return true
	}
	return e.stmt.Matches(r[columnID], r[columnV])
}

func (e *exec) output(r Row) {
	e.n++
	e.sum += r[columnV]
	if e.stmt.Op != statement.Agg {
		e.rows = append(e.rows[:len(e.rows):len(e.rows)], statement.IDValue{ID: r[columnID], V: r[columnV]})
	}
}

// change begins to write the row. A row that does not change is not written
// and does not count.
func (e *exec) change(old Row) {
	row := slices.Clone(old)
	switch e.stmt.Op {
	case statement.UpdKey, statement.UpdPred, statement.UpdRange, statement.Insert:
		row[columnV] += e.stmt.C
	case statement.UpdLocal:
		row[columnV] = e.action.Local + e.stmt.C
	case statement.UpdU:
		row[columnU] = nullable(e.stmt.U)
	case statement.UpdID:
		row[columnID] = e.stmt.C
	case statement.DelKey, statement.DelPred, statement.DelChild:
		row = nil
	}
	if row == nil || !slices.Equal(row, old) {
		e.write, e.phase = Write{Table: e.table(), Key: e.cursor.Key, Row: row}, writing
	}
}

func (e *exec) doWrite(s *State, t Trx) Answer {
	a := s.Write(t, &e.write)
	if a == Done {
		e.n++
		e.phase = scanning
	}
	return a
}

func (e *exec) doInsert(s *State, t Trx) Answer {
	a := s.Insert(t, &e.insert)
	switch {
	case a == Done:
		e.n = 1
		return End
	case a != Duplicate || e.stmt.Conflict == "":
		return a
	case e.stmt.Conflict == statement.DoNothing:
		return End
	}
	e.phase = scanning
	e.cursor = Cursor{Index: indexID, Low: e.insert.Existing, Exact: true, Mode: Exclusive}
	return Done
}

// result is the statement's result. ON DUPLICATE KEY UPDATE counts an updated
// row as two.
func (e *exec) result() statement.Result {
	switch {
	case e.stmt.Op == statement.Get || e.stmt.Op == statement.Scan || e.stmt.Op == statement.Range:
		return statement.Result{Kind: statement.Rows, Rows: e.rows}
	case e.stmt.Op == statement.Agg:
		return statement.Result{Kind: statement.Aggregate, N: e.n, Sum: e.sum}
	case e.stmt.Op == statement.Insert && e.phase != inserting:
		return statement.Result{Kind: statement.Count, N: 2 * e.n}
	}
	return statement.Result{Kind: statement.Count, N: e.n}
}
