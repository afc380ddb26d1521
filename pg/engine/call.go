// Call: what hooks may do while the server waits for them.

package engine

import (
	"fmt"
	"hash/fnv"

	"github.com/txmc/txmc/pg/engine/emscripten"
)

// Call is the server in the middle of a call of Hooks. It is good until the hook returns.
type Call struct{ x *Instance }

// Table describes a table. One that is unknown has no columns.
func (c *Call) Table(oid OID) *Relation { return c.x.table(oid) }

// Index describes an index; nil if there is none.
func (c *Call) Index(oid OID) *Index {
	if i := c.x.cat.indexes[oid]; i != nil {
		return i
	}
	var i *Index
	c.x.withRelation(oid, func(rel uint32) {
		if rel != 0 && c.x.proc.Word(rel+relIndex) != 0 {
			i = c.x.indexAt(rel)
		}
	})
	return i
}

// fresh is the version of the present call of a hook, and the slot that its row is in.
type fresh struct {
	at   rowAt
	slot uint32
}

// Row reads a version. It costs least for the version of the hook that is called.
func (c *Call) Row(v Version) (Row, error) {
	cols := c.x.table(v.Table).Columns
	switch at := (rowAt{v.Table, v.TID}); {
	case v.addr != 0:
		return c.x.tupleRow(cols, v.addr), nil
	case c.x.fresh.at == at:
		return c.x.slotRow(cols, c.x.fresh.slot), nil
	}
	return c.x.stored(v.Table, v.TID)
}

// stored reads a version from the heap.
func (x *Instance) stored(table OID, t TID) (row Row, err error) {
	err = x.inside(func(rel, slot uint32) error {
		if !x.fetch(rel, t, slot) {
			return fmt.Errorf("table %d has no version %v", table, t)
		}
		row = x.slotRow(x.table(table).Columns, slot)
		return nil
	}, table)
	return row, err
}

// Insert puts a version into the table's heap and indexes, as if it had always been there. No
// constraint is checked, no trigger runs, and hooks are not called. It stays when the transaction is
// rolled back. What is known of its entries in indexes is not evaluated again.
func (c *Call) Insert(table OID, row Row, known *Entries) (TID, error) {
	entries, err := known.of(c, table, row)
	if err != nil {
		return NoTID, err
	}
	return c.x.insert(table, row, entries)
}

// Isolation is the transaction's isolation level: READ UNCOMMITTED 0, READ COMMITTED 1, REPEATABLE READ 2,
// SERIALIZABLE 3 (access/xact.h).
func (c *Call) Isolation() uint32 { return c.x.proc.Word(c.x.engine.symbols.isolation) }

// InBlock reports whether the statement is part of a transaction with others.
func (c *Call) InBlock() bool { return c.x.proc.Must("IsTransactionBlock")&0xff != 0 }

// Setting is a setting as SHOW gives it.
func (c *Call) Setting(name string) string {
	p := c.x.proc
	sp := p.Must("emscripten_stack_get_current")
	defer p.Must("_emscripten_stack_restore", sp)
	at := uint32(p.Must("GetConfigOption", uint64(p.StackString(name)), 1, 0))
	if at == 0 {
		return ""
	}
	return p.String(at)
}

// Text is a value as SQL's text, for most types whatever the session has set for output.
func (c *Call) Text(typ OID, column Column, v Value) string {
	if out := outputs[typ]; out != nil && v != nil {
		if s, ok := out(v); ok {
			return s
		}
	}
	return c.x.text(typ, column, v)
}

// Raise ends the statement with an error, as if PostgreSQL had found it. It does not return: the
// hook's goroutine unwinds to the server by a panic.
func (c *Call) Raise(sqlstate, message string) { c.x.raise(sqlstate, message, "", "") }

// RaiseDetail is Raise with a detail and a hint.
func (c *Call) RaiseDetail(sqlstate, message, detail, hint string) {
	c.x.raise(sqlstate, message, detail, hint)
}

const errorLevel = 21 // ERROR (utils/elog.h)

func (x *Instance) raise(sqlstate, message, detail, hint string) {
	p := x.proc
	p.Must("errstart", errorLevel, 0)
	p.Must("errcode", uint64(sqlState(sqlstate)))
	for _, t := range []struct{ report, text string }{{"errmsg_internal", message}, {"errdetail_internal", detail}, {"errhint", hint}} {
		if t.text != "" {
			x.says(t.report, t.text)
		}
	}
	p.Must("errfinish", 0, 0, 0)
	panic(emscripten.Abort{Text: "an error was raised and nothing caught it"})
}

// sqlState is a code as the server keeps it: five times six bits.
func sqlState(s string) (v uint32) {
	for i := 0; i < 5 && i < len(s); i++ {
		v |= uint32(s[i]-'0') & 0x3f << (6 * i)
	}
	return v
}

// text is the value as its type's output function writes it.
func (x *Instance) text(typ OID, column Column, v Value) (s string) {
	if v == nil {
		return "NULL"
	}
	p := x.proc
	x.scratch(func() error {
		x.onStack(8, func(at uint32) {
			p.Must("getTypeOutputInfo", uint64(typ), uint64(at), uint64(at+4))
			d, err := x.putDatum(&column, v)
			if err != nil {
				s = err.Error()
				return
			}
			s = p.String(uint32(p.Must("OidOutputFunctionCall", uint64(p.Word(at)), uint64(d))))
		})
		return nil
	})
	return s
}

