package model

import (
	"fmt"
	"slices"
	"sync"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/program/access"
)

// Catalog is what all runs of a program know of its tables and of the contents that
// their rows have had.
type Catalog struct {
	mu       sync.RWMutex
	tables   map[engine.OID]*table
	order    []*table
	contents map[int32]content // by number
	numbers  map[contentKey]int32
	last     int32 // number of a content

	entries    engine.Entries // of the contents, in indexes that evaluate something
	sequences  []Sequence
	settings   []engine.Setting // that setval has made, by number, from 1
	advisories numbering        // of keys
}

// table is a table with its number in the model.
type table struct {
	*engine.Relation
	number  uint8
	name    string // as users write it
	trees   []bool // by index: it is a btree
	blocks  []int  // positions, from 1, of the columns that some index has
	refused string // why statements on it are refused, or ""

	mu      sync.Mutex
	keys    []numbering // by index: of keys
	samples [][]sample  // by index: each key, where bytes do not tell keys apart
	indexed numbering
}

// numbering gives numbers to texts, from 1. None is given twice.
type numbering struct {
	of   map[string]int32
	last int32
}

// number is the number of a text.
func (n *numbering) number(text string) int32 {
	if x, ok := n.of[text]; ok {
		return x
	}
	n.last++
	n.give(text, n.last)
	return n.last
}

// give gives a text a number that another one has already.
func (n *numbering) give(text string, x int32) {
	if n.of == nil {
		n.of = map[string]int32{}
	}
	n.of[text] = x
}

// sample is a key with its number.
type sample struct {
	values engine.Row
	key    int32
}

type content struct {
	table *table
	row   engine.Row
	text  string
	name  string // of the primary key; "" if there is none
}

type contentKey struct {
	table uint8
	row   string
}

// Indexing is what the server says of an index.
type Indexing struct {
	Index     engine.OID
	Columns   []int // of the table, from 1, that expressions and the condition of the index use
	Method    string
	Exclusive bool // it is of an exclusion constraint
	Nulls     bool // null equals null in it
}

// maxTables and maxIndexes bound what the model has numbers for.
const maxTables, maxIndexes = 250, 30

// NewCatalog describes the tables of an instance.
func NewCatalog(c *engine.Call, tables []engine.OID, sequences []Sequence, list []Indexing) (*Catalog, error) {
	cat := &Catalog{sequences: sequences, tables: map[engine.OID]*table{}, contents: map[int32]content{}, numbers: map[contentKey]int32{}}
	if len(tables) > maxTables {
		return nil, fmt.Errorf("%d tables: a model of the database has at most %d", len(tables), maxTables)
	}
	for i, oid := range tables {
		r := c.Table(oid)
		if len(r.Indexes) > maxIndexes {
			return nil, fmt.Errorf("table %s has %d indexes: a model of the database has at most %d", r, len(r.Indexes), maxIndexes)
		}
		t := &table{Relation: r, number: uint8(i), name: r.Name, trees: make([]bool, len(r.Indexes)),
			keys: make([]numbering, len(r.Indexes)), samples: make([][]sample, len(r.Indexes))}
		if r.Schema != "public" {
			t.name = r.Schema + "." + r.Name
		}
		t.describe(list)
		cat.tables[oid] = t
		cat.order = append(cat.order, t)
	}
	return cat, nil
}

// describe notes which columns are in indexes, and whether the model has the table.
func (t *table) describe(list []Indexing) {
	for i, index := range t.Indexes {
		for _, x := range list {
			if x.Index != index.OID {
				continue
			}
			t.trees[i] = x.Method == "btree"
			if x.Exclusive {
				t.refused = fmt.Sprintf("table %s has the exclusion constraint %s", t.name, index.Name)
			}
			if x.Nulls {
				t.refused = fmt.Sprintf("table %s has the unique index %s with NULLS NOT DISTINCT", t.name, index.Name)
			}
			if x.Method != "brin" { // which only summarises
				t.block(slices.Concat(index.Columns, x.Columns))
			}
		}
	}
	slices.Sort(t.blocks)
}

// block notes columns whose change makes an index have a new entry.
func (t *table) block(columns []int) {
	for _, n := range columns {
		if n > 0 && !slices.Contains(t.blocks, n) {
			t.blocks = append(t.blocks, n)
		}
	}
}

