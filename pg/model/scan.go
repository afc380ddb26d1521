package model

import (
	"fmt"
	"slices"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/program/access"
)

// listed is a table as a view of a command sees it.
type listed struct {
	view    uint32 // number of the snapshot
	command uint32
	table   engine.OID
}

// listing is what the scans of a view have found so far.
type listing struct {
	places map[engine.TID]bool // true: the version is to be met; false: it is seen
	names  map[int32]engine.TID
	whole  bool // all that the view sees of the table
	covers []cover
	known  map[engine.TID]bool // versions that no scan has looked for, and whether they are seen
}

// cover is a condition whose rows have been listed.
type cover struct {
	text  string
	match func(value int32) bool
}

// Scan asks for what the scan can come upon and puts it into the heap.
func (s *Session) Scan(c *engine.Call, scan engine.Scan) {
	t := s.table(c, scan.Table)
	switch {
	case scan.View.Kind == engine.Dirty:
		s.probe(c, t, scan)
	case scan.View.Kind != engine.MVCC:
	case scan.ByTID: // see Fetch
	case scan.Between:
		s.refuse(c, "a range of ctid")
	case scan.Samples:
		s.refuse(c, "TABLESAMPLE")
	default:
		s.list(c, t, scan)
	}
}

func (s *Session) list(c *engine.Call, t *table, scan engine.Scan) {
	w := scan.View
	l := s.listings[listed{w.Number, w.Command, t.OID}]
	if l != nil && l.whole && !tracked(c) {
		return
	}
	q, seen := s.request(c, t, scan)
	if l != nil && slices.ContainsFunc(l.covers, func(v cover) bool { return v.text == seen.text }) {
		return
	}
	a := s.ask(c, q, w.Command, &w)
	if l = s.listings[listed{w.Number, w.Command, t.OID}]; l == nil { // after ask: it forgets those of the statement before
		l = &listing{places: map[engine.TID]bool{}, names: map[int32]engine.TID{}, known: map[engine.TID]bool{}}
		s.listings[listed{w.Number, w.Command, t.OID}] = l
	}
	l.covers = append(l.covers, seen)
	if !l.whole {
		s.arrange(c, t, l, a)
	}
	l.whole = l.whole || q.Kind == access.ScanTable
}

// arrange puts the versions into the heap in their order.
func (s *Session) arrange(c *engine.Call, t *table, l *listing, a access.Answer) {
	last := engine.NoTID
	for i, v := range a.Versions {
		tid, ok := l.names[v.Name]
		if ok && i > 0 && tid < last {
			s.refuse(c, fmt.Sprintf("two scans of table %s in a statement that come upon its rows in different orders", t.name))
		}
		if !ok {
			tid = s.put(c, t, v.Name, last)
			l.names[v.Name] = tid
		}
		l.places[tid] = a.Each
		last = tid
	}
}

// request is what a scan asks, and the condition that it covers.
func (s *Session) request(c *engine.Call, t *table, scan engine.Scan) (access.Request, cover) {
	i := slices.IndexFunc(t.Indexes, func(x *engine.Index) bool { return x.OID == scan.Index })
	if i < 0 {
		return access.Request{Kind: access.ScanTable, Target: access.Target{Table: t.number}}, cover{"whole", func(int32) bool { return true }}
	}
	if values, ok := t.point(i, scan.Keys); ok && t.Indexes[i].Plain() {
		key, err := t.keyOf(c, i, values)
		if err != nil {
			c.Raise("XX000", "txmc: "+err.Error())
		}
		keys := make([]int32, len(t.Indexes))
		keys[i] = key
		q := access.Request{Kind: access.ScanKey, Target: access.Target{Table: t.number, Index: uint8(i)}, Row: access.Row{Keys: keys}}
		return q, cover{fmt.Sprint("key ", i, key), s.matching(t.conditions(i, scan.Keys))}
	}
	conditions := t.conditions(i, scan.Keys)
	text := fmt.Sprint("index ", i)
	for _, x := range conditions {
		text += x.text
	}
	match := s.matching(conditions)
	return access.Request{Kind: access.ScanIndex, Target: access.Target{Table: t.number, Index: uint8(i)}, Condition: access.Condition{Match: match, Text: text, Once: scan.Once && !s.holds}}, cover{text, match}
}

// point is the key that a scan of a unique index looks for, if it looks for one.
func (t *table) point(i int, keys []engine.ScanKey) (engine.Row, bool) {
	index := t.Indexes[i]
	if !index.Unique || !t.trees[i] || len(keys) != index.Keys {
		return nil, false
	}
	values := make(engine.Row, index.Keys)
	for _, k := range keys {
		if k.Column < 1 || k.Column > index.Keys || k.Strategy != equal || k.Flags != 0 || k.Value == nil || values[k.Column-1] != nil {
			return nil, false
		}
		values[k.Column-1] = k.Value
	}
	return values, true
}

// condition is a condition on a column that can be evaluated without the server.
type condition struct {
	column int // of the table, from 0
	text   string
	holds  func(v engine.Value) bool
}

// Strategies of btrees (access/stratnum.h), and flags (access/skey.h).
const (
	less, lessEqual, equal, greaterEqual, greater = 1, 2, 3, 4, 5
	searchNull, searchNotNull                     = 0x40, 0x80
)

