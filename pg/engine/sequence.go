// Sequences: the server has its own, and hooks that share them among instances say which numbers others have had.

package engine

import (
	"fmt"

	"github.com/txmc/txmc/pg/engine/emscripten"
)

// onNext is told of nextval_internal(sequence, …).
func onNext(p *emscripten.Process, st []uint64) {
	x, ok := p.Owner.(*Instance)
	if !ok || x.injecting > 0 {
		return
	}
	h, ok := x.hooks.(StatementHooks)
	if !ok {
		return
	}
	sequence := st[0]
	if x.call.Setting("transaction_read_only") == "on" {
		return // it fails before it takes a number
	}
	set, skip := h.Next(&x.call, OID(sequence))
	x.injecting++
	defer func() { x.injecting-- }()
	if set != nil {
		value := p.Must("Int64GetDatum", uint64(set.Value))
		p.Must("DirectFunctionCall3Coll", uint64(x.engine.symbols.setval[setval3]), 0, sequence, value, word(set.Called))
	}
	for range skip {
		p.Must("nextval_internal", sequence, 0)
	}
}

// Setting is what setval makes of a sequence: Value has been given, or is the next to be given.
type Setting struct {
	Value  int64
	Called bool
}

// The functions setval(regclass, bigint) and setval(regclass, bigint, boolean) in pg_proc.
const (
	setval  = 1576
	setval3 = 1765
)

// announceSetval puts the callback into the table of built-in functions, around one of its entries.
func (x *Instance) announceSetval(s *symbols, at uint32) error {
	p := x.proc
	s.setval = map[uint32]uint32{}
	for p.Word(at) > setval {
		at -= builtinSize
	}
	for ; p.Word(at) >= setval && p.Word(at) <= setval3; at += builtinSize {
		if oid := p.Word(at); oid == setval || oid == setval3 {
			s.setval[oid] = p.Word(at + builtinFunc)
			p.PutWord(at+builtinFunc, x.engine.prog.Slot(slotSetSequence))
		}
	}
	if len(s.setval) != 2 {
		return fmt.Errorf("the server's structures are not as expected: %d functions that set a sequence, not 2", len(s.setval))
	}
	return nil
}

// onSetSequence is one of the two. Hooks are told when it has succeeded.
func onSetSequence(p *emscripten.Process, st []uint64) {
	const args, size = 20, 8 // FunctionCallInfoBaseData.args, NullableDatum
	x := instanceOf(p)
	call := uint32(st[0])
	oid := p.Word(p.Word(call+callInfo) + infoOID)
	sequence, at := p.Word(call+args), p.Word(call+args+size)
	set := Setting{int64(uint64(p.Word(at)) | uint64(p.Word(at+4))<<32), oid == setval || p.Word(call+args+2*size)&1 != 0}
	st[0] = p.CallSlot(x.engine.symbols.setval[oid], true, st[0])
	if h, ok := x.hooks.(StatementHooks); ok && x.injecting == 0 {
		h.Set(&x.call, OID(sequence), set)
	}
}
