// What is changed in the server's module when it is loaded.

package engine

import (
	"fmt"

	"github.com/txmc/txmc/pg/engine/emscripten"
	"github.com/txmc/txmc/pg/engine/wasmbin"
)

// rescans are the table's slots of the access methods' amrescan. They belong to this build of the server,
// whose checksum is pinned; install looks whether the first one is right.
var rescans = []uint32{222, 124, 79, 63, 271, 3} // btree, hash, gist, gin, spgist, brin

// spginsert is the slot of the access method spgist's aminsert. It begins again, and does nothing else, as long as
// InterruptPending is set (spgdoinsert, src/backend/access/spgist/spgdoinsert.c). It runs with the word cleared:
// what it does for one row has an end.
const spginsert = 281

// breath is how often the server has to look for interrupts until it calls the host. Compiled code cannot be
// stopped by Go's scheduler but where it calls the host: without that a loop would keep the garbage collector
// waiting, and with it every other goroutine. See cancel.go.
const breath = 1 << 10

// rewrite puts calls of the callbacks into functions that no pointer of the server's leads to.
func rewrite(m *wasmbin.Module) error {
	slot := func(i int) uint32 { return emscripten.SlotOf(m, i) }
	redirects := []struct {
		name string
		slot int
		word int
	}{
		{"HeapTupleSatisfiesVisibility", slotVisible, tupleTable},
		{"GetTransactionSnapshot", slotTransactionSnapshot, -1},
		{"GetLatestSnapshot", slotLatestSnapshot, -1},
		{"Async_Notify", slotNotify, -1},
	}
	for _, r := range redirects {
		if err := m.Redirect(r.name, slot(r.slot), r.word, firstUser); err != nil {
			return err
		}
	}
	if err := m.AnnounceExport("standard_ProcessUtility", slot(slotUtility), 1); err != nil {
		return err
	}
	for _, a := range []struct {
		name string
		slot int
	}{{"standard_ExecutorRun", slotExecute}, {"nextval_internal", slotNext}, {"CatalogTupleInsert", slotCatalog}, {"CatalogTupleInsertWithInfo", slotCatalog},
		{"CatalogTupleUpdate", slotCatalog}, {"CatalogTupleUpdateWithInfo", slotCatalog}, {"CatalogTupleDelete", slotCatalog}} {
		if err := m.AnnounceExport(a.name, slot(a.slot), 1); err != nil {
			return err
		}
	}
	if err := m.AnnounceExport("errfinish", slot(slotError), 3); err != nil {
		return err
	}
	if err := m.AnnounceUser("LockRelationOid", slot(slotLockTable), 2, firstUser); err != nil {
		return err
	}
	if err := m.AnnounceUser("ConditionalLockRelationOid", slot(slotTryTable), 2, firstUser); err != nil {
		return err
	}
	if err := m.Meter("ProcessInterrupts", slot(slotBreath), breath, "InterruptPending"); err != nil {
		return err
	}
	if err := m.Quietly(spginsert, 8, "InterruptPending"); err != nil {
		return fmt.Errorf("spginsert: %w", err)
	}
	for _, from := range rescans {
		if err := m.AnnounceSlot(from, slot(slotRescan), 3, []uint32{scanIndex, relID}, firstUser); err != nil {
			return fmt.Errorf("amrescan: %w", err)
		}
	}
	return nil
}