// Tables are the tables as the model has them.
func (cat *Catalog) Tables() (list []access.Table) {
	for _, t := range cat.order {
		m := access.Table{Name: t.name, Indexes: len(t.Indexes)}
		for i, index := range t.Indexes {
			if index.Unique && index.Plain() {
				m.Keys |= 1 << i
			}
			if index.Unique && !index.Immediate {
				m.Deferred |= 1 << i
			}
		}
		list = append(list, m)
	}
	return list
}

// Describe renders a content.
func (cat *Catalog) Describe(value int32) string {
	cat.mu.RLock()
	defer cat.mu.RUnlock()
	c := cat.contents[value]
	return c.table.name + " " + c.text
}

// Name is the table of a content, with the row's primary key where there is one.
func (cat *Catalog) Name(value int32) (name string, keyed bool) {
	cat.mu.RLock()
	defer cat.mu.RUnlock()
	c := cat.contents[value]
	if c.name == "" {
		return c.table.name, false
	}
	return c.table.name + "/" + c.name, true
}

// Known reports whether a number stands for a content.
func (cat *Catalog) Known(value int32) bool {
	cat.mu.RLock()
	defer cat.mu.RUnlock()
	_, ok := cat.contents[value]
	return ok
}

// row is the content that a number stands for.
func (cat *Catalog) row(value int32) engine.Row {
	cat.mu.RLock()
	defer cat.mu.RUnlock()
	return cat.contents[value].row
}

// intern is a row as the model has it, with its entries where they have been evaluated.
func (cat *Catalog) intern(c *engine.Call, t *table, row engine.Row, entries engine.Evaluated) (access.Row, error) {
	m := access.Row{Keys: make([]int32, len(t.Indexes))}
	for i := range t.Indexes {
		if t.refused != "" {
			break
		}
		key, err := t.key(c, i, row, entries)
		if err != nil {
			return m, err
		}
		m.Keys[i] = key
	}
	m.Indexed = t.indexing(row)
	m.Value = cat.number(c, t, row)
	return m, nil
}

// number is the number of a content.
func (cat *Catalog) number(c *engine.Call, t *table, row engine.Row) int32 {
	key := contentKey{t.number, row.Key()}
	cat.mu.RLock()
	n, ok := cat.numbers[key]
	cat.mu.RUnlock()
	if ok {
		return n
	}
	text, name := t.text(c, row), t.nameOf(c, row)
	cat.mu.Lock()
	defer cat.mu.Unlock()
	if n, ok = cat.numbers[key]; !ok {
		cat.last++
		n = cat.last
		cat.contents[n] = content{t, row, text, name}
		cat.numbers[key] = n
	}
	return n
}

// indexing is the number of the values of all columns that some index has.
func (t *table) indexing(row engine.Row) int32 {
	var values engine.Row
	for _, n := range t.blocks {
		values = append(values, row[n-1])
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.indexed.number(values.Key())
}

// key is the number of the key that a row has in an index; 0 is null, and in an index
// that is not unique.
func (t *table) key(c *engine.Call, i int, row engine.Row, entries engine.Evaluated) (int32, error) {
	index := t.Indexes[i]
	if !index.Unique && !index.Partial {
		return 0, nil
	}
	var values engine.Row
	if index.Plain() {
		for _, n := range index.Columns[:index.Keys] {
			values = append(values, row[n-1])
		}
		return t.keyOf(c, i, values)
	}
	values, in, err := entries.Key(c, index, row)
	switch {
	case err != nil:
		return 0, err
	case !in:
		return access.Absent, nil
	case !index.Unique:
		return 0, nil
	}
	return t.keyOf(c, i, values)
}

// keyOf is the number of a key.
func (t *table) keyOf(c *engine.Call, i int, values engine.Row) (int32, error) {
	for _, v := range values {
		if v == nil {
			return 0, nil
		}
	}
	index := t.Indexes[i]
	t.mu.Lock()
	defer t.mu.Unlock()
	keys := &t.keys[i]
	if _, ok := keys.of[values.Key()]; ok || exact(index) {
		return keys.number(values.Key()), nil
	}
	for _, s := range t.samples[i] {
		same, err := c.EqualKeys(index.OID, s.values, values)
		if err != nil {
			return 0, err
		}
		if same {
			keys.give(values.Key(), s.key)
			return s.key, nil
		}
	}
	n := keys.number(values.Key())
	t.samples[i] = append(t.samples[i], sample{values, n})
	return n, nil
}
