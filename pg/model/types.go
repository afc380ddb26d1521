package model

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"maps"
	"slices"
	"strings"

	"github.com/txmc/txmc/pg/engine"
)

// compares are the orders of types whose equal values have equal bytes. Texts are in
// the order of their bytes, as the server has the collation C.
var compares = map[engine.OID]func(a, b engine.Value) int{
	engine.TypeBool: bytesOrder, engine.TypeBytea: bytesOrder, engine.TypeText: bytesOrder, engine.TypeVarchar: bytesOrder, engine.TypeUUID: bytesOrder,
	engine.TypeInt2: integers, engine.TypeInt4: integers, engine.TypeInt8: integers, engine.TypeDate: integers, engine.TypeTimestamp: integers, engine.TypeTimestamptz: integers,
	engine.TypeOID: func(a, b engine.Value) int { return cmp.Compare(unsigned(a), unsigned(b)) },
}

func bytesOrder(a, b engine.Value) int { return bytes.Compare(a, b) }

func integers(a, b engine.Value) int { return cmp.Compare(signed(a), signed(b)) }

func unsigned(v engine.Value) uint64 {
	var b [8]byte
	copy(b[:], v)
	return binary.LittleEndian.Uint64(b[:])
}

// signed is a whole number of two, four or eight bytes.
func signed(v engine.Value) int64 {
	shift := 64 - 8*min(len(v), 8)
	return int64(unsigned(v)<<shift) >> shift
}

// exact reports whether bytes tell the keys of an index apart.
func exact(i *engine.Index) bool {
	return !slices.ContainsFunc(i.KeyTypes(), func(t engine.OID) bool { return compares[t] == nil })
}

// text renders a row for people: {bal:100 id:1 owner:ann}.
func (t *table) text(c *engine.Call, row engine.Row) string {
	parts := map[string]string{}
	for i, col := range t.Columns {
		if !col.Dropped {
			parts[col.Name] = col.Name + ":" + c.Text(col.Type, col, row[i])
		}
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		list = append(list, parts[name])
	}
	return "{" + strings.Join(list, " ") + "}"
}

// nameOf is the primary key of a row for people, "" if there is none.
func (t *table) nameOf(c *engine.Call, row engine.Row) string {
	i := slices.IndexFunc(t.Indexes, func(x *engine.Index) bool { return x.Primary })
	if i < 0 {
		return ""
	}
	var parts []string
	for _, n := range t.Indexes[i].Columns[:t.Indexes[i].Keys] {
		parts = append(parts, c.Text(t.Columns[n-1].Type, t.Columns[n-1], row[n-1]))
	}
	return strings.Join(parts, ",")
}
