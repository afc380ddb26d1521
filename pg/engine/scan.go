// Scans that begin, snapshots that are taken, and how transactions end.

package engine

import (
	"slices"

	"github.com/txmc/txmc/pg/engine/emscripten"
)

// onScanBegin is scan_begin(rel, snapshot, keyCount, keys, parallel, flags).
func onScanBegin(p *emscripten.Process, st []uint64) {
	x := instanceOf(p)
	const sample, tid, tidRange, bitmap, analyze = 1 << 2, 1 << 3, 1 << 4, 1 << 1, 1 << 5 // SO_TYPE_… (access/tableam.h)
	if r := x.hooked(st[0]); r != nil && st[5]&(bitmap|analyze) == 0 {
		x.hooks.Scan(&x.call, Scan{Table: r.OID, View: x.view(uint32(st[1])),
			ByTID: st[5]&tid != 0, Between: st[5]&tidRange != 0, Samples: st[5]&sample != 0})
	}
	x.sequenceRead(st[0])
	st[0] = x.original(amScanBegin, true, st[:6]...)
}

// onRescan is told of amrescan(scan, keys, keyCount, …) before an index of a user is searched.
func onRescan(p *emscripten.Process, st []uint64) {
	scan, keys, count := uint32(st[0]), uint32(st[1]), uint32(st[2])
	x, ok := p.Owner.(*Instance)
	if !ok || x.hooks == nil || x.injecting > 0 {
		return
	}
	rel := p.Word(scan + scanTable)
	if rel == 0 { // a bitmap scan's: the index knows its table
		x.rescanIndex(x.table(OID(p.Word(p.Word(p.Word(scan+scanIndex)+relIndex)+indexTable))), scan, keys, count)
		return
	}
	if r := x.hooked(uint64(rel)); r != nil {
		x.rescanIndex(r, scan, keys, count)
	}
}

func (x *Instance) rescanIndex(r *Relation, scan, keys, count uint32) {
	if !r.hooked() || r.OID < firstUser {
		return
	}
	p := x.proc
	if keys == 0 {
		keys = p.Word(scan + scanKeyData)
	}
	index := x.indexAt(p.Word(scan + scanIndex))
	s := Scan{Table: r.OID, Index: index.OID, View: x.view(p.Word(scan + scanSnapshot)), addr: scan}
	s.Once = s.View.Number != 0 && slices.Contains(x.executions[s.View.Number].once, r.OID)
	s.Sole = s.View.Number != 0 && x.executions[s.View.Number].sole == r.OID
	for i := range count {
		s.Keys = append(s.Keys, x.scanKey(index, keys+i*keySize))
	}
	x.hooks.Scan(&x.call, s)
}

// Flags of scan keys (access/skey.h).
const (
	keyIsNull, keyRow, keyArray, keySearchNull, keySearchNotNull = 0x1, 0x4, 0x20, 0x40, 0x80
)

func (x *Instance) scanKey(index *Index, at uint32) ScanKey {
	p := x.proc
	k := ScanKey{Flags: p.Word(at), Column: int(p.Half(at + keyColumn)), Strategy: p.Half(at + keyStrategy), addr: at}
	k.Null = k.Flags&keyIsNull != 0
	if k.Flags&keyRow != 0 {
		k.Column = 0
		return k
	}
	if k.Flags&(keyIsNull|keyArray) == 0 && k.Column >= 1 && k.Column <= len(index.columns) {
		c := &index.columns[k.Column-1]
		if sub := OID(p.Word(at + keySubtype)); sub == 0 || sub == c.Type {
			k.Value = x.datum(c, p.Word(at+keyValue))
		}
	}
	return k
}

// Satisfies reports whether a row may be among those of an index scan: it evaluates the scan's
// keys on the row's columns. Keys on expressions and on several columns at once count as satisfied.
// It is good during the hook that was given the scan.
func (c *Call) Satisfies(s Scan, row Row) (bool, error) {
	index := c.Index(s.Index)
	if index == nil {
		return true, nil
	}
	ok := true
	err := c.x.scratch(func() error {
		for _, k := range s.Keys {
			if k.Column == 0 || k.Column > len(index.Columns) || index.Columns[k.Column-1] == 0 {
				continue
			}
			col := index.Columns[k.Column-1] - 1
			yes, err := c.x.satisfiesKey(k, &c.x.table(s.Table).Columns[col], row[col])
			if err != nil || !yes {
				ok = false
				return err
			}
		}
		return nil
	})
	return ok, err
}

