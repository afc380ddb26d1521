// Rows as Go values: from tuples in memory and into them (access/htup_details.h, varatt.h).

package engine

import (
	"encoding/binary"
	"fmt"
)

// Value is a column's value in PostgreSQL's binary form in memory, little-endian, without headers, compression
// or references to TOAST; nil is null. Equal values of a column have equal bytes for most types; numeric,
// floats and types with collations of their own have equal values with different bytes.
type Value []byte

// Row is a row's values, a column each. Dropped columns are null.
type Row []Value

// Key is a string that is equal for equal rows only.
func (r Row) Key() string {
	var b []byte
	for _, v := range r {
		if v == nil {
			b = append(b, 0)
			continue
		}
		b = append(binary.AppendUvarint(b, uint64(len(v))+1), v...)
	}
	return string(b)
}

func alignment(a byte) uint32 {
	switch a {
	case 's':
		return 2
	case 'i':
		return 4
	case 'd':
		return 8
	}
	return 1
}

// tupleRow reads a tuple by the address of its HeapTupleData, as heap_deform_tuple does.
func (x *Instance) tupleRow(cols []Column, tuple uint32) Row {
	p := x.proc
	head := p.Word(tuple + tupleData)
	const countMask, hasNull = 0x7ff, 1
	n := int(p.Half(head+headMask2) & countMask)
	nulls := p.Half(head+headMask)&hasNull != 0
	at := head + uint32(p.Byte(head+headOffset))
	base := at
	row := make(Row, len(cols))
	for i := range min(n, len(cols)) {
		if nulls && p.Byte(head+headBits+uint32(i/8))&(1<<(i%8)) == 0 {
			continue
		}
		c := &cols[i]
		if c.length != -1 || p.Byte(at) == 0 { // a short varlena is not aligned
			a := alignment(c.align)
			at = base + (at-base+a-1)&^(a-1)
		}
		v, size := x.valueAt(c, at)
		if !c.Dropped {
			row[i] = v
		}
		at += size
	}
	for i := n; i < len(cols); i++ {
		row[i] = x.missing(&cols[i], tuple, i)
	}
	return row
}

// missing is the value of a column that was added after the tuple was written.
func (x *Instance) missing(c *Column, tuple uint32, i int) (v Value) {
	if c.Dropped {
		return nil
	}
	x.withRelation(OID(x.proc.Word(tuple+tupleTable)), func(rel uint32) {
		x.onStack(4, func(null uint32) {
			d := uint32(x.proc.Must("getmissingattr", uint64(x.proc.Word(rel+relAtt)), uint64(i+1), uint64(null)))
			if x.proc.Byte(null) == 0 {
				v = x.datum(c, d)
			}
		})
	})
	return v
}

// onStack lends a piece of the server's stack.
func (x *Instance) onStack(size int, f func(at uint32)) {
	sp := x.proc.Must("emscripten_stack_get_current")
	f(uint32(x.proc.Must("_emscripten_stack_alloc", uint64(size))))
	x.proc.Must("_emscripten_stack_restore", sp)
}

// slotRow reads the values of a TupleTableSlot.
func (x *Instance) slotRow(cols []Column, slot uint32) Row {
	p := x.proc
	if int(p.Half(slot+slotValid)) < len(cols) {
		p.Must("slot_getsomeattrs_int", uint64(slot), uint64(len(cols)))
	}
	values, nulls := p.Word(slot+slotValues), p.Word(slot+slotNulls)
	row := make(Row, len(cols))
	for i := range cols {
		if p.Byte(nulls+uint32(i)) == 0 && !cols[i].Dropped {
			row[i] = x.datum(&cols[i], p.Word(values+uint32(4*i)))
		}
	}
	return row
}

// datum is the value of a Datum of a column.
func (x *Instance) datum(c *Column, d uint32) Value {
	if c.byValue {
		return binary.LittleEndian.AppendUint32(nil, d)[:c.length]
	}
	v, _ := x.valueAt(c, d)
	return v
}

// valueAt is the value that lies in memory, and the bytes that it takes there.
func (x *Instance) valueAt(c *Column, at uint32) (Value, uint32) {
	switch c.length {
	case -1:
		return x.varlena(at)
	case -2:
		s := x.proc.String(at)
		return append(Value{}, s...), uint32(len(s) + 1)
	}
	return append(Value{}, x.proc.Bytes(at, uint32(c.length))...), uint32(c.length)
}

func (x *Instance) varlena(at uint32) (Value, uint32) {
	p := x.proc
	b := p.Byte(at)
	switch {
	case b == 1: // a reference
		return x.detoasted(at), 2 + externalSize(p.Byte(at+1))
	case b&1 == 1:
		n := uint32(b >> 1)
		return append(Value{}, p.Bytes(at+1, n-1)...), n
	case b&3 == 0:
		n := p.Word(at) >> 2
		return append(Value{}, p.Bytes(at+4, n-4)...), n
	}
	return x.detoasted(at), p.Word(at) >> 2
}

// externalSize is the size of what stands behind the two bytes of a reference (VARTAG_SIZE).
func externalSize(tag byte) uint32 {
	const onDisk = 18 // varatt_external
	if tag == onDisk {
		return 16
	}
	return 4 // a pointer
}

func (x *Instance) detoasted(at uint32) Value {
	q := uint32(x.proc.Must("pg_detoast_datum", uint64(at)))
	v := append(Value{}, x.proc.Bytes(q+4, x.proc.Word(q)>>2-4)...)
	x.proc.Must("pfree", uint64(q))
	return v
}

// putDatum makes a Datum of a value; what is behind it is allocated in the current memory context.
func (x *Instance) putDatum(c *Column, v Value) (uint32, error) {
	p := x.proc
	switch {
	case c.byValue:
		var b [4]byte
		if len(v) != int(c.length) {
			return 0, fmt.Errorf("column %s: %d bytes, not %d", c.Name, len(v), c.length)
		}
		copy(b[:], v)
		return binary.LittleEndian.Uint32(b[:]), nil
	case c.length == -1:
		at := uint32(p.Must("palloc", uint64(len(v)+4)))
		p.PutWord(at, uint32(len(v)+4)<<2)
		copy(p.Bytes(at+4, uint32(len(v))), v)
		return at, nil
	case c.length == -2:
		at := uint32(p.Must("palloc", uint64(len(v)+1)))
		copy(p.Bytes(at, uint32(len(v)+1)), string(v)+"\x00")
		return at, nil
	case len(v) != int(c.length):
		return 0, fmt.Errorf("column %s: %d bytes, not %d", c.Name, len(v), c.length)
	}
	at := uint32(p.Must("palloc", uint64(len(v))))
	copy(p.Bytes(at, uint32(len(v))), v)
	return at, nil
}
