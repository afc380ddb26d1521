// Deferrable unique constraints. The index takes a row whose key may be there already.
// unique_key_recheck, a function of a trigger (commands/constraint.c), looks again at the end of
// the statement or of the transaction. Hooks are told before it does. It stands in the table of
// built-in functions, as those of foreign keys do.

package engine

import (
	"fmt"

	"github.com/txmc/txmc/pg/engine/emscripten"
)

// uniqueKeyRecheck is the function in pg_proc.
const uniqueKeyRecheck = 1250

// Fields of FunctionCallInfoBaseData (fmgr.h), TriggerData (commands/trigger.h) and Trigger (utils/reltrigger.h).
const (
	callContext                                      = 4
	triggerEvent, triggerTable, triggerAt, triggerOf = 4, 8, 24, 20
	triggerNew                                       = 28
	triggerIndex                                     = 24
)

// RecheckHooks are Hooks that also learn of deferred checks.
type RecheckHooks interface {
	// Recheck comes before a row is looked for that has the key of a version in a unique index. It has to be in the
	// heap when it returns.
	Recheck(c *Call, table OID, t TID, index OID)
}

// announceRecheck puts the callback into the table of built-in functions, around one of its entries.
func (x *Instance) announceRecheck(s *symbols, at uint32) error {
	p := x.proc
	for p.Word(at) > uniqueKeyRecheck {
		at -= builtinSize
	}
	if p.Word(at) != uniqueKeyRecheck {
		return fmt.Errorf("the server's structures are not as expected: there is no function %d", uniqueKeyRecheck)
	}
	s.recheck = p.Word(at + builtinFunc)
	p.PutWord(at+builtinFunc, x.engine.prog.Slot(slotRecheck))
	return nil
}

// onRecheck is unique_key_recheck(trigger).
func onRecheck(p *emscripten.Process, st []uint64) {
	const event, update = 3, 2 // TRIGGER_EVENT_OPMASK, TRIGGER_EVENT_UPDATE
	x := instanceOf(p)
	trigger := p.Word(uint32(st[0]) + callContext)
	if h, ok := x.hooks.(RecheckHooks); ok && trigger != 0 && x.injecting == 0 {
		slot := p.Word(trigger + triggerAt)
		if p.Word(trigger+triggerEvent)&event == update {
			slot = p.Word(trigger + triggerNew)
		}
		if r := x.hooked(uint64(p.Word(trigger + triggerTable))); r != nil {
			h.Recheck(&x.call, r.OID, x.tid(slot+slotTID), OID(p.Word(p.Word(trigger+triggerOf)+triggerIndex)))
		}
	}
	st[0] = p.CallSlot(x.engine.symbols.recheck, true, st[0])
}
