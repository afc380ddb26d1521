package exact

import (
	"fmt"

	"github.com/txmc/txmc/program/access"
)

// What was served, as reads and writes of rows. A row's key is its table with its primary
// key, or with a number if it has none. A version has a number; that of a row that was
// there before all transactions is 0.

// Transaction is what a transaction did, for those who record it.
type Transaction struct {
	Session   string
	Number    int64 // counted from 1, by the order in which transactions begin
	Committed bool
	Events    []Event
}

// Event is a read or a write of a row.
type Event struct {
	Write   bool
	Key     string
	Version int64  // 0: what nobody has written
	Value   string // "" where there is nothing
	Own     bool   // a read of the transaction's own write
	Lock    bool   // a locking read
}

// Record makes the store hand on each transaction that has ended, in the order of their
// ends. It is called before the store is used.
func (s *Store) Record(take func(*Transaction)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records.take = take
	s.records.of = map[int32]row{}
}

// records are what is known of versions; nothing when nobody records.
type records struct {
	take    func(*Transaction)
	of      map[int32]row  // by version of the model; of those that were not there at the beginning
	next    map[int32]row  // while they move
	renewed map[string]row // by key: those with which the store has begun anew
	written int64
	rows    int64 // without a primary key
}

// row is what a version is of.
type row struct {
	key    string
	number int64
	writer int64 // number of the transaction
}

// recording is what a transaction has done so far.
type recording struct {
	number int64
	events []Event
	saves  []int // by savepoint: how many events there were
}

// mover notes the new names of versions.
func (r *records) mover() func(from, to int32) {
	r.next = map[int32]row{}
	return func(from, to int32) {
		if known, ok := r.of[from]; ok {
			r.next[to] = known
		}
	}
}

func (r *records) moved() { r.of, r.next = r.next, nil }

// note notes an answer.
func (c *Session) note(q *access.Request, a *access.Answer) {
	if c.store.records.take == nil {
		return
	}
	switch q.Kind {
	case access.Save:
		c.done.saves = append(c.done.saves, len(c.done.events))
	case access.Release:
		c.done.saves = c.done.saves[:q.Depth-1]
	case access.Back:
		c.done.undo(q.Depth)
	}
	if a.Result != access.OK {
		return
	}
	switch q.Kind {
	case access.ScanTable, access.ScanKey, access.ScanIndex:
		if !a.Each {
			for _, v := range a.Versions {
				c.noteRead(v.Name, false)
			}
		}
	case access.Meet, access.See:
		c.noteRead(q.Version, false)
	case access.Lock:
		c.noteRead(a.Versions[0].Name, true)
	case access.Insert:
		c.noteWrite(none, a.Versions[0])
	case access.Update:
		c.noteWrite(q.Version, a.Versions[0])
	case access.Delete:
		c.noteWrite(q.Version, access.Version{Name: none})
	case access.Truncate:
		for _, at := range c.store.rows.Emptied(int(q.Table)) {
			r, _ := c.rowAt(at)
			c.write(r.key, "")
		}
	}
}

// undo forgets the writes since a savepoint, and the reads of them.
func (r *recording) undo(depth int) {
	kept := r.events[:r.saves[depth-1]]
	for _, e := range r.events[len(kept):] {
		if !e.Write && !e.Own {
			kept = append(kept, e)
		}
	}
	r.events, r.saves = kept, r.saves[:depth-1]
}

// rowOf is what the version is of that the session's backend calls by a name.
func (c *Session) rowOf(name int32) (r row, at int32, value string) {
	at = c.store.rows.Named(c.slot, name)
	r, value = c.rowAt(at)
	return r, at, value
}

// rowAt is what a version is of.
func (c *Session) rowAt(at int32) (r row, value string) {
	s := c.store
	content := s.rows.Content(at)
	value = s.catalog.Describe(content)
	r, known := s.records.of[at]
	if !known { // it was there at the beginning
		r.key = s.records.name(s.catalog, content)
		if anew, ok := s.records.renewed[r.key]; ok {
			r = anew
		}
		s.records.of[at] = r
	}
	return r, value
}

func (r *records) name(c Catalog, content int32) string {
	name, keyed := c.Name(content)
	if !keyed {
		r.rows++
		name = fmt.Sprintf("%s#%d", name, r.rows)
	}
	return name
}

func (c *Session) noteRead(name int32, lock bool) {
	r, _, value := c.rowOf(name)
	c.done.events = append(c.done.events, Event{Key: r.key, Version: r.number, Value: value, Own: r.number > 0 && r.writer == c.done.number, Lock: lock})
}

// noteWrite notes that one version has replaced another one; there may be none of either.
func (c *Session) noteWrite(old int32, by access.Version) {
	rs := &c.store.records
	key := ""
	if old != none {
		r, _, _ := c.rowOf(old)
		key = r.key
	}
	if by.Name != none {
		at := c.store.rows.Named(c.slot, by.Name)
		name, keyed := c.store.catalog.Name(by.Value)
		switch {
		case keyed && key != "" && key != name:
			c.write(key, "")
			key = name
		case keyed:
			key = name
		case key == "":
			key = rs.name(c.store.catalog, by.Value)
		}
		number := c.write(key, c.store.catalog.Describe(by.Value))
		rs.of[at] = row{key, number, c.done.number}
		return
	}
	c.write(key, "")
}

func (c *Session) write(key, value string) int64 {
	c.store.records.written++
	c.done.events = append(c.done.events, Event{Write: true, Key: key, Version: c.store.records.written, Value: value})
	return c.store.records.written
}

// hand hands on what has ended.
func (c *Session) hand(committed bool) {
	rs := &c.store.records
	if rs.take != nil {
		rs.take(&Transaction{c.Name, c.done.number, committed, c.done.events})
	}
	c.done = recording{}
}
