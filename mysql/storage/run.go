package storage

import (
	"fmt"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/txmc/txmc/mysql/model"
	"github.com/txmc/txmc/program/rows"
)

// Run is the storage of one run of a session, which its connections share. It has one
// transaction at a time.
type Run struct {
	log   rows.Log
	model *model.Session  // a model of the database's storage, in place of the log
	owner string          // names rows without a primary key
	index int             // of the session: its numbers begin there
	auto  map[*Def]uint64 // the next number of AUTO_INCREMENT

	txn     int // counted from 0
	inserts int // into tables without a primary key
	statementView
	pending
}

// statementView is what the statement has seen.
type statementView struct {
	statement int
	view      map[rowVar]sql.Row // what the statement has read of rows; nil: no row
	viewed    map[string]any     // and of keys and unique values
}

// pending is what the open transaction has done.
type pending struct {
	own     []change
	locked  map[rowVar]sql.Row // the newest version of what is locked; nil: no row
	values  map[string]any     // of keys and unique values, by locking reads
	written []string           // keys and unique values
}

// rowVar names a row.
type rowVar struct {
	def *Def
	id  string
}

// change is a row that the open transaction has written.
type change struct {
	row       rowVar
	statement int
	content   sql.Row // nil when it is deleted
}

// NewRun returns the storage of a run. The owner names rows without a primary key. The
// index tells numbers of AUTO_INCREMENT apart from those of other sessions; those of
// index 0 go on where the seed ended.
func NewRun(owner string, index int, log rows.Log) *Run {
	return &Run{log: log, owner: owner, index: index, auto: map[*Def]uint64{},
		statementView: statementView{view: map[rowVar]sql.Row{}, viewed: map[string]any{}}, pending: pending{locked: map[rowVar]sql.Row{}, values: map[string]any{}}}
}

// Ask makes the run ask a model of the database for rows, in place of its log.
func (r *Run) Ask(m *model.Session) { r.model = m }

// Begins is called before a statement: what it sees is what is there now.
func (r *Run) Begins() {
	r.statement++
	clear(r.view)
	clear(r.viewed)
}

// begin begins a transaction of the log at the first thing that it has to do with rows.
func (r *Run) begin() error {
	if r.model != nil || r.log.Open() {
		return nil
	}
	return r.log.Begin()
}

// Commit ends the transaction, if there is one.
func (r *Run) Commit() error {
	if r.model != nil {
		return r.model.Commit()
	}
	defer r.ended()
	if !r.log.Open() {
		return nil
	}
	return r.log.Commit()
}

// Abort ends the transaction without effect, if there is one.
func (r *Run) Abort() error {
	if r.model != nil {
		return r.model.Abort()
	}
	defer r.ended()
	if !r.log.Open() {
		return nil
	}
	return r.log.Abort("rollback")
}

// ended forgets what belongs to a transaction.
func (r *Run) ended() {
	r.txn++
	r.inserts = 0
	r.own, r.written = nil, nil
	clear(r.locked)
	clear(r.values)
}

// Mark is a point of a transaction to which it can go back.
type Mark struct {
	depth        int // under a model of the database: of the savepoint
	own, written int
	undo         func() error
}

// Mark returns the point where the open transaction is.
func (r *Run) Mark() Mark { return Mark{own: len(r.own), written: len(r.written), undo: r.log.Mark()} }

// Undo goes back to a point. What has been locked since stays locked.
func (r *Run) Undo(m Mark) error {
	if len(r.own) == m.own && len(r.written) == m.written {
		return nil
	}
	r.own, r.written = r.own[:m.own], r.written[:m.written]
	return m.undo()
}

// changed is the open transaction's last change of a row before a statement.
func (r *Run) changed(v rowVar, before int) *change {
	for i := len(r.own) - 1; i >= 0; i-- {
		if r.own[i].row == v && r.own[i].statement < before {
			return &r.own[i]
		}
	}
	return nil
}

