package stress

import (
	"sync"

	"github.com/txmc/txmc/history"
)

// itemPlace is a place for an item, or none. Every insertion has a key of its own. Two rows
// that have the same key one after another are different objects (Adya 1999, section 4.1), and
// PostgreSQL treats them so. At REPEATABLE READ a transaction may insert a key that another
// transaction has just deleted. Then it sees both rows.
type itemPlace struct {
	mu     sync.Mutex
	next   int64 // key
	id     int64 // of the item that may be there
	full   bool
	misses int // how often it was not there, one after another
}

// generations is the number of items that a place may have, one after another.
const generations = 1_000_000

func newItemPlaces(n int) []itemPlace {
	list := make([]itemPlace, n)
	for i := range list {
		list[i].next = int64(i) * generations
	}
	return list
}

// choose is an item to be written: a new one where there is none.
func (p *itemPlace) choose() (id int64, isNew bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.full {
		return p.id, false
	}
	p.id, p.full, p.misses = p.next, true, 0
	p.next++
	return p.id, true
}

// there is the item that may be there; false when there is none.
func (p *itemPlace) there() (int64, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.id, p.full
}

// mostMisses is how often an item may be missed until nobody looks for it any more.
const mostMisses = 10

// missed says that an item was not seen: it is too new, or gone.
func (p *itemPlace) missed(id int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.misses++; p.misses > mostMisses && p.id == id {
		p.full = false
	}
}

// goneIf returns what to do at the end of a transaction that deletes an item: the item is gone
// if the transaction has that fate.
func (p *itemPlace) goneIf(id int64, fate history.Fate) func(history.Fate) {
	return func(f history.Fate) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if f == fate && p.id == id {
			p.full = false
		}
	}
}
