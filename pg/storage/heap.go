package storage

import (
	"maps"

	"github.com/txmc/txmc/pg/engine"
)

// heap is what lies in the heap of an instance: what the instance began with, which
// sessions share and never change, and what has come since.
type heap struct {
	base     Heap
	versions map[address]*version // nil: no longer there
	tids     map[held]engine.TID  // NoTID: no longer there
}

// Heap is what lies in the heap of an instance at some time.
type Heap struct {
	versions map[address]*version
	tids     map[held]engine.TID // where the heap has a content of a row
}

// address is where a version lies.
type address struct {
	table engine.OID
	tid   engine.TID
}

// held is a content of a row.
type held struct {
	row     rowVar
	content string // its key; "" where there is no row
}

// version is a content in the heap.
type version struct {
	held
	row engine.Row
}

func newHeap() heap { return heap{versions: map[address]*version{}, tids: map[held]engine.TID{}} }

// Heap returns what lies in the heap now, for instances that start from its
// snapshot.
func (h *heap) Heap() Heap {
	all := Heap{map[address]*version{}, map[held]engine.TID{}}
	maps.Copy(all.versions, h.base.versions)
	maps.Copy(all.versions, h.versions)
	maps.Copy(all.tids, h.base.tids)
	maps.Copy(all.tids, h.tids)
	maps.DeleteFunc(all.versions, func(_ address, v *version) bool { return v == nil })
	maps.DeleteFunc(all.tids, func(_ held, t engine.TID) bool { return t == engine.NoTID })
	return all
}

// On makes the session begin with the heap of a snapshot.
func (h *heap) On(base Heap) { h.base = base }

// version is the version at a place; nil where there is none.
func (h *heap) version(at address) *version {
	if v, ok := h.versions[at]; ok {
		return v
	}
	return h.base.versions[at]
}

// keep notes a version.
func (h *heap) keep(at address, v *version) { h.versions[at] = v }

// holding is where a content lies; NoTID when it is nowhere.
func (h *heap) holding(c held) engine.TID {
	if t, ok := h.tids[c]; ok {
		return t
	}
	return h.base.tids[c]
}

// hold notes where a content lies.
func (h *heap) hold(c held, t engine.TID) { h.tids[c] = t }

// forget notes that a table's heap is empty.
func (h *heap) forget(table engine.OID) {
	for at, v := range h.Heap().versions {
		if at.table == table {
			h.versions[at] = nil
			h.hold(v.held, engine.NoTID)
		}
	}
}

// Contents is how many contents have come to the heap since the session began.
func (h *heap) Contents() int { return len(h.versions) }
