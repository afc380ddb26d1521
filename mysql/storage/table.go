package storage

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// Table is a table in one place of a statement's plan.
type Table struct {
	def       *Def
	reference *Reference       // where the statement names it; nil where it does not
	lookup    *sql.IndexLookup // of a scan by an index
	now       bool             // reads are for a foreign key
	keyOnly   bool             // and only ask whether there is a row
	deferred  bool             // see Defer
	last      found            // what a scan has returned last
	exact     bool             // see Exact
	scan      *modelled        // under a model of the database: that has returned a row last
	parts     []Part           // of the statement's condition: see Push
	static    bool             // a scan begins where the statement says, and no other table's rows
}

var (
	_ sql.IndexAddressableTable    = (*Table)(nil)
	_ sql.IndexedTable             = (*Table)(nil)
	_ sql.InsertableTable          = (*Table)(nil)
	_ sql.ReplaceableTable         = (*Table)(nil)
	_ sql.UpdatableTable           = (*Table)(nil)
	_ sql.DeletableTable           = (*Table)(nil)
	_ sql.AutoIncrementTable       = (*Table)(nil)
	_ sql.ForeignKeyTable          = (*Table)(nil)
	_ sql.CheckAlterableTable      = (*Table)(nil)
	_ sql.CheckTable               = (*Table)(nil)
	_ sql.PrimaryKeyTable          = (*Table)(nil)
	_ sql.IndexAlterableTable      = (*Table)(nil)
	_ sql.AlterableTable           = (*Table)(nil)
	_ sql.TruncateableTable        = (*Table)(nil)
	_ sql.PrimaryKeyAlterableTable = (*Table)(nil)
	_ sql.ReferenceChecker         = (*Table)(nil)
	_ sql.StatisticsTable          = (*Table)(nil)
	_ sql.TemporaryTable           = (*Table)(nil)
	_ sql.CommentedTable           = (*Table)(nil)
)

// Name implements sql.Table.
func (t *Table) Name() string { return t.def.name }

// String implements sql.Table.
func (t *Table) String() string { return t.def.name }

// Schema implements sql.Table.
func (t *Table) Schema(*sql.Context) sql.Schema {
	if t.exact {
		return exactly(t.def.schema.Schema)
	}
	return t.def.schema.Schema
}

// Exact makes texts of the schema equal only when they are the same, whatever their
// collations: an UPDATE changes ann to Ann.
func (t *Table) Exact() { t.exact = true }

func exactly(schema sql.Schema) sql.Schema {
	copied := make(sql.Schema, len(schema))
	for i, c := range schema {
		copied[i] = c
		t, ok := c.Type.(sql.StringType)
		if !ok || t.Collation() == sql.Collation_binary {
			continue
		}
		if with, err := t.(sql.TypeWithCollation).WithNewCollation(sql.Collation_utf8mb4_bin); err == nil {
			other := *c
			other.Type = with
			copied[i] = &other
		}
	}
	return copied
}

// PrimaryKeySchema implements sql.PrimaryKeyTable.
func (t *Table) PrimaryKeySchema(*sql.Context) sql.PrimaryKeySchema { return t.def.schema }

// Collation implements sql.Table.
func (t *Table) Collation() sql.CollationID { return t.def.collation }

// Comment implements sql.CommentedTable.
func (t *Table) Comment() string { return t.def.comment }

// IsTemporary implements sql.TemporaryTable.
func (t *Table) IsTemporary() bool { return false }

// PreciseMatch implements sql.IndexAddressable: scans return no rows outside of their
// ranges.
func (t *Table) PreciseMatch() bool { return true }

// SetReferenceCheck implements sql.ReferenceChecker: only the keys of rows matter.
func (t *Table) SetReferenceCheck() error {
	t.keyOnly = true
	return nil
}

// The plan of a statement must not depend on the rows: every table has as many.
const (
	rowCount   = 100_000
	dataLength = 100 * rowCount
)

// RowCount implements sql.StatisticsTable.
func (t *Table) RowCount(*sql.Context) (uint64, bool, error) { return rowCount, false, nil }

// DataLength implements sql.StatisticsTable.
func (t *Table) DataLength(*sql.Context) (uint64, error) { return dataLength, nil }