// scratch runs f with a memory context of its own.
func (x *Instance) scratch(f func() error) error {
	p := x.proc
	current := x.engine.symbols.currentContext
	outer := p.Word(current)
	const initial, largest = 8 << 10, 8 << 20
	ctx := uint32(p.Must("AllocSetContextCreateInternal", uint64(outer), uint64(x.engine.symbols.empty), 0, initial, largest))
	p.PutWord(current, ctx)
	err := f()
	p.PutWord(current, outer)
	p.Must("MemoryContextDelete", uint64(ctx))
	return err
}

// inside opens a table and makes a slot for its rows.
func (x *Instance) inside(f func(rel, slot uint32) error, table OID) error {
	p := x.proc
	return x.scratch(func() (err error) {
		x.withRelation(table, func(rel uint32) {
			if rel == 0 {
				err = fmt.Errorf("no table %d", table)
				return
			}
			slot := uint32(p.Must("table_slot_create", uint64(rel), 0))
			err = f(rel, slot)
			p.Must("ExecDropSingleTupleTableSlot", uint64(slot))
		})
		return err
	})
}

// fetch puts a version into a slot, whoever may see it.
func (x *Instance) fetch(rel uint32, t TID, slot uint32) (ok bool) {
	x.onStack(8, func(at uint32) {
		x.putTID(at, t)
		ok = x.original(amFetchRow, true, uint64(rel), uint64(at), uint64(x.engine.symbols.snapshotAny), uint64(slot)) != 0
	})
	return ok
}

func (x *Instance) tid(at uint32) TID {
	p := x.proc
	return TID(p.Half(at))<<32 | TID(p.Half(at+2))<<16 | TID(p.Half(at+4))
}

func (x *Instance) putTID(at uint32, t TID) {
	for i, v := range []uint16{uint16(t >> 32), uint16(t >> 16), uint16(t)} {
		b := x.proc.Bytes(at+uint32(2*i), 2)
		b[0], b[1] = byte(v), byte(v>>8)
	}
}

func (x *Instance) insert(table OID, row Row, entries Evaluated) (t TID, err error) {
	cols := x.table(table).Columns
	if len(row) != len(cols) {
		return NoTID, fmt.Errorf("table %d has %d columns, the row %d", table, len(cols), len(row))
	}
	x.injecting++
	defer func() { x.injecting-- }()
	err = x.inside(func(rel, stored uint32) error {
		desc := x.proc.Word(rel + relAtt)
		slot := uint32(x.proc.Must("MakeSingleTupleTableSlot", uint64(desc), uint64(x.engine.symbols.virtualSlot)))
		if err := x.fillSlot(slot, cols, row); err != nil {
			return err
		}
		const frozen = 4 // HEAP_INSERT_FROZEN: the version does not depend on a transaction
		x.original(amInsert, false, uint64(rel), uint64(slot), 0, frozen, 0)
		t = x.tid(slot + slotTID)
		x.disown(rel, t, stored, row)
		if len(entries) > 0 {
			err = x.enter(x.table(table), rel, slot, entries)
		} else {
			x.insertIndexes(rel, slot)
		}
		x.proc.Must("ExecDropSingleTupleTableSlot", uint64(slot))
		return err
	}, table)
	return t, err
}

// disown makes a version that has come from outside one that no running transaction has written.
// The server asks for the writer where it looks whether a row is the transaction's own
// (ExecCheckTupleVisible). By the version's xmin clients may see whether a row has changed:
// other contents have another xmin. The server's own are smaller.
func (x *Instance) disown(rel uint32, t TID, slot uint32, row Row) {
	const slotTuple, foreign = 40, 1 << 31 // HeapTupleTableSlot.tuple; t_xmin is the header's first word
	h := fnv.New32a()
	h.Write([]byte(row.Key()))
	if x.fetch(rel, t, slot) {
		p := x.proc
		p.PutWord(p.Word(p.Word(slot+slotTuple)+tupleData), foreign|h.Sum32())
	}
}

func (x *Instance) fillSlot(slot uint32, cols []Column, row Row) error {
	p := x.proc
	values, nulls := p.Word(slot+slotValues), p.Word(slot+slotNulls)
	for i, v := range row {
		if v == nil {
			p.PutWord(values+uint32(4*i), 0)
			p.PutByte(nulls+uint32(i), 1)
			continue
		}
		d, err := x.putDatum(&cols[i], v)
		if err != nil {
			return err
		}
		p.PutWord(values+uint32(4*i), d)
		p.PutByte(nulls+uint32(i), 0)
	}
	p.Must("ExecStoreVirtualTuple", uint64(slot))
	return nil
}

// insertIndexes makes the index entries of a version through the executor, which knows expressions and predicates.
func (x *Instance) insertIndexes(rel, slot uint32) {
	p := x.proc
	const resultRelInfoSize = 1024 // more than it takes
	info := p.Must("palloc0", resultRelInfoSize)
	p.Must("InitResultRelInfo", info, uint64(rel), 0, 0, 0)
	p.Must("ExecOpenIndices", info, 0)
	estate := p.Must("CreateExecutorState")
	p.Must("ExecInsertIndexTuples", info, uint64(slot), estate, 0, 0, 0, 0, 0)
	p.Must("ExecCloseIndices", info)
	p.Must("FreeExecutorState", estate)
}
