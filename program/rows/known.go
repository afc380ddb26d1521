package rows

import (
	"slices"
	"strings"
	"sync"
)

// Known is what the runs of a program know of the rows of a table: the rows that can
// be in it, and their contents in the engine's own form, R. It may be used from
// several goroutines.
type Known[R any] struct {
	mu       sync.Mutex
	rows     []*Row[R] // ordered by ID; replaced, not changed, when a row becomes known
	byID     map[string]*Row[R]
	contents map[string]R // by Content.Key
	old      map[string]R // contents that have not come since Forget
}

// Row is a row that can be in a table.
type Row[R any] struct {
	ID     string
	table  *Known[R]
	shapes []R // a content for each combination of unique values that it has had
	known  map[string]bool
	recent bool // it has been added to since Forget
}

// NewKnown returns a table of which no row is known.
func NewKnown[R any]() *Known[R] {
	return &Known[R]{byID: map[string]*Row[R]{}, contents: map[string]R{}, old: map[string]R{}}
}

// Add notes a content of a row. A shape is equal for contents with equal unique values
// only. Add reports whether a scan could tell the difference: whether the row is new,
// or has unique values that it never had.
func (k *Known[R]) Add(id string, content R, shape string, shown Content) (news bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	r := k.byID[id]
	if r == nil {
		r = &Row[R]{ID: id, table: k, known: map[string]bool{}}
		k.byID[id] = r
		at, _ := slices.BinarySearchFunc(k.rows, id, func(r *Row[R], id string) int { return strings.Compare(r.ID, id) })
		k.rows = slices.Insert(slices.Clone(k.rows), at, r)
	}
	k.contents[shown.Key()] = content
	r.recent = true
	if r.known[shape] {
		return false
	}
	r.known[shape] = true
	r.shapes = append(r.shapes, content)
	return true
}

// All returns the rows that are known, ordered by their names: the order does not depend on
// which became known first.
func (k *Known[R]) All() []*Row[R] {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.rows
}

// Named is the row of that name; nil when none is known.
func (k *Known[R]) Named(id string) *Row[R] {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.byID[id]
}

// Content is the engine's form of a content with that key, and whether it is known.
func (k *Known[R]) Content(key string) (R, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	r, ok := k.contents[key]
	if !ok {
		r, ok = k.old[key]
	}
	return r, ok
}

// Forget drops the rows and the contents that are not in use, but for those that have come
// since Forget was last called: somebody may be about to use them.
func (k *Known[R]) Forget(row func(id string) bool, content func(key string) bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	kept := make([]*Row[R], 0, len(k.rows))
	for _, r := range k.rows {
		if r.recent || row(r.ID) {
			kept = append(kept, r)
		} else {
			delete(k.byID, r.ID)
		}
		r.recent = false
	}
	k.rows = kept
	for key, r := range k.old {
		if _, again := k.contents[key]; !again && content(key) {
			k.contents[key] = r
		}
	}
	k.old, k.contents = k.contents, map[string]R{}
}

// Shapes returns a content for each combination of unique values that the row has had.
func (r *Row[R]) Shapes() []R {
	r.table.mu.Lock()
	defer r.table.mu.Unlock()
	return r.shapes
}
