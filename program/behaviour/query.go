package behaviour

import (
	"fmt"
	"slices"
	"sync"
)

// ReadOption is an option of a read: a locking clause, what it does where it would
// wait, or how many rows are wanted.
type ReadOption uint32

const (
	// ForUpdate is SELECT … FOR UPDATE.
	ForUpdate ReadOption = 1 << iota
	// ForShare is SELECT … FOR SHARE.
	ForShare
	// NoWait is NOWAIT: where the read would wait it fails, in PostgreSQL with 55P03, in
	// InnoDB with 1205. Without a locking clause it has no meaning.
	NoWait
	// SkipLocked is SKIP LOCKED: where the read would wait it leaves the row out.
	SkipLocked

	limitShift = 8
)

// Limit is LIMIT n: a read of a table returns at most n rows.
func Limit(n int) ReadOption { return ReadOption(max(n, 0)) << limitShift }

// Limit is the number of rows that are wanted at most; 0: all.
func (o ReadOption) Limit() int { return int(o >> limitShift) }

// Locks reports whether there is a locking clause.
func (o ReadOption) Locks() bool { return o&(ForUpdate|ForShare) != 0 }

// String is the options as SQL has them.
func (o ReadOption) String() string {
	text := ""
	if n := o.Limit(); n > 0 {
		text = fmt.Sprintf(" limit %d", n)
	}
	for i, word := range []string{" for update", " for share", " nowait", " skip locked"} {
		if o>>i&1 == 1 {
			text += word
		}
	}
	return text
}

// Verb is what a statement does with the rows of a table.
type Verb uint8

const (
	// SelectRows is SELECT.
	SelectRows Verb = iota
	// UpdateRows is UPDATE.
	UpdateRows
	// DeleteRows is DELETE.
	DeleteRows
	// InsertRow is INSERT.
	InsertRow
)

// Conflict is what an INSERT does where the row exists.
type Conflict uint8

const (
	// FailOnConflict lets it fail.
	FailOnConflict Conflict = iota
	// IgnoreOnConflict is ON CONFLICT DO NOTHING, and INSERT IGNORE.
	IgnoreOnConflict
	// UpdateOnConflict is ON CONFLICT DO UPDATE, and ON DUPLICATE KEY UPDATE.
	UpdateOnConflict
)

// Entry is the value of a unique column of a row, or what the row refers to. Equal values
// have equal IDs, Order orders them; the ID 0 is null. The ID of a row is one more than
// its VarID.
type Entry struct {
	ID    int32
	Order int
}

// Query is a statement on a table, in database mode. It is never changed.
type Query struct {
	Verb     Verb
	Table    int        // from 1
	Var      VarID      // the row, if ByKey, and of InsertRow
	ByKey    bool       // by its key; else all rows are looked at
	Judged   bool       // the client says which rows are meant: see Client.Evaluate
	How      ReadOption // of SelectRows
	Val      ValueID    // of InsertRow
	Columns  []Entry    // of InsertRow: the unique columns, then the references
	Conflict Conflict   // of InsertRow

	mu       sync.RWMutex
	verdicts map[Item]Verdict
}

// Item is a row with a value.
type Item struct {
	Var VarID
	Val ValueID
}

// Verdict is what a statement makes of a row.
type Verdict struct {
	Matches bool    // the row is meant
	Val     ValueID // of UPDATE, and of INSERT on conflict: its new value
	Columns []Entry // and its unique columns and references
}

func (q *Query) same(o *Query) bool {
	if q == nil || o == nil {
		return q == o
	}
	return q.Verb == o.Verb && q.Table == o.Table && q.Var == o.Var && q.ByKey == o.ByKey && q.Judged == o.Judged && q.How == o.How &&
		q.Val == o.Val && q.Conflict == o.Conflict && slices.Equal(q.Columns, o.Columns)
}

// Verdict returns what Evaluate has returned before.
func (q *Query) Verdict(x VarID, v ValueID) (Verdict, bool) {
	q.mu.RLock()
	defer q.mu.RUnlock()
	verdict, ok := q.verdicts[Item{x, v}]
	return verdict, ok
}

// Keep keeps what Evaluate has returned, for Verdict.
func (q *Query) Keep(x VarID, v ValueID, verdict Verdict) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.verdicts == nil {
		q.verdicts = map[Item]Verdict{}
	}
	q.verdicts[Item{x, v}] = verdict
}

// Same reports whether two verdicts are the same.
func (v Verdict) Same(o Verdict) bool {
	return v.Matches == o.Matches && v.Val == o.Val && slices.Equal(v.Columns, o.Columns)
}
