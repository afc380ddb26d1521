package program

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Table is a table of the program: rows of type T with a primary key of type K. Rows
// come and go. Make it with [NewTable]; use it inside transactions, and in Setup for the
// rows that are there at first.
//
// Under a database's model every call is one statement. Under an axiomatic level a row
// is a variable, whose value may be that there is no row: docs/levels.md says what is
// read and written.
type Table[K cmp.Ordered, T any] struct {
	client *Client
	table  *table
}

// UniqueColumn is a unique column of a table: see [Unique].
type UniqueColumn[T any] struct {
	name string
	of   func(T) any
}

// Unique is a unique column for [NewTable]: of returns its value in a row, a number, a
// string or nil for NULL. No two rows have the same value, other than NULL.
func Unique[T any](name string, of func(T) any) UniqueColumn[T] { return UniqueColumn[T]{name, of} }

// table is what all runs of a program know of a table.
type table struct {
	name    string
	number  int // from 1
	columns []string
	of      func(i int, row any) any // the value of a unique column
	rows    []VarID                  // that some transaction has inserted, by key
	scanned bool                     // in this round of the exploration
}

// row is what is known of a variable that is a row, or the value of a unique column.
type row struct {
	table *table // nil: the value of a unique column
	key   any
	order int
}

// maxColumns bounds the tables, as InnoDB's model has 64 indexes.
const maxColumns = 60

// NewTable declares a table. Its name is not empty and not repeated. K is an integer, a
// floating-point number or a string; T is what [NewVar] takes.
func NewTable[K cmp.Ordered, T any](p *Program, name string, columns ...UniqueColumn[T]) *Table[K, T] {
	loc := p.declaring("NewTable")
	p.declare(declaration{what: "table", name: name, loc: loc})
	var names []string
	for _, u := range columns {
		if u.of == nil || u.name == "" || slices.Contains(names, u.name) {
			p.run.misuse(loc, "table %q: a unique column needs a name of its own and a function", name)
		}
		names = append(names, u.name)
	}
	t := p.client.tableNamed(name, names)
	if t == nil {
		p.run.misuse(loc, "table %q has other unique columns than in the first call, or the tables have more than %d", name, maxColumns)
	}
	t.of = func(i int, row any) any { return columns[i].of(row.(T)) }
	return &Table[K, T]{p.client, t}
}

// tableNamed is the table of that name, made when it is new; nil if it had others
// columns, or there are too many.
func (c *Client) tableNamed(name string, columns []string) *table {
	c.varMu.Lock()
	defer c.varMu.Unlock()
	n := 1 + len(columns)
	for _, t := range c.tables {
		if t.name == name {
			if !slices.Equal(t.columns, columns) {
				return nil
			}
			return t
		}
		n += 1 + len(t.columns)
	}
	if n > maxColumns {
		return nil
	}
	t := &table{name: name, number: len(c.tables) + 1, columns: columns}
	c.tables = append(c.tables, t)
	return t
}

// Tables lists for each table of the program how many unique columns it has beside its key.
func (c *Client) Tables() (unique []int) {
	c.varMu.RLock()
	defer c.varMu.RUnlock()
	for _, t := range c.tables {
		unique = append(unique, len(t.columns))
	}
	return unique
}

// TableName is the name of a table by its number, from 1.
func (c *Client) TableName(number int) string {
	c.varMu.RLock()
	defer c.varMu.RUnlock()
	return c.tables[number-1].name
}

// Place is where a variable is on a database.
type Place struct {
	Table  int  // 0: it is no row of a table
	Order  int  // orders it there
	Exists bool // it is there before the sessions
	Unique []Entry
}

// PlaceOf says where a variable is on a database. A variable that stands for a value in
// a unique column is nowhere there.
func (c *Client) PlaceOf(x VarID) (p Place, err error) {
	c.varMu.RLock()
	r, ok := c.rows[x]
	c.varMu.RUnlock()
	initial := c.Initial(x)
	switch {
	case !ok:
		p.Exists = true
	case r.table != nil:
		p.Table, p.Order, p.Exists = r.table.number, r.order, initial != 0
		if p.Exists {
			p.Unique, _, err = c.entries(r.table, c.Value(initial))
		}
	}
	return p, err
}