// Primary are the columns of the primary key, in lower case: a scan of the table returns
// rows in their order.
func (t *Table) Primary() (names []string) {
	if p := t.def.primary(); p != nil {
		for _, n := range p.names() {
			names = append(names, strings.ToLower(n))
		}
	}
	return names
}

// Backwards is all of the table, from the last row to the first one; false where hints keep the
// primary key out.
func (t *Table) Backwards(ctx *sql.Context) (l sql.IndexLookup, ok bool) {
	x := t.def.primary()
	if x == nil || !t.place().Hint.admits(x.name) {
		return l, false
	}
	var all sql.MySQLRange
	for _, c := range x.columns {
		all = append(all, sql.AllRangeColumnExpr(t.def.schema.Schema[c].Type))
	}
	return sql.IndexLookup{Index: x, Ranges: sql.MySQLRangeCollection{all}, IsReverse: true}, true
}

// partition is all of a table, or what an index finds.
type partition struct{ lookup *sql.IndexLookup }

// Key implements sql.Partition.
func (partition) Key() []byte { return []byte{1} }

// Partitions implements sql.Table.
func (t *Table) Partitions(*sql.Context) (sql.PartitionIter, error) {
	return sql.PartitionsToPartitionIter(partition{}), nil
}

// IndexedAccess implements sql.IndexAddressable.
func (t *Table) IndexedAccess(*sql.Context, sql.IndexLookup) sql.IndexedTable {
	return &Table{def: t.def, reference: t.reference, now: t.now, keyOnly: t.keyOnly}
}

// LookupPartitions implements sql.IndexedTable.
func (t *Table) LookupPartitions(_ *sql.Context, l sql.IndexLookup) (sql.PartitionIter, error) {
	return sql.PartitionsToPartitionIter(partition{&l}), nil
}

// PartitionRows implements sql.Table.
func (t *Table) PartitionRows(ctx *sql.Context, p sql.Partition) (sql.RowIter, error) {
	if t.Modelled(ctx) {
		return &modelled{t: t, lookup: p.(partition).lookup}, nil
	}
	return &scan{t: t, lookup: p.(partition).lookup}, nil
}

// GetIndexes implements sql.IndexAddressable.
func (t *Table) GetIndexes(ctx *sql.Context) (list []sql.Index, err error) {
	st := &sessionOf(ctx).statement
	hint := t.place().Hint
	extends := st.Scans && t.Modelled(ctx)
	if p := t.def.primary(); p != nil && hint.admits(p.name) {
		list = append(list, p)
	}
	for _, x := range t.def.indexes {
		if !hint.admits(x.name) {
			continue
		}
		if extends {
			x = x.extended()
		}
		list = append(list, x)
	}
	return list, nil
}

// IndexNames are the names of the table's indexes, those too that the statement's hints leave out.
func (t *Table) IndexNames() (names []string) {
	if p := t.def.primary(); p != nil {
		names = append(names, p.name)
	}
	for _, x := range t.def.indexes {
		names = append(names, x.name)
	}
	return names
}

// GetDeclaredForeignKeys implements sql.ForeignKeyTable. A model of the database checks
// itself whether a row references one.
func (t *Table) GetDeclaredForeignKeys(ctx *sql.Context) (list []sql.ForeignKeyConstraint, err error) {
	if t.Modelled(ctx) {
		return nil, nil
	}
	for _, f := range t.def.db.foreign {
		if strings.EqualFold(f.Table, t.def.name) {
			list = append(list, f)
		}
	}
	return list, nil
}

// GetReferencedForeignKeys implements sql.ForeignKeyTable. A model of the database knows
// no actions, and has no need of others.
func (t *Table) GetReferencedForeignKeys(ctx *sql.Context) (list []sql.ForeignKeyConstraint, err error) {
	modelled := t.Modelled(ctx)
	for _, f := range t.def.db.foreign {
		if strings.EqualFold(f.ParentTable, t.def.name) && (!modelled || acts(f)) {
			list = append(list, f)
		}
	}
	return list, nil
}

// GetChecks implements sql.CheckTable.
func (t *Table) GetChecks(*sql.Context) ([]sql.CheckDefinition, error) { return t.def.checks, nil }
