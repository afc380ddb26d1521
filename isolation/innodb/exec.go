package innodb

import "slices"

// verb is what a statement does with the rows that it finds.
type verb uint8

const (
	selects verb = iota
	updates
	deletes
	inserts
)

// duplicate is what an INSERT does with a duplicate.
type duplicate uint8

const (
	fails       duplicate = iota
	ignores               // INSERT IGNORE
	updatesThat           // ON DUPLICATE KEY UPDATE
)

// plan is a statement as the executor sees it. It is never changed.
type plan struct {
	verb      verb
	table     int
	mode      Mode      // how it uses its table
	cursor    Cursor    // SELECT, UPDATE, DELETE: the scan
	collects  bool      // UPDATE of the index that it scans: rows are written when all are found
	limit     int       // SELECT: at most so many rows; 0: all
	insert    Insert    // INSERT
	duplicate duplicate // and what it does with a duplicate

	returning bool // UPDATE, DELETE: the rows are wanted as they were
}

// judge evaluates the expressions of a statement, which are the client's.
type judge interface {
	matches(r Row) bool // WHERE
	set(r Row) Row      // SET, into a row of its own
}

// exec is a statement in progress: what MySQL's SQL layer does with it. It is a
// value, so that a state with blocked statements is copied like any other.
type exec struct {
	plan   *plan
	start  Savepoint
	phase  phase
	cursor Cursor
	keys   []Tuple // UPDATE of the index that it scans: rows found and not written yet; never changed in place
	write  Write
	insert Insert
	rows   []Row // the rows that are wanted; never changed in place
	n      int   // rows so far
}

type phase uint8

const (
	inserting  phase = iota
	scanning         // looks for the next row, which is written at once
	writing          // writes it
	collecting       // looks for the next row, which is written when all are found
)

// begin begins a statement. reads is what its view may show: for the footprint only.
func (e *exec) begin(s *State, t Trx, p *plan, reads []Access) {
	*e = exec{plan: p, start: s.Savepoint(t), cursor: p.cursor, insert: p.insert, phase: scanning}
	s.LockTable(t, p.table, p.mode)
	if p.mode == Snapshot {
		s.View(t, reads)
	}
	switch {
	case p.verb == inserts:
		e.phase = inserting
	case p.collects:
		e.phase = collecting
	}
}

// run runs the statement or goes on with it. The answer End means that it has
// returned.
func (e *exec) run(s *State, t Trx, j judge) Answer {
	for {
		var a Answer
		switch e.phase {
		case inserting:
			a = e.doInsert(s, t)
		case scanning, collecting:
			a = e.doScan(s, t, j)
		case writing:
			a = e.doWrite(s, t)
		}
		if a != Done {
			return a
		}
	}
}

// doScan goes to the next row. The answer Done means that there is more to do.
func (e *exec) doScan(s *State, t Trx, j judge) Answer {
	if e.plan.limit > 0 && e.n == e.plan.limit {
		return End
	}
	a := s.Next(t, &e.cursor)
	switch {
	case a == End && e.phase == collecting, a == End && len(e.keys) > 0:
		return e.nextKey(s)
	case a != Found:
		return a
	}
	row := e.cursor.Row
	switch {
	case !j.matches(row):
		s.Unwanted(t, &e.cursor)
	case e.cursor.Committed:
		e.cursor.Again()
	case e.plan.verb == selects:
		e.n++
		e.want(row)
	case e.phase == collecting:
		e.keys = append(e.keys[:len(e.keys):len(e.keys)], e.cursor.Key)
	default:
		e.change(row, j)
	}
	return Done
}

func (e *exec) want(r Row) { e.rows = append(e.rows[:len(e.rows):len(e.rows)], r) }

// nextKey looks the next row up that has been found before.
func (e *exec) nextKey(s *State) Answer {
	if len(e.keys) == 0 {
		return End
	}
	e.phase = scanning
	e.cursor = Cursor{Index: e.clustered(s), Span: Span{Low: e.keys[0], Exact: true}, Mode: Exclusive}
	e.keys = e.keys[1:]
	return Done
}

// clustered is the clustered index of the statement's table.
func (e *exec) clustered(s *State) int { return s.IndexOf(e.plan.table, 0) }

// change begins to write the row. A row that does not change is not written
// and does not count.
func (e *exec) change(old Row, j judge) {
	var row Row
	if e.plan.verb != deletes {
		if row = j.set(old); slices.Equal(row, old) {
			return
		}
	}
	if e.plan.returning {
		e.want(old)
	}
	e.write, e.phase = Write{Table: e.plan.table, Key: e.cursor.Key, Row: row}, writing
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
	case a != Duplicate || e.plan.duplicate == fails:
		return a
	case e.plan.duplicate == ignores:
		return End
	}
	e.phase = scanning
	e.cursor = Cursor{Index: e.clustered(s), Span: Span{Low: e.insert.Existing, Exact: true}, Mode: Exclusive}
	return Done
}
