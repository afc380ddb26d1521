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

	"github.com/txmc/txmc/program/behaviour"
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

// Column is a column of a table with a constraint: see [Unique] and [References].
type Column[T any] struct {
	name   string
	of     func(T) any
	client *Client // References
	parent *table  // References: nil where the table is
}

// Unique is a unique column for [NewTable]: of returns its value in a row, a number, a
// string or nil for NULL. No two rows have the same value, other than NULL.
func Unique[T any](name string, of func(T) any) Column[T] { return Column[T]{name: name, of: of} }

// References is a foreign key for [NewTable], without an index in PostgreSQL, and with one in
// InnoDB. of returns the key of a row of parent: the given row refers to that row. It returns
// nil for NULL. A row that refers to no row cannot be inserted, and a row to which others refer
// cannot be deleted. The error is a [*behaviour.DBError]: 23503 of PostgreSQL and axiomatic levels, 1452
// and 1451 of InnoDB.
func References[T any, K cmp.Ordered, P any](name string, of func(T) any, parent *Table[K, P]) Column[T] {
	c := Column[T]{name: name, client: &Client{}}
	if parent == nil || of == nil {
		return c
	}
	c.client, c.parent = parent.client, parent.table
	c.of = func(row T) any {
		v := of(row)
		if _, is := v.(K); v != nil && !is {
			return mistyped{fmt.Sprintf("%T, and a key of %q is of type %v", v, parent.table.name, reflect.TypeFor[K]())}
		}
		return v
	}
	return c
}

// mistyped is a reference that is no key.
type mistyped struct{ what string }

// table is what all runs of a program know of a table.
type table struct {
	name     string
	number   int // from 1
	columns  []string
	parents  []reference              // behind the unique columns
	children []reference              // the tables that refer to this one
	of       func(i int, row any) any // the value of a unique column, or the key that a reference has
	rows     []behaviour.VarID        // that some transaction has inserted, by key
	scanned  bool                     // in this round of the exploration
}

// reference is a foreign key.
type reference struct {
	name  string
	table *table // the parent, or of children, the child
	at    int    // of children: which of its parents
}

func (r reference) same(o reference) bool { return r.name == o.name && r.table == o.table }

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
func NewTable[K cmp.Ordered, T any](p *Program, name string, columns ...Column[T]) *Table[K, T] {
	loc := p.declaring("NewTable")
	p.declare(declaration{what: "table", name: name, loc: loc})
	var names, unique []string
	var parents []reference
	var functions []func(T) any // of the unique columns, then of the references
	for _, u := range columns {
		if u.of == nil || u.name == "" || slices.Contains(names, u.name) || u.client != nil && u.client != p.client {
			p.run.misuse(loc, "table %q: a column needs a name of its own and a function, and a reference a table that was declared in this program before", name)
		}
		names = append(names, u.name)
		if u.parent != nil {
			parents, functions = append(parents, reference{name: u.name, table: u.parent}), append(functions, u.of)
		} else {
			unique, functions = append(unique, u.name), slices.Insert(functions, len(unique), u.of)
		}
	}
	t := p.client.tableNamed(name, unique, parents)
	if t == nil {
		p.run.misuse(loc, "table %q has other columns than in the first call, or the tables have more than %d", name, maxColumns)
	}
	t.of = func(i int, row any) any { return functions[i](row.(T)) }
	return &Table[K, T]{p.client, t}
}

// tableNamed is the table of that name, made when it is new; nil if it had others
// columns, or there are too many.
func (c *Client) tableNamed(name string, columns []string, parents []reference) *table {
	c.varMu.Lock()
	defer c.varMu.Unlock()
	n := 1 + len(columns) + len(parents)
	for _, t := range c.tables {
		if t.name == name {
			if !slices.Equal(t.columns, columns) || !slices.EqualFunc(t.parents, parents, reference.same) {
				return nil
			}
			return t
		}
		n += 1 + len(t.columns) + len(t.parents)
	}
	if n > maxColumns {
		return nil
	}
	t := &table{name: name, number: len(c.tables) + 1, columns: columns, parents: parents}
	c.tables = append(c.tables, t)
	for i, r := range parents {
		r.table.children = append(r.table.children, reference{r.name, t, i})
	}
	return t
}

// Constraints are what a table has beside its key: unique columns, and the tables to which its
// rows refer, by number.
type Constraints struct {
	Unique  int
	Parents []int
}

