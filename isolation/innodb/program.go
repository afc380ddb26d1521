package innodb

import (
	"fmt"

	"github.com/txmc/txmc/isolation/statement"
)

// The programs of package statement on the engine. t(id, v, u) has the clustered index
// on id, a unique index on u and, in some programs, an index on v. Some programs have
// the table c(id, tid), and its tid references t.

// The tables.
const (
	tableT = iota
	tableC
)

// The columns of t.
const (
	columnID = iota
	columnV
	columnU
)

// The indexes of t.
const (
	indexID = iota
	indexU
	indexV
)

// schemaOf is the schema of a program. Unique indexes come first, as on the server.
func schemaOf(p *statement.Program) Schema {
	t := Table{Columns: 3, Indexes: []Index{
		{Columns: []int{columnID}, Unique: true},
		{Columns: []int{columnU}, Unique: true},
	}}
	if p.IndexV {
		t.Indexes = append(t.Indexes, Index{Columns: []int{columnV}})
	}
	s := Schema{Tables: []Table{t}}
	if p.HasChild {
		s.Tables = append(s.Tables, Table{Columns: 2, Indexes: []Index{{Columns: []int{0}, Unique: true}, {Columns: []int{1}}}})
		s.Foreign = []ForeignKey{{Table: tableC, Index: 1, Parent: tableT, ParentIndex: indexID, Columns: 1}}
	}
	return s
}

// rowsOf are the initial rows of a program, by tables.
func rowsOf(p *statement.Program) [][]Row {
	rows := make([][]Row, 1, 2)
	for _, r := range p.Rows {
		rows[tableT] = append(rows[tableT], Row{r.ID, r.V, nullable(r.U)})
	}
	if p.HasChild {
		rows = append(rows, nil)
		for _, r := range p.Children {
			rows[tableC] = append(rows[tableC], Row{r.ID, r.Tid})
		}
	}
	return rows
}

// columns are the columns, and their indexes, by their names in programs.
var columns = map[string]struct{ column, index int }{
	"id": {columnID, indexID}, "u": {columnU, indexU}, "v": {columnV, indexV},
}

// nullable is a value of u: a program writes null as 0.
func nullable(u int) int {
	if u == 0 {
		return Null
	}
	return u
}

// levels are the levels by their names in programs.
var levels = map[string]Level{
	statement.ReadUncommitted: ReadUncommitted,
	statement.ReadCommitted:   ReadCommitted,
	statement.RepeatableRead:  RepeatableRead,
	statement.SnapshotReads:   SnapshotIsolation,
	statement.Serializable:    Serializable,
}

// check says what of a program is not known to InnoDB.
func check(p *statement.Program) error {
	for i, session := range p.Sessions {
		for j := range session {
			t := &session[j]
			if _, known := levels[p.LevelOf(t)]; !known {
				return fmt.Errorf("session %d, transaction %d: InnoDB has no level %q", i, j, p.LevelOf(t))
			}
			for k, st := range t.Stmts {
				if !known(p, st) {
					return fmt.Errorf("session %d, transaction %d, statement %d: %s is not modelled", i, j, k, st.SQL(p.DB, 0))
				}
			}
		}
	}
	return nil
}

func known(p *statement.Program, st statement.Statement) bool {
	switch st.Op {
	case statement.Range, statement.UpdRange:
		_, column := columns[st.By]
		return column && (st.By != "v" || p.IndexV) && (st.Lock == "" || st.Lock == statement.ForShare || st.Lock == statement.ForUpdate)
	case statement.Get, statement.Scan:
		return st.Lock == "" || st.Lock == statement.ForShare || st.Lock == statement.ForUpdate
	case statement.Child, statement.DelChild, statement.UpdChild:
		return p.HasChild
	case statement.Insert:
		return st.Conflict == "" || st.Conflict == statement.DoNothing || st.Conflict == statement.DoUpdate
	case statement.Save, statement.BackTo, statement.Agg, statement.UpdKey, statement.UpdLocal, statement.UpdPred, statement.UpdU, statement.UpdID,
		statement.DelKey, statement.DelPred, statement.Quit:
		return true
	}
	return false
}