// conditions are those of a scan's conditions that can be evaluated here. The server
// evaluates all of them.
func (t *table) conditions(i int, keys []engine.ScanKey) (list []condition) {
	index := t.Indexes[i]
	if !t.trees[i] {
		return nil
	}
	for _, k := range keys {
		if k.Column < 1 || k.Column > len(index.Columns) || index.Columns[k.Column-1] == 0 {
			continue
		}
		column := index.Columns[k.Column-1] - 1
		order := compares[t.Columns[column].Type]
		text := fmt.Sprintf(" %d %d %x %x", column, k.Strategy, k.Flags, []byte(k.Value))
		switch {
		case k.Flags&searchNull != 0:
			list = append(list, condition{column, text, func(v engine.Value) bool { return v == nil }})
		case k.Flags&searchNotNull != 0:
			list = append(list, condition{column, text, func(v engine.Value) bool { return v != nil }})
		case k.Flags == 0 && k.Value != nil && order != nil && k.Strategy >= less && k.Strategy <= greater:
			list = append(list, condition{column, text, comparison(order, k.Strategy, k.Value)})
		}
	}
	return list
}

func comparison(order func(a, b engine.Value) int, strategy uint16, with engine.Value) func(engine.Value) bool {
	return func(v engine.Value) bool {
		if v == nil {
			return false
		}
		n := order(v, with)
		switch strategy {
		case less:
			return n < 0
		case lessEqual:
			return n <= 0
		case equal:
			return n == 0
		case greaterEqual:
			return n >= 0
		}
		return n > 0
	}
}

// matching reports whether a content satisfies all conditions.
func (s *Session) matching(list []condition) func(int32) bool {
	cat := s.cat
	return func(value int32) bool {
		row := cat.row(value)
		for _, x := range list {
			if !x.holds(row[x.column]) {
				return false
			}
		}
		return true
	}
}

// put gives a version a place behind another one, NoTID for any.
func (s *Session) put(c *engine.Call, t *table, name int32, behind engine.TID) engine.TID {
	for _, tid := range s.where[name] {
		if tid > behind {
			return tid
		}
	}
	value := s.names[name].value
	for _, tid := range s.spotsOf(value) {
		if _, used := s.at[address{t.OID, tid}]; tid > behind && !used {
			s.stand(t, name, tid)
			return tid
		}
	}
	const patience = 10_000 // versions that a page's free space can take
	for range patience {
		tid, err := c.Insert(t.OID, s.cat.row(value), &s.cat.entries)
		if err != nil {
			c.Raise("XX000", "txmc: "+err.Error())
		}
		s.spot(value, tid)
		if tid > behind {
			s.stand(t, name, tid)
			return tid
		}
	}
	c.Raise("XX000", fmt.Sprintf("txmc: no place for a row of %s", t.name))
	return engine.NoTID
}

// stand makes a place stand for a version.
func (s *Session) stand(t *table, name int32, tid engine.TID) {
	s.at[address{t.OID, tid}] = name
	list := append(s.where[name], tid)
	slices.Sort(list)
	s.where[name] = list
}

// Visible answers by what has been listed.
func (s *Session) Visible(c *engine.Call, at engine.Version, w engine.View) bool {
	p := address{at.Table, at.TID}
	name, met := s.at[p]
	switch w.Kind {
	case engine.Dirty:
		return s.dirty[p]
	case engine.Self:
		if !met || !s.names[name].own {
			s.refuse(c, "a look at the newest version of a row of another transaction")
		}
		return !s.names[name].dead
	case engine.MVCC:
	default:
		s.refuse(c, fmt.Sprintf("a snapshot of kind %d", w.Kind))
	}
	l := s.listings[listed{w.Number, w.Command, at.Table}]
	fetched := s.fetched == p
	s.fetched = address{}
	switch {
	case l == nil && met && fetched:
		return s.ask(c, access.Request{Kind: access.Meet, Target: access.Target{Version: name}}, w.Command, &w).Result == access.OK
	case l == nil:
		return met && s.see(c, name, w)
	}
	if each, in := l.places[at.TID]; in {
		return !each || s.meet(c, l, at.TID, name, w)
	}
	if !met || l.whole || l.looked(s.names[name].value) {
		return false
	}
	yes, known := l.known[at.TID]
	if !known {
		yes = s.see(c, name, w)
		l.known[at.TID] = yes
	}
	return yes
}

// looked reports whether a scan has looked for a content.
func (l *listing) looked(value int32) bool {
	return slices.ContainsFunc(l.covers, func(v cover) bool { return v.match(value) })
}

// see looks at a version that no scan has told of.
func (s *Session) see(c *engine.Call, name int32, w engine.View) bool {
	return s.ask(c, access.Request{Kind: access.See, Target: access.Target{Version: name}}, w.Command, &w).Result == access.OK
}

// meet meets a version once. A scan that comes again finds it as it was.
func (s *Session) meet(c *engine.Call, l *listing, tid engine.TID, name int32, w engine.View) bool {
	yes, known := l.known[tid]
	if !known {
		yes = s.ask(c, access.Request{Kind: access.Meet, Target: access.Target{Version: name}}, w.Command, &w).Result == access.OK
		l.known[tid] = yes
	}
	return yes
}
