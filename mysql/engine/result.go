package engine

import (
	"bytes"
	"io"
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// drain reads all rows of a statement.
func (c *Conn) drain(s *sql.Context, schema sql.Schema, iter sql.RowIter) (*sqltypes.Result, error) {
	r := &sqltypes.Result{}
	ok := schema == nil || types.IsOkResultSchema(schema)
	if !ok {
		r.Fields = fields(s, schema)
	}
	for {
		row, err := iter.Next(s)
		if err == io.EOF {
			break
		}
		if err == nil {
			err = c.add(s, r, schema, row, ok)
		}
		if err != nil {
			err = c.single(err)
			_ = iter.Close(s) // the first error counts
			return nil, err
		}
	}
	if err := iter.Close(s); err != nil {
		return nil, c.single(err)
	}
	if !ok {
		r.RowsAffected = uint64(len(r.Rows))
	}
	return r, nil
}

// add adds a row to a result, or the counts of a statement that returns no rows.
func (c *Conn) add(s *sql.Context, r *sqltypes.Result, schema sql.Schema, row sql.Row, ok bool) error {
	if ok {
		if len(row) == 1 {
			if counts, is := row[0].(types.OkResult); is {
				if r.RowsAffected = counts.RowsAffected; r.RowsAffected > 0 {
					r.InsertID = c.session.InsertID()
				} else {
					r.InsertID = c.session.Noted() // also of a row that is not changed
				}
				if counts.Info != nil {
					r.Info = counts.Info.String()
				}
			}
		}
		return nil
	}
	values := make([]sqltypes.Value, len(schema))
	for i, col := range schema {
		if row[i] == nil {
			values[i] = sqltypes.NULL
			continue
		}
		t := col.Type
		if other := otherType(t, row[i]); other != nil { // the plan was not told of an expression of the package
			t, r.Fields[i].Type = other, other.Type()
			r.Fields[i].Flags &^= uint32(query.MySqlFlag_UNSIGNED_FLAG)
			if types.IsUnsigned(t) {
				r.Fields[i].Flags |= uint32(query.MySqlFlag_UNSIGNED_FLAG)
			}
		}
		v, err := t.SQL(s, nil, row[i])
		if err != nil {
			return err
		}
		values[i] = plain(v, t, row[i])
	}
	r.Rows = append(r.Rows, values)
	return nil
}

// otherType is the type of a number in a column whose type has no room for it; else nil.
func otherType(t sql.Type, v any) sql.Type {
	switch n := v.(type) {
	case float64:
		if !types.IsFloat(t) {
			return types.Float64
		}
	case int64:
		if types.IsDecimal(t) {
			return types.Int64
		}
		if t != types.Int64 && types.IsInteger(t) && !within(t, n) {
			return types.Int64
		}
	case uint64:
		if t != types.Uint64 && types.IsInteger(t) && !within(t, n) {
			return types.Uint64
		}
	}
	return nil
}

func within(t sql.Type, n any) bool {
	least, greatest := limits(t)
	v := exactNumber(n)
	return greatest == "" || v.Cmp(rational(least)) >= 0 && v.Cmp(rational(greatest)) <= 0
}

// plain is a value as a server writes it: a time of the day without a fraction that is 0, of
// which the engine's have six digits, and a decimal 0 without a sign and with its places.
func plain(v sqltypes.Value, t sql.Type, of any) sqltypes.Value {
	switch v.Type() {
	case sqltypes.Time:
		return sqltypes.MakeTrusted(sqltypes.Time, bytes.TrimSuffix(v.Raw(), []byte(".000000")))
	case sqltypes.Decimal:
		if d, is := t.(sql.DecimalType); is && len(bytes.Trim(v.Raw(), "-0.")) == 0 {
			places := int(d.Scale())
			if n, is := of.(*apd.Decimal); is && n.Exponent < 0 {
				places = min(places, int(-n.Exponent))
			}
			return sqltypes.MakeTrusted(sqltypes.Decimal, strconv.AppendFloat(nil, 0, 'f', places, 64))
		}
	}
	return v
}

// fields describe a result's columns.
func fields(s *sql.Context, schema sql.Schema) []*query.Field {
	list := make([]*query.Field, len(schema))
	for i, c := range schema {
		list[i] = field(s, c)
	}
	return list
}

func field(s *sql.Context, c *sql.Column) *query.Field {
	charset := uint32(sql.Collation_Default.CharacterSet())
	if t, ok := c.Type.(sql.TypeWithCollation); ok {
		charset = uint32(t.Collation().CharacterSet())
	}
	if types.IsBinaryType(c.Type) {
		charset = uint32(sql.Collation_binary)
	}
	f := &query.Field{Name: c.Name, OrgName: c.Name, Table: c.Source, OrgTable: c.Source, Database: c.DatabaseSource,
		Type: c.Type.Type(), Charset: charset, ColumnLength: c.Type.MaxTextResponseByteLength(s)}
	var flags query.MySqlFlag
	if !c.Nullable {
		flags |= query.MySqlFlag_NOT_NULL_FLAG
	}
	if c.AutoIncrement {
		flags |= query.MySqlFlag_AUTO_INCREMENT_FLAG
	}
	if c.PrimaryKey {
		flags |= query.MySqlFlag_PRI_KEY_FLAG
	}
	if types.IsUnsigned(c.Type) {
		flags |= query.MySqlFlag_UNSIGNED_FLAG
	}
	f.Flags = uint32(flags)
	switch t := c.Type.(type) {
	case sql.DecimalType:
		f.Decimals = uint32(t.Scale())
	case sql.DatetimeType:
		f.Decimals = uint32(t.Precision())
	}
	return f
}

// count corrects the numbers of a statement where the engine counts otherwise than a
// server. These are the rows that a REPLACE deletes, the rows that a DELETE finds more
// than once, and the result of LAST_INSERT_ID after a REPLACE.
func (c *Conn) count(s *sql.Context, parsed sqlparser.Statement, r *sqltypes.Result) {
	switch p := parsed.(type) {
	case *sqlparser.Insert:
		if !strings.EqualFold(p.Action, sqlparser.ReplaceStr) {
			return
		}
		r.RowsAffected = uint64(c.session.Changes(p.Table.Name.String()))
		if made := c.session.Made(); made != 0 {
			s.GetLastQueryInfo().LastInsertId.Store(int64(made))
		}
	case *sqlparser.Delete:
		tables := targetsOf(p)
		if len(tables) == 0 || len(tables) > 1 && c.cascades(s, tables) {
			return
		}
		r.RowsAffected = 0
		for name := range tables {
			r.RowsAffected += uint64(c.session.Changes(name))
		}
	}
}

// targetsOf are the tables that a DELETE from a join deletes from, in lower case.
func targetsOf(d *sqlparser.Delete) map[string]bool {
	tables, named := map[string]bool{}, tablesOf(d.TableExprs)
	for _, t := range d.Targets {
		name := strings.ToLower(t.Name.String())
		if of, ok := named[name]; ok {
			name = of
		}
		tables[name] = true
	}
	return tables
}

// cascades reports whether rows of one of the tables go with those of another one, which
// the count leaves out.
func (c *Conn) cascades(s *sql.Context, tables map[string]bool) bool {
	for name := range tables {
		t, ok, err := c.engine.db.GetTableInsensitive(s, name)
		if !ok || err != nil {
			continue
		}
		keys, _ := t.(sql.ForeignKeyTable).GetReferencedForeignKeys(s) // which the storage always knows
		for _, k := range keys {
			if k.OnDelete == sql.ForeignKeyReferentialAction_Cascade && tables[strings.ToLower(k.Table)] {
				return true
			}
		}
	}
	return false
}
