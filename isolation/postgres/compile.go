package postgres

import (
	"fmt"
	"math"

	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/isolation/statement"
)

// The tables of the programs, and their columns as a State has them: t has the
// unique indexes id and u and the value v; c has the unique index id and the
// value tid.
const (
	tableT = iota
	tableC
)

const indexID = 0

// program is what all states of a Machine share. Only pasts grows.
type program struct {
	source *statement.Program
	tables []Table
	txns   [][]transaction
	pasts  *statement.Pasts
}

// transaction is a transaction of the program, prepared for a State.
type transaction struct {
	level      Level
	readOnly   bool
	deferrable bool
	reads      []Read
	plans      []plan // of the statements
}

// ParseLevel is the level that programs name rc, rr or ser.
func ParseLevel(name string) (Level, error) {
	switch name {
	case statement.ReadCommitted:
		return ReadCommitted, nil
	case statement.RepeatableRead:
		return RepeatableRead, nil
	case statement.Serializable:
		return Serializable, nil
	}
	return 0, fmt.Errorf("PostgreSQL has no isolation level %q: the levels are rc, rr and ser", name)
}

// compile checks a program and prepares it.
func compile(p *statement.Program) (*program, error) {
	if n := len(p.Sessions); n > 64 {
		return nil, fmt.Errorf("%d sessions, at most 64 are possible", n)
	}
	c := &program{source: p, pasts: statement.NewPasts()}
	c.tables = []Table{{Unique: 2, Shared: p.HasChild}, {Unique: 1, Scanned: true, Shared: p.HasChild}}
	if p.HasChild {
		c.tables[tableC].Parents = []int{tableT}
	}
	for _, r := range p.Rows {
		if err := inRange(r.ID, r.V, r.U); err != nil || r.ID == 0 {
			return nil, fmt.Errorf("row %v of t: an id is not 0, and numbers have 32 bits", r)
		}
	}
	for i, s := range p.Sessions {
		var txns []transaction
		for j := range s {
			t, err := c.transaction(&s[j])
			if err != nil {
				return nil, fmt.Errorf("session %d, transaction %d: %w", i, j, err)
			}
			txns = append(txns, t)
		}
		c.txns = append(c.txns, txns)
	}
	return c, nil
}

func (c *program) transaction(t *statement.Transaction) (transaction, error) {
	level, err := ParseLevel(c.source.LevelOf(t))
	if err != nil {
		return transaction{}, err
	}
	out := transaction{level: level, readOnly: t.ReadOnly && !t.Auto, deferrable: t.Deferrable && !t.Auto, reads: []Read{}}
	if t.Auto && len(t.Stmts) != 1 {
		return out, fmt.Errorf("%d statements in autocommit, want 1", len(t.Stmts))
	}
	for i := range t.Stmts {
		st := &t.Stmts[i]
		if err := checkStatement(st); err != nil {
			return out, fmt.Errorf("statement %d: %w", i, err)
		}
		switch st.Op {
		case statement.Scan, statement.UpdPred, statement.DelPred:
			c.tables[tableT].Scanned = true
		}
		if st.Lock == statement.ForShare || st.Lock == statement.ForKeyShare {
			c.tables[tableT].Shared = true
		}
		out.reads = append(out.reads, readsOf(st)...)
		out.plans = append(out.plans, c.plan(st))
	}
	return out, nil
}

// plan is the statement as the executor sees it.
func (c *program) plan(st *statement.Statement) plan {
	p := plan{read: readOf(st), table: tableT}
	switch st.Op {
	case statement.Get, statement.Scan:
		p.locks, p.lock, p.wait = st.Lock != "", lockModes[st.Lock], policies[st.Wait]
	case statement.UpdKey, statement.UpdLocal, statement.UpdPred, statement.UpdU:
		p.verb = updates
	case statement.DelKey, statement.DelPred:
		p.verb = deletes
	case statement.DelChild:
		p.verb = deletes
	case statement.UpdChild:
		p.verb = updates
	case statement.Insert:
		p.verb, p.row = inserts, rowT(st.ID, st.C, st.U)
		p.arbiters, p.replaces = arbiters[st.Conflict], st.Conflict == statement.DoUpdate
	case statement.Child:
		p.verb, p.table, p.row = inserts, tableC, rowC(st.C, st.ID)
	}
	return p
}

// expressions are the expressions of a statement.
type expressions struct {
	st    *statement.Statement
	local int32
}

func (x *expressions) matches(r Row) bool { return x.st.Matches(int(r.Keys[0]), int(r.Value)) }

