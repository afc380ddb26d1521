package innodb

import (
	"slices"

	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program/access"
)

// An executor makes these requests when it evaluates statements itself, as MySQL's SQL
// layer does. It opens cursors, judges each row that a cursor finds, and writes it. The
// executor's conditions, its expressions and the order of its scans are its own.

// served is what a storage knows of its executors.
type served struct {
	tables []access.Table
	calls  []call
	taken  []int32 // by sequence: numbers that have been given
	autos  int     // the table of the AUTO-INC locks: see auto.go
	ids    []int32 // by table: values of hidden keys that have been given
	names  []named // see named.go
}

// call is a session's statement: its cursors, and its request in progress.
type call struct {
	request *access.Request // nil when none is under way
	start   Savepoint
	cursors []Cursor // never changed in place
	insert  Insert
	write   Write
}

// NewStorage is the storage of an executor's tables, with their rows.
func NewStorage(sessions int, db *access.Database, o Options) (*Rows, error) {
	var schema Schema
	rows := make([][]Row, len(db.Tables))
	ids := make([]int32, len(db.Tables))
	for _, t := range db.Tables {
		table := Table{Columns: t.Columns + 1} // the last one is the content
		for _, x := range t.Trees {
			table.Indexes = append(table.Indexes, Index(x))
		}
		schema.Tables = append(schema.Tables, table)
	}
	for _, f := range db.References {
		schema.Foreign = append(schema.Foreign, ForeignKey{f.Table, f.Tree, f.Parent, f.Other, f.Columns, f.Acts})
	}
	for _, i := range db.Rows {
		row := rowServed(i.Row)
		if db.Tables[i.Table].Hidden {
			ids[i.Table]++
			row[0] = int(ids[i.Table])
		}
		rows[i.Table] = append(rows[i.Table], row)
	}
	rows = append(rows, addAutos(&schema, db.Sequences))
	s, err := NewState(schema, rows, o)
	if err != nil {
		return nil, err
	}
	r := &Rows{state: *s, runs: make([]byKey, sessions)}
	r.served = served{tables: db.Tables, calls: make([]call, sessions), taken: make([]int32, db.Sequences), autos: len(db.Tables), ids: ids}
	for i := range r.runs {
		r.runs[i].trx = none
	}
	return r, nil
}

func rowServed(r access.Row) Row { return append(slices.Clone(Row(r.Columns)), int(r.Value)) }

func (s *served) copyFrom(o *served) {
	s.tables, s.autos = o.tables, o.autos
	s.calls = append(s.calls[:0], o.calls...)
	s.taken = append(s.taken[:0], o.taken...)
	s.ids = append(s.ids[:0], o.ids...)
	s.names = append(s.names[:0], o.names...)
}

// Leave ends the session. It holds no lock by name any more.
func (r *Rows) Leave(sess int) { r.unname(sess, 0) }

// Tables is the number of tables of an executor.
func (r *Rows) Tables() int { return len(r.tables) }

// Left lists the contents that are left in a table of an executor. They come in the
// order of the clustered index, or, where that is hidden, ascending.
func (r *Rows) Left(table int) (values []int32) {
	for _, row := range r.state.Committed(table) {
		values = append(values, content(row))
	}
	if r.tables[table].Hidden {
		slices.Sort(values)
	}
	return values
}

func content(r Row) int32 { return int32(r[len(r)-1]) }

// Serve is a request of the session's executor.
func (r *Rows) Serve(sess int, q *access.Request) model.Reply {
	if !r.runs[sess].open {
		r.Begin(sess, model.Transaction{Level: model.Level(q.Level)})
	}
	run, c := &r.runs[sess], &r.calls[sess]
	if run.trx == none { // an error has ended it
		return failedServing(Deadlock)
	}
	if x := &r.state.trxs[run.trx]; x.paused {
		x.points = points{}
		return r.goOnServing(sess)
	}
	if q.Begins || q.First {
		*c = call{start: r.state.Savepoint(run.trx)}
	}
	c.request = q
	r.state.trxs[run.trx].asked = asked{hasty: q.Hasty, unchecked: q.Unchecked}
	switch q.Kind {
	case access.Nothing:
		if q.Snap {
			r.state.View(run.trx, nil)
		}
		return r.servedBy(sess, access.Answer{})
	case access.Next, access.Advise:
		return r.goOnServing(sess)
	case access.Unadvise:
		r.unname(sess, q.Advisory)
		return r.servedBy(sess, access.Answer{})
	case access.Restock:
		r.taken[q.Sequence] -= q.Many
		return r.servedBy(sess, access.Answer{})
	case access.Save, access.Release, access.Back:
		return r.serveSavepoint(sess, q)
	case access.Finish:
		r.state.EndStatement(run.trx)
		r.unlockAutos(run.trx)
		return r.servedBy(sess, access.Answer{})
	}
	r.prepare(sess, q)
	return r.goOnServing(sess)
}