// placed interns a key that is a row, or the value of a unique column.
func (c *Client) placed(key string, r row) VarID {
	c.varMu.Lock()
	defer c.varMu.Unlock()
	if x, ok := c.vars[key]; ok {
		return x
	}
	x := VarID(len(c.keys))
	if c.rows == nil {
		c.rows = map[VarID]row{}
	}
	c.keys, c.vars[key], c.rows[x] = append(c.keys, key), x, r
	return x
}

// variable is the variable of a key that client code has computed.
func (tx *Tx) variable(key, what string, loc Loc) VarID {
	c := tx.run.client
	for _, t := range c.tables {
		if strings.HasPrefix(key, t.name+"/") || strings.HasPrefix(key, t.name+"(") {
			tx.run.misuse(loc, "%s of %q, which is a row of the table %q: use the table's methods", what, key, t.name)
		}
	}
	return c.variable(key)
}

// rowOf is the variable of a row.
func (t *Table[K, T]) rowOf(tx *Tx, k K, loc Loc) VarID {
	c := tx.run.client
	key := t.table.name + "/" + keyText(reflect.ValueOf(k))
	c.varMu.RLock()
	x, known := c.vars[key]
	c.varMu.RUnlock()
	if known {
		return x
	}
	order, err := c.orderOf(k)
	if err != nil {
		tx.run.misuse(loc, "table %q: %v", t.table.name, err)
	}
	return c.placed(key, row{t.table, k, order})
}

// keyText is a key, or the value of a unique column, in the name of a variable.
func keyText(v reflect.Value) string {
	switch v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return strconv.FormatUint(v.Uint(), 10)
	}
	return strconv.FormatFloat(v.Float(), 'g', -1, 64)
}

// orderOf is a number that orders a key among others of its type.
func (c *Client) orderOf(key any) (int, error) {
	v := reflect.ValueOf(key)
	switch v.Kind() {
	case reflect.String:
		return c.orders.of(v.String())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if n := v.Int(); n > math.MinInt {
			return int(n), nil
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		if n := v.Uint(); n <= math.MaxInt {
			return int(n), nil
		}
	case reflect.Float32, reflect.Float64:
		if f := v.Float(); !math.IsNaN(f) {
			bits := int(math.Float64bits(f + 0)) // -0 is 0
			if bits < 0 {
				bits = math.MinInt - bits
			}
			return bits, nil
		}
	default:
		return 0, fmt.Errorf("a key, or the value of a unique column, is a number, a string or nil, and not a %s", v.Type())
	}
	return 0, fmt.Errorf("%v is no key that is ordered among others", key)
}

// entries are the unique columns of a row.
func (c *Client) entries(t *table, row any) (list []Entry, values []any, err error) {
	for i := range t.columns {
		v := t.of(i, row)
		if v == nil {
			list, values = append(list, Entry{}), append(values, nil)
			continue
		}
		order, err := c.orderOf(v)
		if err != nil {
			return nil, nil, fmt.Errorf("column %q: %w", t.columns[i], err)
		}
		id, err := c.values.intern(v)
		if err != nil {
			return nil, nil, err
		}
		list, values = append(list, Entry{int32(id), order}), append(values, v)
	}
	return list, values, nil
}

// orders orders strings by numbers, as they become known.
type orders struct {
	mu      sync.Mutex
	texts   []string // ascending
	numbers []int    // of them, ascending
}

// orderStep is between the numbers of two strings, at first.
const orderStep = 1 << 44

// of is the number of a string. A string between two known ones gets one between
// theirs.
func (o *orders) of(s string) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	i, known := slices.BinarySearch(o.texts, s)
	if known {
		return o.numbers[i], nil
	}
	n := 0
	switch {
	case len(o.texts) == 0:
	case i == 0:
		n = o.numbers[0] - orderStep
	case i == len(o.texts):
		n = o.numbers[i-1] + orderStep
	default:
		low, high := o.numbers[i-1], o.numbers[i]
		if n = low + (high-low)/2; n == low {
			return 0, fmt.Errorf("%q: the program has too many keys near %q", s, o.texts[i-1])
		}
	}
	o.texts, o.numbers = slices.Insert(o.texts, i, s), slices.Insert(o.numbers, i, n)
	return n, nil
}
