// The functions of heapam's TableAmRoutine that the hooks stand before, and what the server tells of
// transactions. The routine's pointers lead to slots of callbacks; a callback asks or tells the hooks and calls
// the original where PostgreSQL's part is needed.

package engine

import (
	"fmt"

	"github.com/txmc/txmc/pg/engine/emscripten"
)

// swapped are the functions of the routine with the callbacks that take their places.
var swapped = map[int]int{
	amScanBegin: slotScanBegin, amIndexDelete: slotIndexDelete, amInsert: slotInsert,
	amInsertSpeculative: slotInsertSpeculative, amCompleteSpeculate: slotCompleteSpeculative,
	amMultiInsert: slotMultiInsert, amDelete: slotDelete, amUpdate: slotUpdate, amLock: slotLock,
	amSetNewFile: slotSetNewFile, amTruncate: slotTruncate, amFetchRow: slotFetchRow, amLatestTID: slotLatestTID,
}

// symbols are the addresses in the server that the hooks need. They are the same in all instances.
type symbols struct {
	originals      [amCount]uint32 // heapam's functions
	currentContext uint32
	snapshotAny    uint32
	virtualSlot    uint32
	empty          uint32 // an empty string
	interrupt      uint32
	cancel         uint32
	refused        map[uint32]*refusal // by node tag
	isolation      uint32              // XactIsoLevel
	referentials   [referentials]uint32
	recheck        uint32 // unique_key_recheck
	builtins
}

// builtins are functions of SQL, by number in pg_proc.
type builtins struct {
	advisory     map[uint32]uint32
	transactions map[uint32]uint32
	setval       map[uint32]uint32
	beyond       map[uint32]builtin
}

// original calls heapam's function.
func (x *Instance) original(i int, result bool, args ...uint64) uint64 {
	return x.proc.CallSlot(x.engine.symbols.originals[i], result, args...)
}

// install puts the callbacks into heapam's routine, once, in the instance that boots.
func (x *Instance) install(s *symbols) (err error) {
	p := x.proc
	for name, at := range map[string]*uint32{"CurrentMemoryContext": &s.currentContext, "SnapshotAnyData": &s.snapshotAny,
		"TTSOpsVirtual": &s.virtualSlot, "InterruptPending": &s.interrupt, "QueryCancelPending": &s.cancel, "XactIsoLevel": &s.isolation} {
		var ok bool
		if *at, ok = p.Global(name); !ok {
			return fmt.Errorf("the server has no symbol %s", name)
		}
	}
	s.empty = uint32(p.Must("calloc", 1, 16))
	p.Must("StartTransactionCommand")
	x.withRelation(classOID, func(class uint32) {
		x.withRelation(classIndexOID, func(index uint32) {
			if err = x.checkLayout(class, index); err == nil {
				err = x.swap(p.Word(class+relTableAM), s)
			}
		})
	})
	p.Must("AbortCurrentTransaction")
	if err != nil {
		return err
	}
	if err := x.announceReferentials(s); err != nil {
		return err
	}
	slot := func(i int) uint64 { return uint64(x.engine.prog.Slot(i)) }
	p.Must("RegisterXactCallback", slot(slotTransaction), 0)
	p.Must("RegisterSubXactCallback", slot(slotSubtransaction), 0)
	p.Must("CacheRegisterRelcacheCallback", slot(slotInvalidate), 0)
	return nil
}

func (x *Instance) swap(routine uint32, s *symbols) error {
	for i := range s.originals {
		s.originals[i] = x.proc.Word(routine + uint32(4*i))
	}
	for i, callback := range swapped {
		if slot := s.originals[i]; slot == 0 || slot >= x.engine.prog.Slot(0) {
			return fmt.Errorf("the server's structures are not as expected: function %d of heapam is %d", i, slot)
		}
		x.proc.PutWord(routine+uint32(4*i), x.engine.prog.Slot(callback))
	}
	return nil
}

// hooked gives the table of an open relation if it is the hooks' business.
func (x *Instance) hooked(rel uint64) *Relation {
	if x.hooks == nil || x.injecting > 0 || x.proc.Word(uint32(rel)+relID) < firstUser {
		return nil
	}
	if r := x.tableAt(uint32(rel)); r.hooked() {
		return r
	}
	return nil
}

func (x *Instance) view(snapshot uint32) View {
	if snapshot == 0 {
		return View{Kind: Any}
	}
	v := View{Kind: ViewKind(x.proc.Word(snapshot + snapKind)), Referential: x.referential > 0}
	if v.Kind == MVCC {
		v.Number, v.Command = x.proc.Word(snapshot+snapNumber), x.proc.Word(snapshot+snapCommand)
	}
	return v
}