// serveSavepoint opens, closes or undoes savepoints. The depth 0 is the statement's
// beginning.
func (r *Rows) serveSavepoint(sess int, q *access.Request) model.Reply {
	run := &r.runs[sess]
	switch {
	case q.Kind == access.Save:
		run.saves = append(run.saves[:len(run.saves):len(run.saves)], save{true, !run.used, r.state.Savepoint(run.trx)})
	case q.Kind == access.Release:
		r.Release(sess, q.Depth)
	case q.Depth == 0:
		r.state.RollbackTo(run.trx, r.calls[sess].start)
	default:
		r.RollbackTo(sess, q.Depth)
		r.calls[sess].start = r.state.Savepoint(r.runs[sess].trx)
	}
	return r.servedBy(sess, access.Answer{})
}

// prepare begins what the request asks for.
func (r *Rows) prepare(sess int, q *access.Request) {
	run, c, table := &r.runs[sess], &r.calls[sess], int(q.Table)
	run.used = true
	switch q.Kind {
	case access.Read:
		r.state.LockTable(run.trx, table, Snapshot)
		r.state.View(run.trx, nil)
	case access.Open:
		cursor := r.cursorOf(q)
		mode := cursor.Mode
		if cursor.Acts {
			mode = Shared // until a row is written
		}
		r.state.LockTable(run.trx, table, mode)
		c.cursors = append(slices.Clip(c.cursors), cursor)
	case access.Step:
		c.cursors = slices.Clone(c.cursors)
		switch cursor := &c.cursors[q.Cursor]; {
		case q.Judged == access.Unwanted:
			r.state.Unwanted(run.trx, cursor)
		case q.Judged == access.Again:
			cursor.Again()
		case cursor.AtEntry:
			cursor.Admit()
		}
	case access.Put:
		r.state.LockTable(run.trx, table, Exclusive)
		row := rowServed(q.Row)
		if r.tables[table].Hidden {
			r.ids[table]++
			row[0] = int(r.ids[table])
		}
		c.insert = Insert{Table: table, Row: row, Update: q.Update}
	case access.Write:
		r.state.LockTable(run.trx, table, Exclusive)
		c.write = Write{Table: table, Key: q.Key}
		if !q.Gone {
			c.write.Row = rowServed(q.Row)
		}
	}
}

// cursorOf is a cursor on a range.
func (r *Rows) cursorOf(q *access.Request) Cursor {
	o := q.Range
	c := Cursor{Index: r.state.IndexOf(int(q.Table), int(q.Index)),
		Span:       Span{Low: o.Low, High: o.High, Exact: o.Exact, LowOpen: o.LowOpen, HighOpen: o.HighOpen},
		Descending: o.Descending, Among: o.Among, Acts: o.Acts, Mode: Shared, Wait: [...]Wait{WaitForLock, NoWait, SkipLocked}[o.Wait],
		Semi: o.Semi, Lookup: Lookup{Pushed: o.Pushed, Covering: o.Covering, Judges: o.Judges}}
	if o.Exclusive {
		c.Mode = Exclusive
	}
	return c
}

// goOnServing does the session's request, or goes on with it.
func (r *Rows) goOnServing(sess int) model.Reply {
	run, c := &r.runs[sess], &r.calls[sess]
	run.busy = false
	var a Answer
	switch c.request.Kind {
	case access.Read:
		return r.readServed(sess)
	case access.Next:
		return r.numberServed(sess)
	case access.Advise:
		return r.namedServed(sess)
	case access.Put:
		a = r.state.Insert(run.trx, &c.insert)
	case access.Write:
		a = r.state.Write(run.trx, &c.write)
	default:
		n := int(c.request.Cursor)
		if c.request.Kind == access.Open {
			n = len(c.cursors) - 1
		}
		cursors := slices.Clone(c.cursors)
		a = r.state.Next(run.trx, &cursors[n])
		c.cursors = cursors
		if a == Found {
			return r.foundServed(sess, &cursors[n])
		}
	}
	return r.answerServed(sess, a)
}

// readServed reads all rows of a range from the view.
func (r *Rows) readServed(sess int) model.Reply {
	run, cursor := &r.runs[sess], r.cursorOf(r.calls[sess].request)
	cursor.Mode = Snapshot
	var out access.Answer
	for {
		switch a := r.state.Next(run.trx, &cursor); a {
		case Found:
			out.Versions = append(out.Versions, r.versionServed(sess, cursor.Row))
		case End:
			return r.servedBy(sess, out)
		default:
			return r.answerServed(sess, a)
		}
	}
}

