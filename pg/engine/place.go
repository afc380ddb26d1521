// Rows that are fetched by their places: conditions on ctid, and WHERE CURRENT OF.

package engine

import "github.com/txmc/txmc/pg/engine/emscripten"

// PlaceHooks are Hooks that also learn of places that a statement asks for.
type PlaceHooks interface {
	// Fetch comes before a statement looks whether it sees the version at a place.
	Fetch(c *Call, table OID, t TID, w View)
	// Newest is the place of the newest version that a view sees of the row whose version lies at a place.
	Newest(c *Call, table OID, t TID, w View) TID
}

// onFetchRow is tuple_fetch_row_version(rel, tid, snapshot, slot).
func onFetchRow(p *emscripten.Process, st []uint64) {
	x := instanceOf(p)
	if r := x.hooked(st[0]); r != nil {
		w := x.view(uint32(st[2]))
		if h, ok := x.hooks.(PlaceHooks); ok && w.Kind == MVCC && w.Number != 0 {
			h.Fetch(&x.call, r.OID, x.tid(uint32(st[1])), w)
		}
	}
	st[0] = x.original(amFetchRow, true, st[:4]...)
}

// onLatestTID is tuple_get_latest_tid(scan, *tid).
func onLatestTID(p *emscripten.Process, st []uint64) {
	const relation, snapshot = 0, 4 // TableScanDescData (access/relscan.h)
	x := instanceOf(p)
	scan, at := uint32(st[0]), uint32(st[1])
	if r := x.hooked(uint64(p.Word(scan + relation))); r != nil {
		if h, ok := x.hooks.(PlaceHooks); ok {
			x.putTID(at, h.Newest(&x.call, r.OID, x.tid(at), x.view(p.Word(scan+snapshot))))
			return
		}
	}
	x.original(amLatestTID, false, st[:2]...)
}