func (x *Instance) satisfiesKey(k ScanKey, c *Column, v Value) (bool, error) {
	switch {
	case k.Flags&keySearchNull != 0:
		return v == nil, nil
	case k.Flags&keySearchNotNull != 0:
		return v != nil, nil
	case k.Null || v == nil:
		return false, nil
	}
	d, err := x.putDatum(c, v)
	if err != nil {
		return false, err
	}
	p := x.proc
	compare := func(with uint32) bool {
		return p.Must("FunctionCall2Coll", uint64(k.addr+keyFunc), uint64(p.Word(k.addr+keyCollation)), uint64(d), uint64(with))&0xff != 0
	}
	if k.Flags&keyArray == 0 {
		return compare(p.Word(k.addr + keyValue)), nil
	}
	for _, e := range x.elements(p.Word(k.addr + keyValue)) {
		if compare(e) {
			return true, nil
		}
	}
	return false, nil
}

// elements are the array's elements that are not null.
func (x *Instance) elements(array uint32) []uint32 {
	p := x.proc
	array = uint32(p.Must("pg_detoast_datum", uint64(array)))
	typ := p.Word(array + 12) // ArrayType.elemtype
	var out []uint32
	x.onStack(32, func(at uint32) {
		p.Must("get_typlenbyvalalign", uint64(typ), uint64(at), uint64(at+2), uint64(at+3))
		length, byValue, align := int16(p.Half(at)), p.Byte(at+2), p.Byte(at+3)
		p.Must("deconstruct_array", uint64(array), uint64(typ), uint64(uint32(int32(length))), uint64(byValue),
			uint64(align), uint64(at+8), uint64(at+12), uint64(at+16))
		elems, nulls := p.Word(at+8), p.Word(at+12)
		for i := range p.Word(at + 16) {
			if nulls == 0 || p.Byte(nulls+i) == 0 {
				out = append(out, p.Word(elems+4*i))
			}
		}
	})
	return out
}

// numbered gives the snapshot that the original takes a number. Copies of the snapshot keep it.
func numbered(original string) func(p *emscripten.Process, st []uint64) {
	return func(p *emscripten.Process, st []uint64) {
		snapshot := p.Must(original)
		if x, ok := p.Owner.(*Instance); ok && x.hooks != nil {
			x.snapshots++
			p.PutWord(uint32(snapshot)+snapNumber, x.snapshots)
			x.tellSnapshot(x.snapshots, true)
		}
		st[0] = snapshot
	}
}

// onTransactionSnapshot is GetTransactionSnapshot(). From REPEATABLE READ on a transaction has one snapshot.
func onTransactionSnapshot(p *emscripten.Process, st []uint64) {
	snapshot := p.Must("original_GetTransactionSnapshot")
	st[0] = snapshot
	x, ok := p.Owner.(*Instance)
	if !ok || x.hooks == nil {
		return
	}
	const repeatableRead = 2 // XACT_REPEATABLE_READ (access/xact.h)
	number := x.kept
	if isolation := x.engine.symbols.isolation; number == 0 || isolation == 0 || p.Word(isolation) < repeatableRead {
		x.snapshots++
		number = x.snapshots
	}
	x.kept = number
	p.PutWord(uint32(snapshot)+snapNumber, number)
	x.tellSnapshot(number, false)
}

// tellSnapshot tells hooks of a snapshot that want to know.
func (x *Instance) tellSnapshot(number uint32, latest bool) {
	if h, ok := x.hooks.(StatementHooks); ok && x.injecting == 0 {
		h.Snapshot(&x.call, number, x.proc.Must("ActiveSnapshotSet")&0xff != 0, latest)
	}
}

// onExecute is told of standard_ExecutorRun(query, …).
func onExecute(p *emscripten.Process, st []uint64) {
	if x, ok := p.Owner.(*Instance); ok && x.hooks != nil {
		x.executes(uint32(st[0]))
		if h, ok := x.hooks.(StatementHooks); ok && x.injecting == 0 {
			h.Executes(&x.call)
		}
	}
}

// onTransaction is a XactCallback(event, argument).
func onTransaction(p *emscripten.Process, st []uint64) {
	x := instanceOf(p)
	const commit, abort, preCommit = 0, 2, 5 // XactEvent (access/xact.h)
	if st[0] == commit || st[0] == abort {
		clear(x.locked)
		clear(x.executions)
		x.kept = 0
	}
	if st[0] == abort {
		x.caught(false)
	}
	if x.hooks == nil {
		return
	}
	switch uint32(st[0]) {
	case commit:
		x.hooks.Transaction(&x.call, Commit)
	case abort:
		x.hooks.Transaction(&x.call, Abort)
	case preCommit:
		x.hooks.Transaction(&x.call, PreCommit)
	}
}

// onSubtransaction is a SubXactCallback(event, own, parent, argument).
func onSubtransaction(p *emscripten.Process, st []uint64) {
	x := instanceOf(p)
	ends := [4]End{Begin, Commit, Abort, PreCommit} // SubXactEvent (access/xact.h)
	event := uint32(st[0])                          // the upper half is not the parameter's
	if event >= uint32(len(ends)) {
		return
	}
	if ends[event] == Abort {
		x.caught(true)
	}
	if x.hooks == nil {
		return
	}
	x.hooks.Subtransaction(&x.call, ends[event], uint32(st[1]), uint32(st[2]))
}