// set is the row that an update makes of a version.
func (x *expressions) set(r Row) Row {
	switch x.st.Op {
	case statement.UpdKey, statement.UpdPred, statement.Insert:
		r.Value += int32(x.st.C)
	case statement.UpdLocal:
		r.Value = x.local + int32(x.st.C)
	case statement.UpdU:
		r.Keys = []int32{r.Keys[0], int32(x.st.U)}
	case statement.UpdChild:
		return rowC(x.st.C, x.st.ID)
	}
	return r
}

// result is the result of a statement that has ended.
func (x *expressions) result(e *exec) statement.Result {
	switch x.st.Op {
	case statement.Get, statement.Scan:
		r := statement.Result{Kind: statement.Rows}
		for _, row := range e.out {
			r.Rows = append(r.Rows, statement.IDValue{ID: int(row.Keys[0]), V: int(row.Value)})
		}
		return r
	case statement.Agg:
		r := statement.Result{Kind: statement.Aggregate, N: len(e.out)}
		for _, row := range e.out {
			r.Sum += int(row.Value)
		}
		return r
	}
	return statement.Result{Kind: statement.Count, N: int(e.n)}
}

func checkStatement(st *statement.Statement) error {
	if err := inRange(st.ID, st.C, st.D, st.U); err != nil {
		return err
	}
	switch st.Op {
	case statement.Get, statement.Scan:
		if _, known := lockModes[st.Lock]; !known {
			return fmt.Errorf("unknown locking clause %q", st.Lock)
		}
		if w := st.Wait; w != "" && w != statement.NoWait && w != statement.SkipLocked {
			return fmt.Errorf("unknown wait policy %q", w)
		}
	case statement.Insert:
		if _, known := arbiters[st.Conflict]; !known {
			return fmt.Errorf("unknown conflict clause %q", st.Conflict)
		}
		if st.ID == 0 {
			return fmt.Errorf("an id is not 0")
		}
	case statement.Child:
		if st.C == 0 {
			return fmt.Errorf("an id is not 0")
		}
	case statement.Agg, statement.UpdKey, statement.UpdLocal, statement.UpdPred, statement.UpdU, statement.DelKey,
		statement.DelPred, statement.DelChild, statement.UpdChild, statement.Save, statement.BackTo, statement.Quit:
	default:
		return fmt.Errorf("unknown statement %q", st.Op)
	}
	return nil
}

func inRange(numbers ...int) error {
	for _, n := range numbers {
		if n < math.MinInt32 || n > math.MaxInt32 {
			return fmt.Errorf("%d does not fit in 32 bits", n)
		}
	}
	return nil
}

// readOf is what the scan of a statement reads.
func readOf(st *statement.Statement) Read {
	if key, by := st.ByKey(); by {
		r := Read{Kind: ReadKey, Table: tableT, Value: int32(key)}
		if st.Op == statement.DelChild || st.Op == statement.UpdChild {
			r.Table = tableC
		}
		return r
	}
	if st.D == statement.All {
		return Read{Kind: ReadTable, Table: tableT}
	}
	return Read{Kind: ReadFrom, Table: tableT, Value: int32(st.D)}
}

// readsOf is what a statement may read in its transaction's snapshot.
func readsOf(st *statement.Statement) []Read {
	switch st.Op {
	case statement.Save, statement.BackTo, statement.Quit:
		return nil
	case statement.Child:
		return []Read{{Kind: ReadKey, Table: tableT, Value: int32(st.ID)}}
	case statement.UpdChild:
		return []Read{readOf(st), {Kind: ReadKey, Table: tableT, Value: int32(st.ID)}}
	case statement.Insert:
		switch st.Conflict {
		case "":
			return nil
		case statement.DoNothing:
			return []Read{{Kind: ReadTable, Table: tableT}}
		}
		return []Read{{Kind: ReadKey, Table: tableT, Value: int32(st.ID)}}
	}
	return []Read{readOf(st)}
}

var lockModes = map[string]Mode{"": 0, statement.ForUpdate: ForUpdate, statement.ForShare: Share,
	statement.ForNoKeyUpdate: NoKeyUpdate, statement.ForKeyShare: KeyShare}

var policies = map[string]model.Wait{"": model.ForLock, statement.NoWait: model.NoWait, statement.SkipLocked: model.Skip}

// arbiters are the indexes that decide about a conflict, as a set.
var arbiters = map[string]uint32{"": 0, statement.DoNothing: 1<<indexID | 1<<1,
	statement.DoNothingID: 1 << indexID, statement.DoUpdate: 1 << indexID}