// foundServed is the row on which a cursor stands.
func (r *Rows) foundServed(sess int, c *Cursor) model.Reply {
	row := c.Row
	if x := &r.state.catalog.indexes[c.Index]; c.AtEntry || c.Covering && c.Mode == Shared && !x.clustered {
		row = r.covered(c, x)
	}
	a := access.Answer{Versions: []access.Version{r.versionServed(sess, row)}}
	switch {
	case c.AtEntry:
		a.Result = access.Entry
	case c.Committed:
		a.Result = access.Committed
	}
	return r.servedBy(sess, a)
}

// covered is a version of the row that has the entry of the index on which the cursor
// stands. The executor asks for columns of the index only, so that any will do.
func (r *Rows) covered(c *Cursor, x *index) Row {
	rec := r.state.exact(r.state.catalog.first[x.table], c.Key)
	for v := r.state.records[rec].newest; v != nil; v = v.prev {
		if !v.deleted && x.entry(v.row).Compare(c.pos) == 0 {
			return v.row
		}
	}
	return r.state.records[rec].newest.row
}

// versionServed names a row: by its hidden key, where it has one.
func (r *Rows) versionServed(sess int, row Row) access.Version {
	v := access.Version{Value: content(row)}
	if r.tables[r.calls[sess].request.Table].Hidden {
		v.Name = int32(row[0])
	}
	return v
}

// answerServed is the answer that an operation has come to. An error that ends the
// transaction has done so; what else a statement that fails undoes, the executor says.
func (r *Rows) answerServed(sess int, a Answer) model.Reply {
	run, c := &r.runs[sess], &r.calls[sess]
	switch a {
	case Blocked:
		if r.state.trxs[run.trx].paused {
			return model.Reply{Kind: model.Pauses}
		}
		if c.request.Hasty {
			a = Timeout
			break
		}
		run.busy = true
		return model.Reply{Kind: model.Waits}
	case End:
		return r.servedBy(sess, access.Answer{Result: access.Ended})
	case Done:
		return r.servedBy(sess, r.writtenServed(sess))
	case Duplicate:
		return r.servedBy(sess, r.duplicateServed(sess))
	case Changed:
		r.state.Rollback(run.trx)
		run.trx = none
	case Deadlock:
		run.trx = none
	}
	c.request = nil
	return failedServing(a)
}

func failedServing(a Answer) model.Reply {
	return model.Reply{Kind: model.Answered, Found: access.Answer{Result: access.Failed, Code: a.Code()}}
}

func (r *Rows) servedBy(sess int, a access.Answer) model.Reply {
	r.calls[sess].request = nil
	return model.Reply{Kind: model.Answered, Found: a}
}

// writtenServed tells the hidden key of a new row.
func (r *Rows) writtenServed(sess int) (a access.Answer) {
	if c := &r.calls[sess]; c.request.Kind == access.Put {
		a.Versions = []access.Version{r.versionServed(sess, c.insert.Row)}
	}
	return a
}

// duplicateServed tells the row that has the key already, as it is now.
func (r *Rows) duplicateServed(sess int) access.Answer {
	c := &r.calls[sess]
	table := int(c.request.Table)
	first := r.state.catalog.first[table]
	if c.request.Kind == access.Write {
		return access.Answer{Result: access.Conflict, Count: int32(c.write.Index - first)}
	}
	a := access.Answer{Result: access.Conflict, Count: int32(c.insert.Index - first)}
	if rec := r.state.exact(first, c.insert.Existing); rec != none {
		a.Versions = []access.Version{r.versionServed(sess, r.state.records[rec].newest.row)}
	}
	return a
}

// addServed adds the statements in progress and the sequences to a key. The nodes of the
// sessions say which requests they are.
func (r *Rows) addServed(k *Keyer) {
	for i := range r.calls {
		c, t := &r.calls[i], r.runs[i].trx
		if t == none {
			continue
		}
		k.AddSavepoint(t, c.start)
		k.Add(len(c.cursors))
		for j := range c.cursors {
			k.AddCursor(&c.cursors[j])
		}
		if c.request == nil {
			continue
		}
		if r.state.trxs[t].paused {
			k.Add(1)
		}
		switch c.request.Kind {
		case access.Put:
			k.AddInsert(t, &c.insert)
			k.Add(c.insert.Row[0])
		case access.Write:
			k.AddWrite(t, &c.write)
		}
	}
	for _, n := range r.taken {
		k.Add(int(n))
	}
	for _, n := range r.ids {
		k.Add(int(n))
	}
	r.addNames(k)
}
