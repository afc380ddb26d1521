// Tables and their indexes, read from the server's relation cache.

package engine

import (
	"fmt"
	"maps"
)

// Relation is a table as it is defined.
type Relation struct {
	OID     OID
	Schema  string
	Name    string
	Kind    byte // PostgreSQL's relkind
	Columns []Column
	Indexes []*Index
	temp    bool
}

// Column is a column. Dropped ones keep their places.
type Column struct {
	Name                        string
	Type                        OID
	Typmod                      int32
	NotNull, Dropped, Generated bool
	length                      int16 // bytes; -1: varlena, -2: C string
	byValue                     bool
	align                       byte
}

// Index is an index of a table.
type Index struct {
	OID       OID
	Name      string
	Table     OID
	Columns   []int // positions in the table, from 1; 0 is an expression
	Keys      int   // how many of the columns are keys; the others are included
	Unique    bool
	Primary   bool
	Immediate bool // uniqueness is not deferrable
	Partial   bool // it has a predicate
	NullsSame bool // nulls are equal: NULLS NOT DISTINCT
	Excludes  bool // it is of an exclusion constraint
	stored
}

// stored is how an index keeps its entries.
type stored struct {
	columns []Column // as the index has them
	tree    bool     // it is a btree
}

// Plain reports whether the index has rows for all rows of the table, and only columns as keys.
// Keys with a null differ.
func (i *Index) Plain() bool {
	for _, c := range i.Columns[:i.Keys] {
		if c == 0 {
			return false
		}
	}
	return !i.Partial && !i.NullsSame
}

// Temporary reports whether the relation belongs to the session alone.
func (r *Relation) Temporary() bool { return r.temp }

// hooked reports whether the table's rows are the hooks' business: ordinary tables that are not temporary.
func (r *Relation) hooked() bool { return r.Kind == 'r' && !r.temp }

// catalog is what is known of tables. Entries do not change; the server tells when they are out of date.
type catalog struct {
	tables  map[OID]*Relation
	indexes map[OID]*Index
}

func (c catalog) clone() catalog {
	return catalog{maps.Clone(c.tables), maps.Clone(c.indexes)}
}

func newCatalog() catalog { return catalog{map[OID]*Relation{}, map[OID]*Index{}} }

// withRelation opens a relation for a while. It is 0 if there is none.
func (x *Instance) withRelation(oid OID, f func(rel uint32)) {
	rel := uint32(x.proc.Must("RelationIdGetRelation", uint64(oid)))
	f(rel)
	if rel != 0 {
		x.proc.Must("RelationClose", uint64(rel))
	}
}

// table is the description of a table by its identifier.
func (x *Instance) table(oid OID) *Relation {
	if r := x.cat.tables[oid]; r != nil {
		return r
	}
	var r *Relation
	x.withRelation(oid, func(rel uint32) {
		if rel != 0 {
			r = x.readTable(rel)
		}
	})
	if r == nil {
		r = &Relation{OID: oid}
	}
	x.cat.tables[oid] = r
	return r
}

// tableAt is the description of an open relation.
func (x *Instance) tableAt(rel uint32) *Relation {
	oid := OID(x.proc.Word(rel + relID))
	if r := x.cat.tables[oid]; r != nil {
		return r
	}
	r := x.readTable(rel)
	x.cat.tables[oid] = r
	return r
}

const relPersistence = 118 // in pg_class

func (x *Instance) readTable(rel uint32) *Relation {
	p := x.proc
	class := p.Word(rel + relRel)
	r := &Relation{OID: OID(p.Word(rel + relID)), Name: p.String(class + className), Kind: p.Byte(class + classKind),
		temp: p.Byte(class+relPersistence) == 't', Columns: x.readColumns(rel)}
	if r.OID < firstUser || !r.hooked() {
		return r
	}
	if name := uint32(p.Must("get_namespace_name", uint64(p.Word(class+classSchema)))); name != 0 {
		r.Schema = p.String(name)
	}
	list := uint32(p.Must("RelationGetIndexList", uint64(rel)))
	for _, oid := range x.list(list) {
		x.withRelation(OID(oid), func(index uint32) {
			if index != 0 {
				r.Indexes = append(r.Indexes, x.indexAt(index))
			}
		})
	}
	return r
}

func (x *Instance) readColumns(rel uint32) []Column {
	p := x.proc
	cols := make([]Column, p.Word(p.Word(rel+relAtt)+descCount))
	for i := range cols {
		a := x.attribute(rel, i)
		cols[i] = Column{Name: p.String(a + attName), Type: OID(p.Word(a + attType)), Typmod: int32(p.Word(a + attTypmod)),
			NotNull: p.Byte(a+attNotNull) != 0, Dropped: p.Byte(a+attDropped) != 0, Generated: p.Byte(a+attGen) != 0,
			length: int16(p.Half(a + attLen)), byValue: p.Byte(a+attByVal) != 0, align: p.Byte(a + attAlign)}
	}
	return cols
}

// list reads a List of words (nodes/pg_list.h); 0 is the empty one.
func (x *Instance) list(at uint32) []uint32 {
	if at == 0 {
		return nil
	}
	const length, elements = 4, 12
	out := make([]uint32, x.proc.Word(at+length))
	for i := range out {
		out[i] = x.proc.Word(x.proc.Word(at+elements) + uint32(4*i))
	}
	return out
}

func (x *Instance) indexAt(rel uint32) *Index {
	p := x.proc
	oid := OID(p.Word(rel + relID))
	if i := x.cat.indexes[oid]; i != nil {
		return i
	}
	form := p.Word(rel + relIndex)
	i := &Index{OID: oid, Name: p.String(p.Word(rel+relRel) + className), Table: OID(p.Word(form + indexTable)),
		Keys: int(p.Half(form + indexKeys)), Unique: p.Byte(form+indexUnique) != 0, Primary: p.Byte(form+indexPrimary) != 0,
		Immediate: p.Byte(form+indexImmediate) != 0, NullsSame: p.Byte(form+indexNullsSame) != 0, Excludes: p.Byte(form+indexExcludes) != 0,
		stored: stored{x.readColumns(rel), p.Word(p.Word(rel+relIndexAM)+indexAMRescan) == rescans[0]}}
	for k := range uint32(p.Half(form + indexCount)) {
		i.Columns = append(i.Columns, int(int16(p.Half(form+indexKey+2*k))))
	}
	info := uint32(p.Must("BuildIndexInfo", uint64(rel)))
	i.Partial = p.Word(info+infoPredicate) != 0
	x.cat.indexes[oid] = i
	return i
}

// invalidate forgets what is known of tables: the server changed definitions.
func (x *Instance) invalidate() {
	clear(x.cat.tables)
	clear(x.cat.indexes)
	x.redefined = true
}

// String is the name with its schema.
func (r *Relation) String() string { return fmt.Sprintf("%s.%s", r.Schema, r.Name) }
