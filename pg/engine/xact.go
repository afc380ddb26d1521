// Functions about transactions (utils/adt/xid8funcs.c), which stand in the table of built-in functions. The server has
// the transactions of one session: it numbers them for itself, and knows of no other.

package engine

import (
	"fmt"

	"github.com/txmc/txmc/pg/engine/emscripten"
)

// The functions in pg_proc, by their older and their newer names.
const (
	txidCurrent, txidCurrentIfAssigned, txidSnapshot, txidStatus = 2943, 3348, 2944, 3360
	xactCurrent, xactCurrentIfAssigned, xactSnapshot, xactStatus = 5059, 5060, 5061, 5066
)

// aboutTransactions has the names of the functions that ask for the transactions of others, "" for those that give the
// own transaction's number.
var aboutTransactions = map[uint32]string{
	txidCurrent: "", txidCurrentIfAssigned: "", txidSnapshot: "txid_current_snapshot()", txidStatus: "txid_status()",
	xactCurrent: "", xactCurrentIfAssigned: "", xactSnapshot: "pg_current_snapshot()", xactStatus: "pg_xact_status()",
}

// announceTransactions puts the callback into the table of built-in functions, behind one of its entries. The table is
// ordered by the functions' numbers.
func (x *Instance) announceTransactions(s *symbols, at uint32) error {
	p := x.proc
	s.transactions = map[uint32]uint32{}
	for ; uint64(at)+builtinSize <= uint64(p.MemorySize()); at += builtinSize {
		oid := p.Word(at)
		if oid == 0 || oid > xactStatus {
			break
		}
		if _, ok := aboutTransactions[oid]; ok {
			s.transactions[oid] = p.Word(at + builtinFunc)
			p.PutWord(at+builtinFunc, x.engine.prog.Slot(slotTransactions))
		}
	}
	if len(s.transactions) != len(aboutTransactions) {
		return fmt.Errorf("the server's structures are not as expected: %d functions about transactions, not %d", len(s.transactions), len(aboutTransactions))
	}
	return nil
}

// onTransactions is any of the functions. The number of the own transaction gets the number of
// the instance for its upper half, the epoch. So no two sessions have the same number.
func onTransactions(p *emscripten.Process, st []uint64) {
	const null = 16 // FunctionCallInfoBaseData.isnull
	x := instanceOf(p)
	call := uint32(st[0])
	oid := p.Word(p.Word(call+callInfo) + infoOID)
	function := aboutTransactions[oid]
	if x.hooks != nil && function != "" && x.injecting == 0 {
		x.refuse(function+" asks for the transactions of other sessions, of which PostgreSQL knows nothing here", "")
	}
	st[0] = p.CallSlot(x.engine.symbols.transactions[oid], true, st[0])
	if function == "" && x.hooks != nil && p.Byte(call+null) == 0 {
		p.PutWord(uint32(st[0])+4, x.number)
	}
}

// Number gives the instance a number of its own. Where hooks keep the tables, that number is the
// upper half of what pg_current_xact_id() and txid_current() say.
func (x *Instance) Number(n uint32) { x.number = n }
