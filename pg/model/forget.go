package model

import (
	"maps"
	"slices"

	"github.com/txmc/txmc/program/access"
)

// What a catalog knows grows with each content and key that there has been. A server that
// runs for hours forgets what no row has any more.

// used is what the rows of a table have.
type used struct {
	contents, indexed map[int32]bool
	keys              []map[int32]bool // by index
}

// Forget forgets the contents and keys that none of these rows has. No session may have a
// transaction open, nor know a row that is not among them.
func (cat *Catalog) Forget(rows []access.Initial) {
	uses := make([]used, len(cat.order))
	for i, t := range cat.order {
		uses[i] = used{map[int32]bool{}, map[int32]bool{}, make([]map[int32]bool, len(t.Indexes))}
		for x := range uses[i].keys {
			uses[i].keys[x] = map[int32]bool{}
		}
	}
	for _, r := range rows {
		u := &uses[r.Table]
		u.contents[r.Row.Value], u.indexed[r.Row.Indexed] = true, true
		for x, key := range r.Row.Keys {
			u.keys[x][key] = true
		}
	}
	cat.mu.Lock()
	defer cat.mu.Unlock()
	maps.DeleteFunc(cat.numbers, func(key contentKey, n int32) bool { return !uses[key.table].contents[n] })
	maps.DeleteFunc(cat.contents, func(n int32, c content) bool { return !uses[c.table.number].contents[n] })
	for i, t := range cat.order {
		t.forget(&uses[i])
	}
}

func (t *table) forget(u *used) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.indexed.keep(u.indexed)
	for x := range t.keys {
		t.keys[x].keep(u.keys[x])
		t.samples[x] = slices.DeleteFunc(t.samples[x], func(s sample) bool { return !u.keys[x][s.key] })
	}
}

// keep forgets the numbers that are not in use.
func (n *numbering) keep(used map[int32]bool) {
	maps.DeleteFunc(n.of, func(_ string, x int32) bool { return !used[x] })
}

// Size is how many contents and keys are known.
func (cat *Catalog) Size() (contents, keys int) {
	cat.mu.RLock()
	defer cat.mu.RUnlock()
	for _, t := range cat.order {
		t.mu.Lock()
		for _, k := range t.keys {
			keys += len(k.of)
		}
		t.mu.Unlock()
	}
	return len(cat.contents), keys
}