// visible is HeapTupleSatisfiesVisibility(tuple, snapshot, buffer) for tables that users made.
func visible(p *emscripten.Process, st []uint64) {
	x, ok := p.Owner.(*Instance)
	tuple, snapshot := uint32(st[0]), uint32(st[1])
	if !ok || x.hooks == nil || !x.table(OID(p.Word(tuple+tupleTable))).hooked() {
		st[0] = p.Must("original_HeapTupleSatisfiesVisibility", st[0], st[1], st[2])
		return
	}
	w := x.view(snapshot)
	seen := w.Kind == Any
	if !seen && x.injecting == 0 {
		v := Version{OID(p.Word(tuple + tupleTable)), x.tid(tuple + tupleSelf), tuple}
		seen = x.hooks.Visible(&x.call, v, w)
	}
	if w.Kind == Dirty { // nobody is to be waited for
		p.PutWord(snapshot+snapXmin, 0)
		p.PutWord(snapshot+snapXmax, 0)
		p.PutWord(snapshot+snapNumber, 0)
	}
	st[0] = word(seen)
}

func word(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// onInsert is tuple_insert(rel, slot, command, options, bistate).
func onInsert(p *emscripten.Process, st []uint64) {
	x := instanceOf(p)
	x.catalogOnly(st[0])
	x.original(amInsert, false, st[:5]...)
	x.inserted(st[0], uint32(st[1]), Insertion{Command: uint32(st[2])})
}

func (x *Instance) inserted(rel uint64, slot uint32, i Insertion) {
	if r := x.hooked(rel); r != nil {
		i.Table, i.TID = r.OID, x.tid(slot+slotTID)
		x.notify(i, slot)
	}
}

// notify reports an insertion to the hooks. Its row is in a slot: Call.Row finds it there.
func (x *Instance) notify(i Insertion, slot uint32) {
	defer func(outer fresh) { x.fresh = outer }(x.fresh)
	x.fresh = fresh{rowAt{i.Table, i.TID}, slot}
	x.hooks.Inserted(&x.call, i)
}

// onInsertSpeculative is tuple_insert_speculative(rel, slot, command, options, bistate, token).
func onInsertSpeculative(p *emscripten.Process, st []uint64) {
	x := instanceOf(p)
	x.original(amInsertSpeculative, false, st[:6]...)
	x.inserted(st[0], uint32(st[1]), Insertion{Command: uint32(st[2]), Speculative: true})
}

// onCompleteSpeculative is tuple_complete_speculative(rel, slot, token, succeeded).
func onCompleteSpeculative(p *emscripten.Process, st []uint64) {
	x := instanceOf(p)
	if r := x.hooked(st[0]); r != nil && uint32(st[3])&0xff == 0 {
		x.hooks.Withdrawn(&x.call, r.OID, x.tid(uint32(st[1])+slotTID))
	}
	x.original(amCompleteSpeculate, false, st[:4]...)
}

// onMultiInsert is multi_insert(rel, slots, count, command, options, bistate).
func onMultiInsert(p *emscripten.Process, st []uint64) {
	x := instanceOf(p)
	if x.hooked(st[0]) == nil {
		x.original(amMultiInsert, false, st[:6]...)
		return
	}
	for i := range uint32(st[2]) {
		slot := p.Word(uint32(st[1]) + 4*i)
		x.original(amInsert, false, st[0], uint64(slot), st[3], st[4], st[5])
		x.inserted(st[0], slot, Insertion{Command: uint32(st[3])})
	}
}

// onDelete is tuple_delete(rel, tid, command, snapshot, crosscheck, wait, failure, changingPartition).
func onDelete(p *emscripten.Process, st []uint64) {
	x := instanceOf(p)
	r := x.hooked(st[0])
	if r == nil {
		x.catalogOnly(st[0])
		st[0] = x.original(amDelete, true, st[:8]...)
		return
	}
	w := Write{Table: r.OID, TID: x.tid(uint32(st[1])), Command: uint32(st[2]), View: x.view(uint32(st[3])), Delete: true, Moves: uint32(st[7])&0xff != 0, Cross: x.view(uint32(st[4]))}
	st[0] = x.failed(x.hooks.Write(&x.call, w), uint32(st[6]))
}

// onUpdate is tuple_update(rel, tid, slot, command, snapshot, crosscheck, wait, failure, lockMode, updateIndexes).
func onUpdate(p *emscripten.Process, st []uint64) {
	x := instanceOf(p)
	r := x.hooked(st[0])
	if r == nil {
		x.catalogOnly(st[0])
		st[0] = x.original(amUpdate, true, st[:10]...)
		return
	}
	const allIndexes = 1 // TU_All
	old, slot, command := x.tid(uint32(st[1])), uint32(st[2]), uint32(st[3])
	lockMode, update := uint32(st[8]), uint32(st[9])
	answer := x.asked(slot, Write{Table: r.OID, TID: old, Command: command, View: x.view(uint32(st[4])), Cross: x.view(uint32(st[5]))})
	if answer.Code == OK {
		x.original(amInsert, false, st[0], st[2], st[3], 0, 0)
		if x.locked[rowAt{r.OID, old}] {
			x.markLocked(slot)
		}
		x.notify(Insertion{Table: r.OID, TID: x.tid(slot + slotTID), Replaces: old, Command: command}, slot)
	}
	p.PutWord(lockMode, uint32(LockNoKeyUpdate))
	if answer.Key {
		p.PutWord(lockMode, uint32(LockUpdate))
	}
	p.PutWord(update, allIndexes)
	st[0] = x.failed(answer, uint32(st[7]))
}

// asked asks about an update. Its new row is in a slot.
func (x *Instance) asked(slot uint32, w Write) Result {
	defer func(outer fresh) { x.fresh = outer }(x.fresh)
	x.fresh = fresh{rowAt{w.Table, NoTID}, slot}
	return x.hooks.Write(&x.call, w)
}

// rowAt is a version's place.
type rowAt struct {
	table OID
	tid   TID
}

// markLocked gives the new version in a slot the xmax that it has when the transaction had locked the old
// version: its own identifier. Statements ask for it to tell an update from an insert (ON CONFLICT … RETURNING
// xmax <> 0).
func (x *Instance) markLocked(slot uint32) {
	const slotTuple, headXmax = 40, 4 // HeapTupleTableSlot.tuple, t_xmax
	p := x.proc
	if tuple := p.Word(slot + slotTuple); tuple != 0 && p.Word(tuple+tupleData) != 0 {
		head := p.Word(tuple + tupleData)
		p.PutWord(head+headXmax, p.Word(head))
	}
}

// failed writes TM_FailureData and gives the code. What is SelfModified has the running transaction as its
// xmax: MERGE asks for it to tell a row that it meets twice.
func (x *Instance) failed(r Result, at uint32) uint64 {
	if r.Code != OK && at != 0 {
		x.putTID(at, r.Newest)
		xmax := uint32(0)
		if r.Code == SelfModified {
			xmax = uint32(x.proc.Must("GetCurrentFullTransactionId"))
		}
		x.proc.PutWord(at+failXmax, xmax)
		x.proc.PutWord(at+failCommand, r.Command)
		x.proc.PutByte(at+failTraverse, 0)
	}
	return uint64(r.Code)
}

// onLock is tuple_lock(rel, tid, snapshot, slot, command, mode, wait, flags, failure).
func onLock(p *emscripten.Process, st []uint64) {
	x := instanceOf(p)
	r := x.hooked(st[0])
	if r == nil {
		x.catalogOnly(st[0])
		st[0] = x.original(amLock, true, st[:9]...)
		return
	}
	const newerToo, followUpdates = 1, 2 // TUPLE_LOCK_FLAG_LOCK_UPDATE_IN_PROGRESS, TUPLE_LOCK_FLAG_FIND_LAST_VERSION
	rel, tidAt, slot, failure := uint32(st[0]), uint32(st[1]), uint32(st[3]), uint32(st[8])
	l := Lock{Table: r.OID, TID: x.tid(tidAt), View: x.view(uint32(st[2])), Command: uint32(st[4]), Mode: LockMode(st[5]),
		Wait: WaitPolicy(st[6]), Follow: st[7]&followUpdates != 0, Newer: st[7]&newerToo != 0}
	answer := x.hooks.Lock(&x.call, l)
	st[0] = x.failed(answer, failure)
	if answer.Code == WouldBlock && l.Wait == WaitError {
		x.raise("55P03", fmt.Sprintf("could not obtain lock on row in relation %q", r.Name), "", "")
	}
	if answer.Code == Invisible { // INSERT … ON CONFLICT looks at it to say why it fails
		x.fetch(rel, l.TID, slot)
	}
	if answer.Code != OK {
		return
	}
	if answer.Newest == NoTID {
		answer.Newest = l.TID
	}
	x.locked[rowAt{r.OID, answer.Newest}] = true
	p.PutByte(failure+failTraverse, byte(word(answer.Newest != l.TID)))
	x.putTID(tidAt, answer.Newest)
	if !x.fetch(rel, answer.Newest, slot) {
		x.raise("XX000", fmt.Sprintf("table %s has no version %v to lock", r, answer.Newest), "", "")
	}
}

// onIndexDelete is index_delete_tuples(index, state): no entry of a user's table may go.
func onIndexDelete(p *emscripten.Process, st []uint64) {
	x := instanceOf(p)
	const deletable = 16 // TM_IndexDeleteOp.ndeltids
	if x.hooks == nil || p.Word(uint32(st[0])+relID) < firstUser {
		st[0] = x.original(amIndexDelete, true, st[:2]...)
		return
	}
	p.PutWord(uint32(st[1])+deletable, 0)
	st[0] = 0
}

// onSetNewFile is relation_set_new_filelocator(rel, locator, persistence, *freezeXid, *minMulti).
func onSetNewFile(p *emscripten.Process, st []uint64) {
	x := instanceOf(p)
	if r := x.hooked(st[0]); r != nil {
		x.hooks.Truncated(&x.call, r.OID)
	}
	x.original(amSetNewFile, false, st[:5]...)
}

// onTruncate is relation_nontransactional_truncate(rel).
func onTruncate(p *emscripten.Process, st []uint64) {
	x := instanceOf(p)
	if r := x.hooked(st[0]); r != nil {
		x.hooks.Truncated(&x.call, r.OID)
	}
	x.original(amTruncate, false, st[0])
}
