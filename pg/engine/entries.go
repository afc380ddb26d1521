// Entries of rows in indexes with expressions or conditions. Who writes a row evaluates them; a session that only
// gets a copy of the row evaluates nothing, as no reader does on a server: the functions may ask for what its
// client has not set.

package engine

import (
	"errors"
	"sync"
)

// entry is what an index has of a row.
type entry struct {
	values Row  // by column of the index
	in     bool // the row satisfies the index's condition
}

// Entries are those of all contents that rows have had. Whoever shares contents among instances shares them too.
type Entries struct {
	mu    sync.Mutex
	known map[entryOf]entry
}

type entryOf struct {
	index OID
	row   string
}

// evaluated reports whether the server evaluates the index's entries. In other indexes than btrees values have types
// of their own: so their entries are not kept.
func (i *Index) evaluated() bool {
	if !i.tree {
		return false
	}
	for _, c := range i.Columns {
		if c == 0 {
			return true
		}
	}
	return i.Partial
}

// Evaluated are the entries of a row, as its writer has evaluated them.
type Evaluated map[OID]entry // by index

// Key is the key of a row in an index, with a value for each of the index's key columns. in is false where the index
// has a condition that the row does not satisfy. What is not among the entries is evaluated.
func (l Evaluated) Key(c *Call, i *Index, row Row) (key Row, in bool, err error) {
	e, ok := l[i.OID]
	if !ok {
		e, err = c.entry(i, row)
	}
	if err != nil || !e.in {
		return nil, false, err
	}
	return e.values[:i.Keys], true, nil
}

// Learn evaluates the entries of a row, as its writer: each time, as the functions may do something.
func (k *Entries) Learn(c *Call, table OID, row Row) (Evaluated, error) {
	var list Evaluated
	for _, i := range c.x.table(table).Indexes {
		if !i.evaluated() {
			continue
		}
		e, err := c.entry(i, row)
		if err != nil {
			return nil, err
		}
		if list == nil {
			list = Evaluated{}
		}
		list[i.OID] = e
		k.keep(entryOf{i.OID, row.Key()}, e)
	}
	return list, nil
}

func (k *Entries) keep(at entryOf, e entry) {
	const most = 100_000 // of a server that runs for days: then rows that are read are evaluated again
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil || len(k.known) >= most {
		k.known = map[entryOf]entry{}
	}
	k.known[at] = e
}

// of are the entries of a row that somebody has written. A row that no session has written is evaluated.
func (k *Entries) of(c *Call, table OID, row Row) (Evaluated, error) {
	var list Evaluated
	for _, i := range c.x.table(table).Indexes {
		if !i.evaluated() {
			continue
		}
		var known bool
		var e entry
		if k != nil {
			k.mu.Lock()
			e, known = k.known[entryOf{i.OID, row.Key()}]
			k.mu.Unlock()
		}
		if !known {
			var err error
			if e, err = c.entry(i, row); err != nil {
				return nil, err
			}
		}
		if list == nil {
			list = Evaluated{}
		}
		list[i.OID] = e
	}
	return list, nil
}

// enter makes the index entries of a version that lies in the heap. Those of indexes without an entry the server forms.
func (x *Instance) enter(r *Relation, rel, slot uint32, known Evaluated) (err error) {
	const unchecked = 0 // UNIQUE_CHECK_NO
	p := x.proc
	for _, i := range r.Indexes {
		x.withRelation(i.OID, func(index uint32) {
			info := p.Must("BuildIndexInfo", uint64(index))
			insert := func(at uint32) {
				p.CallSlot(p.Word(p.Word(index+relIndexAM)+indexAMInsert), true, uint64(index), uint64(at), uint64(at+4*mostColumns),
					uint64(slot+slotTID), uint64(rel), unchecked, 0, info)
			}
			switch e, ok := known[i.OID]; {
			case !ok:
				x.form(info, slot, insert)
			case e.in:
				x.onStack(5*mostColumns, func(at uint32) {
					if err = errors.Join(err, x.putEntry(i, e, at)); err == nil {
						insert(at)
					}
				})
			}
		})
	}
	return err
}

func (x *Instance) putEntry(i *Index, e entry, at uint32) error {
	for k, v := range e.values {
		x.proc.PutByte(at+4*mostColumns+uint32(k), byte(word(v == nil)))
		if v == nil {
			continue
		}
		d, err := x.putDatum(&i.columns[k], v)
		if err != nil {
			return err
		}
		x.proc.PutWord(at+uint32(4*k), d)
	}
	return nil
}