// after is later than every statement.
func (r *Run) after() int { return r.statement + 1 }

// known is what the open transaction knows of a row without reading: as it was before
// the statement, or as it is now.
func (r *Run) known(v rowVar, now bool) (row sql.Row, ok bool) {
	at := r.statement
	if now {
		at = r.after()
	}
	if c := r.changed(v, at); c != nil {
		return c.content, true
	}
	if row, ok := r.locked[v]; ok {
		return row, true
	}
	if r.changed(v, r.after()) != nil { // inserted by the statement
		return nil, true
	}
	return nil, false
}

// see reads a row, once in a statement; nil where there is none.
func (r *Run) see(v rowVar) (sql.Row, error) {
	if row, ok := r.known(v, false); ok {
		return row, nil
	}
	if row, ok := r.view[v]; ok {
		return row, nil
	}
	x, err := r.log.Read(v.def.contentVar(v.id))
	if err != nil {
		return nil, err
	}
	row, err := v.def.row(x)
	r.view[v] = row
	return row, err
}

// lock reads the newest version of a row and keeps others from writing it.
func (r *Run) lock(v rowVar, now bool) (sql.Row, error) {
	if row, ok := r.known(v, now); ok {
		return row, nil
	}
	x, err := r.log.Lock(v.def.contentVar(v.id))
	if err != nil {
		return nil, err
	}
	row, err := v.def.row(x)
	r.locked[v] = row
	return row, err
}

// exclude locks a row where transactions exclude each other, and reports whether it could.
func (r *Run) exclude(v rowVar, shared bool) bool {
	l, ok := r.log.(rows.Locker)
	return !ok || l.Take(v.def.contentVar(v.id), shared)
}

// lockValue reads a key or a unique value by a locking read, once in a transaction,
// unless this transaction has written it.
func (r *Run) lockValue(name string) (any, error) {
	own := slices.Contains(r.written, name)
	if v, ok := r.values[name]; ok && !own {
		return v, nil
	}
	v, err := r.log.Lock(name)
	if err == nil && !own {
		r.values[name] = v
	}
	return v, err
}

// readValue reads a key or a unique value, once in a statement.
func (r *Run) readValue(name string) (any, error) {
	if !slices.Contains(r.written, name) {
		if v, ok := r.values[name]; ok {
			return v, nil
		}
		if v, ok := r.viewed[name]; ok {
			return v, nil
		}
	}
	v, err := r.log.Read(name)
	if err == nil {
		r.viewed[name] = v
	}
	return v, err
}

// write writes a key or a unique value.
func (r *Run) write(name string, value any) error {
	r.written = append(r.written, name)
	return r.log.Write(name, value)
}

// put writes the content of a row, nil to delete it.
func (r *Run) put(v rowVar, row sql.Row) error {
	r.own = append(r.own, change{v, r.statement, row})
	if row == nil {
		return r.log.Write(v.def.contentVar(v.id), nil)
	}
	shown, news := v.def.know(v.id, row)
	if l, ok := r.log.(rows.Scanner); ok {
		l.Appeared(v.def.name, v.def.contentVar(v.id)) // after know: a scan of another session finds the row, or is told of
	}
	if news {
		if err := r.log.Again(v.def.name, shown); err != nil {
			return err
		}
	}
	return r.log.Write(v.def.contentVar(v.id), shown)
}

// newRow names a row of a table without a primary key.
func (r *Run) newRow(d *Def) rowVar {
	r.inserts++
	return rowVar{d, fmt.Sprintf("%s.%d.%d", r.owner, r.txn, r.inserts)}
}

// next is the next number of AUTO_INCREMENT.
func (r *Run) next(d *Def) uint64 {
	n, ok := r.auto[d]
	if !ok {
		n = d.auto + uint64(r.index*rows.Stride)
	}
	return n
}

// Keep makes the run's numbers those with which sessions begin.
func (r *Run) Keep() {
	for d, n := range r.auto {
		d.auto = n
	}
}