// Tables lists the tables of the program.
func (c *Client) Tables() (list []Constraints) {
	c.varMu.RLock()
	defer c.varMu.RUnlock()
	for _, t := range c.tables {
		k := Constraints{Unique: len(t.columns)}
		for _, r := range t.parents {
			k.Parents = append(k.Parents, r.table.number)
		}
		list = append(list, k)
	}
	return list
}

// TableName is the name of a table by its number, from 1.
func (c *Client) TableName(number int) string {
	c.varMu.RLock()
	defer c.varMu.RUnlock()
	return c.tables[number-1].name
}

// Place is where a variable is on a database.
type Place struct {
	Table   int  // 0: it is no row of a table
	Order   int  // orders it there
	Exists  bool // it is there before the sessions
	Columns []behaviour.Entry
}

// PlaceOf says where a variable is on a database. A variable that stands for a value in
// a unique column is nowhere there.
func (c *Client) PlaceOf(x behaviour.VarID) (p Place, err error) {
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
			p.Columns, _, err = c.entries(r.table, c.Value(initial))
		}
	}
	return p, err
}

// placed interns a key that is a row, or the value of a unique column.
func (c *Client) placed(key string, r row) behaviour.VarID {
	c.varMu.Lock()
	defer c.varMu.Unlock()
	if x, ok := c.vars[key]; ok {
		return x
	}
	x := behaviour.VarID(len(c.keys))
	if c.rows == nil {
		c.rows = map[behaviour.VarID]row{}
	}
	c.keys, c.vars[key], c.rows[x] = append(c.keys, key), x, r
	return x
}

// variable is the variable of a key that client code has computed.
func (tx *Tx) variable(key, what string, loc behaviour.Loc) behaviour.VarID {
	c := tx.run.client
	for _, t := range c.tables {
		if strings.HasPrefix(key, t.name+"/") || strings.HasPrefix(key, t.name+"(") {
			tx.run.misuse(loc, "%s of %q, which is a row of the table %q: use the table's methods", what, key, t.name)
		}
	}
	return c.variable(key)
}

// rowOf is the variable of a row.
func (t *Table[K, T]) rowOf(tx *Tx, k K, loc behaviour.Loc) behaviour.VarID {
	x, err := tx.run.client.rowNamed(t.table, k)
	if err != nil {
		tx.run.misuse(loc, "table %q: %v", t.table.name, err)
	}
	return x
}

// rowNamed is the variable of a table's row with a key.
func (c *Client) rowNamed(t *table, k any) (behaviour.VarID, error) {
	key := t.name + "/" + keyText(reflect.ValueOf(k))
	c.varMu.RLock()
	x, known := c.vars[key]
	c.varMu.RUnlock()
	if known {
		return x, nil
	}
	order, err := c.orderOf(k)
	if err != nil {
		return 0, err
	}
	return c.placed(key, row{t, k, order}), nil
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

// entries are the unique columns of a row, and behind them its references; values are those of
// the unique columns.
func (c *Client) entries(t *table, row any) (list []behaviour.Entry, values []any, err error) {
	for i := range t.columns {
		v := t.of(i, row)
		if v == nil {
			list, values = append(list, behaviour.Entry{}), append(values, nil)
			continue
		}
		order, err := c.orderOf(v)
		if err != nil {
			return nil, nil, fmt.Errorf("column %q: %w", t.columns[i], err)
		}
		id, err := c.values.Intern(v)
		if err != nil {
			return nil, nil, err
		}
		list, values = append(list, behaviour.Entry{ID: int32(id), Order: order}), append(values, v)
	}
	for i := range t.parents {
		e, err := c.referred(t, i, row)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, e)
	}
	return list, values, nil
}

// referred is the row to which a reference of a row refers, the ID 0 for none.
func (c *Client) referred(t *table, i int, row any) (behaviour.Entry, error) {
	v := t.of(len(t.columns)+i, row)
	if v == nil {
		return behaviour.Entry{}, nil
	}
	if m, is := v.(mistyped); is {
		return behaviour.Entry{}, fmt.Errorf("reference %q: the key is of type %s", t.parents[i].name, m.what)
	}
	x, err := c.rowNamed(t.parents[i].table, v)
	if err != nil {
		return behaviour.Entry{}, fmt.Errorf("reference %q: %w", t.parents[i].name, err)
	}
	c.varMu.RLock()
	defer c.varMu.RUnlock()
	return behaviour.Entry{ID: int32(x) + 1, Order: c.rows[x].order}, nil
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
