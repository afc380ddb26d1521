package storage

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/program/rows"
)

// Store is what the runs of a program know in common: the tables, the rows that
// can be in them, and the rows' contents.
type Store struct {
	mu      sync.Mutex
	tables  map[engine.OID]*table
	entries engine.Entries // of the contents, in indexes that evaluate something
}

// NewStore returns a store that knows nothing.
func NewStore() *Store { return &Store{tables: map[engine.OID]*table{}} }

// Forget drops what is known of rows whose content's variable is not in use, and contents
// that are not, by [rows.Content.Key]: see [rows.Known.Forget].
func (s *Store) Forget(variable, content func(string) bool) {
	s.mu.Lock()
	tables := slices.Collect(maps.Values(s.tables))
	s.mu.Unlock()
	for _, t := range tables {
		t.rows.Forget(func(id string) bool { return variable(t.contentVar(id)) }, content)
	}
}

// table is a table with what is known of its rows.
type table struct {
	*engine.Relation
	name    string // as users write it
	primary *engine.Index
	unique  []*engine.Index // the others that variables can stand for
	odd     bool            // there are unique indexes or exclusion constraints besides

	rows  *rows.Known[engine.Row]
	apart atomic.Bool // finding a row and locking it are two reads: see sole.go

	spellings map[engine.OID][]spelling // by index
}

// row is a row that can be in a table.
type row = rows.Row[engine.Row]

// table describes a table as it is now. What is known of its rows stays when its
// definition changes.
func (s *Store) table(c *engine.Call, oid engine.OID) *table {
	r := c.Table(oid)
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tables[oid]
	if t == nil {
		t = &table{rows: rows.NewKnown[engine.Row](), spellings: map[engine.OID][]spelling{}}
		s.tables[oid] = t
	}
	if t.Relation != r && !t.describes(r) {
		t.describe(r)
	}
	return t
}

// describes reports whether the description is one of r.
func (t *table) describes(r *engine.Relation) bool {
	return t.Relation != nil && t.Name == r.Name && t.Schema == r.Schema &&
		slices.EqualFunc(t.Columns, r.Columns, func(a, b engine.Column) bool { return a.Name == b.Name && a.Type == b.Type && a.Dropped == b.Dropped }) &&
		slices.EqualFunc(t.Indexes, r.Indexes, func(a, b *engine.Index) bool { return a.OID == b.OID })
}

func (t *table) describe(r *engine.Relation) {
	t.Relation, t.name, t.primary, t.unique, t.odd = r, r.Name, nil, nil, false
	if r.Schema != "public" {
		t.name = r.Schema + "." + r.Name
	}
	for _, i := range r.Indexes {
		switch {
		case i.Primary && i.Immediate:
			t.primary = i
		case i.Excludes:
			t.odd = true
		case !i.Unique:
		case i.Plain() && i.Immediate:
			t.unique = append(t.unique, i)
		default:
			t.odd = true
		}
	}
}

// shape is equal for contents with equal unique values only; where there are unique
// indexes that no variables stand for, for equal contents only.
func (t *table) shape(content engine.Row) string {
	if t.odd {
		return content.Key()
	}
	var b strings.Builder
	for _, i := range t.unique {
		for _, n := range i.Columns[:i.Keys] {
			b.WriteString(engine.Row{content[n-1]}.Key())
		}
	}
	return b.String()
}
