// Foreign keys are checked by functions of triggers (RI_FKey_…, utils/adt/ri_triggers.c), which run statements of their own. The
// hooks are told: such a statement has to see what other transactions have committed last, whatever the
// transaction's snapshot. The functions stand in the table of built-in functions (fmgr_builtins, utils/fmgrtab.h),
// where callbacks take their places.

package engine

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/txmc/txmc/pg/engine/emscripten"
)

// The functions RI_FKey_check_ins to RI_FKey_noaction_upd in pg_proc.
const (
	firstReferential = 1644
	referentials     = 12
)

// Fields of FmgrBuiltin, FunctionCallInfoBaseData and FmgrInfo (fmgr.h).
const (
	builtinName, builtinFunc, builtinSize = 8, 12, 16
	callInfo                              = 0
	infoOID                               = 4
)

// announceReferentials puts the callback into the table of built-in functions.
func (x *Instance) announceReferentials(s *symbols) error {
	p := x.proc
	const data = 16 << 20 // the server's constants lie below
	head := binary.LittleEndian.AppendUint32(nil, firstReferential)
	memory := p.Bytes(0, min(data, p.MemorySize()))
	for at := 0; ; at += 4 {
		i := bytes.Index(memory[at:], head)
		if i < 0 {
			return fmt.Errorf("the server's structures are not as expected: there is no function %d", firstReferential)
		}
		at += i &^ 3
		if x.describesReferentials(uint32(at), uint32(len(memory))) {
			for k := range uint32(referentials) {
				field := uint32(at) + k*builtinSize + builtinFunc
				s.referentials[k] = p.Word(field)
				p.PutWord(field, x.engine.prog.Slot(slotReferential))
			}
			if err := errors.Join(x.announceRecheck(s, uint32(at)), x.announceSetval(s, uint32(at))); err != nil {
				return err
			}
			return errors.Join(x.announceTransactions(s, uint32(at)), x.announceAdvisory(s, uint32(at)), x.announceBeyond(s, uint32(at)))
		}
	}
}

// describesReferentials reports whether the entries of the functions begin there.
func (x *Instance) describesReferentials(at, end uint32) bool {
	p := x.proc
	if uint64(at)+referentials*builtinSize > uint64(end) {
		return false
	}
	for k := range uint32(referentials) {
		if p.Word(at+k*builtinSize) != firstReferential+k {
			return false
		}
	}
	name := p.Word(at + builtinName)
	return name < end && p.String(name) == "RI_FKey_check_ins"
}

// onReferential is any of the functions.
func onReferential(p *emscripten.Process, st []uint64) {
	x := instanceOf(p)
	oid := p.Word(p.Word(uint32(st[0])+callInfo) + infoOID)
	x.referential++
	defer func() { x.referential-- }()
	st[0] = p.CallSlot(x.engine.symbols.referentials[oid-firstReferential], true, st[0])
}
