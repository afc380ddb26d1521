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

// Advisory is a call of one of the functions.
type Advisory struct {
	Key         string // "" of Release with All
	Shared, Try bool
	Transaction bool // the lock ends with the transaction
	Release     bool // Try and Transaction are not set
	All         bool // of Release: all locks of the session
}

// onAdvisory is any of the functions.
func onAdvisory(p *emscripten.Process, st []uint64) {
	x := instanceOf(p)
	call := uint32(st[0])
	oid := p.Word(p.Word(call+callInfo) + infoOID)
	h, ok := x.hooks.(StatementHooks)
	if !ok {
		st[0] = p.CallSlot(x.engine.symbols.advisory[oid], true, st[0])
		return
	}
	a := advisoryOf(oid)
	if !a.All {
		a.Key = x.advisoryKey(oid, call)
	}
	yes := h.Advise(&x.call, a)
	st[0] = word(yes && (a.Try || a.Release && !a.All))
}

// advisoryOf is what a function does. Those of sessions are in the order lock, lock shared, try, try shared, unlock,
// unlock shared, for a bigint and then for two integers; those of transactions have no unlock.
func advisoryOf(oid uint32) Advisory {
	if oid == lastAdvisory {
		return Advisory{Release: true, All: true}
	}
	n, transaction := (oid-firstAdvisory)%6, false
	if oid >= firstAdvisoryX {
		n, transaction = (oid-firstAdvisoryX)%4, true
	}
	return Advisory{Shared: n%2 == 1, Try: n/2 == 1, Release: n/2 == 2, Transaction: transaction}
}

// advisoryKey is the key of a call: a bigint or two integers, which are never the same.
func (x *Instance) advisoryKey(oid, call uint32) string {
	const args, size = 20, 8 // FunctionCallInfoBaseData.args, NullableDatum
	p := x.proc
	if first, second := uint32(6), uint32(4); oid < firstAdvisoryX && oid-firstAdvisory >= first || oid >= firstAdvisoryX && oid-firstAdvisoryX >= second {
		return fmt.Sprintf("%d, %d", int32(p.Word(call+args)), int32(p.Word(call+args+size)))
	}
	at := p.Word(call + args)
	return fmt.Sprint(int64(uint64(p.Word(at)) | uint64(p.Word(at+4))<<32))
}
