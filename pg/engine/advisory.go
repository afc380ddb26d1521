// Advisory locks (utils/adt/lockfuncs.c): the server has one session, whose locks nobody disputes. Hooks that share
// them among instances are told of the functions that lock, which stand in the table of built-in functions.

package engine

import (
	"fmt"

	"github.com/txmc/txmc/pg/engine/emscripten"
)

// The functions pg_advisory_lock(bigint) to pg_advisory_unlock_all() in pg_proc, and those of transactions.
const (
	firstAdvisory, lastAdvisory   = 2880, 2892
	firstAdvisoryX, lastAdvisoryX = 3089, 3096
)

func advisory(oid uint32) bool {
	return oid >= firstAdvisory && oid <= lastAdvisory || oid >= firstAdvisoryX && oid <= lastAdvisoryX
}

// announceAdvisory puts the callback into the table of built-in functions, behind one of its entries. The table is
// ordered by the functions' numbers.
func (x *Instance) announceAdvisory(s *symbols, at uint32) error {
	p := x.proc
	s.advisory = map[uint32]uint32{}
	for ; uint64(at)+builtinSize <= uint64(p.MemorySize()); at += builtinSize {
		oid := p.Word(at)
		if oid == 0 || oid > lastAdvisoryX {
			break
		}
		if advisory(oid) {
			s.advisory[oid] = p.Word(at + builtinFunc)
			p.PutWord(at+builtinFunc, x.engine.prog.Slot(slotAdvisory))
		}
	}
	if want := lastAdvisory - firstAdvisory + lastAdvisoryX - firstAdvisoryX + 2; len(s.advisory) != want {
		return fmt.Errorf("the server's structures are not as expected: %d functions of advisory locks, not %d", len(s.advisory), want)
	}
	return nil
}

// onAdvisory is any of the functions.
func onAdvisory(p *emscripten.Process, st []uint64) {
	x := instanceOf(p)
	oid := p.Word(p.Word(uint32(st[0])+callInfo) + infoOID)
	if h, ok := x.hooks.(StatementHooks); ok {
		h.Utility(&x.call, "advisory locks")
	}
	st[0] = p.CallSlot(x.engine.symbols.advisory[oid], true, st[0])
}
