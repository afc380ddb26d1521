// Package table models the tables of a relational application as shared variables. So
// the transactions of the application can be explored. The table T is the variable "T"
// with the ordered list of its rows' ids. A row is the variable "T:id" with its
// columns.
//
// So a list of a table reads the variable that inserts and deletes write, and a read
// of a row reads the variable that updates of this row write. Two inserts into a
// table conflict; two updates of different rows do not. The model is that of the
// experiments in Bouajjani, Enea, Román-Calvo, PLDI 2023, section 7.
package table

import (
	"errors"
	"slices"
	"strings"
)

// Tx is what the application needs of a transaction. A *txmc.Tx is one.
type Tx interface {
	Read(key string) any
	Write(key string, v any)
}

// Table is a table, by its name.
type Table string

// ErrNone is returned for a row that is needed and is not there.
var ErrNone = errors.New("no such row")

// ID joins the parts of a key that has several columns.
func ID(parts ...string) string { return strings.Join(parts, ":") }

func (t Table) row(id string) string { return string(t) + ":" + id }

// IDs returns the ids of all rows, in the order in which they were added.
func (t Table) IDs(tx Tx) []string {
	ids, _ := tx.Read(string(t)).([]string)
	return ids
}

// All selects every row.
func All(string) bool { return true }

// Prefix selects the ids whose first parts are those of p.
func Prefix(p string) func(id string) bool {
	return func(id string) bool { return HasPrefix(id, p) }
}

// HasPrefix reports whether the first parts of id are those of p.
func HasPrefix(id, p string) bool {
	return strings.HasPrefix(id, p) && (len(id) == len(p) || id[len(p)] == ':')
}

// Suffix selects the ids whose last parts are those of s.
func Suffix(s string) func(id string) bool {
	return func(id string) bool {
		return strings.HasSuffix(id, s) && (len(id) == len(s) || id[len(id)-len(s)-1] == ':')
	}
}

// Found is a row with its id.
type Found struct {
	ID  string
	Row Row
}

// Rows lists the table and reads the rows whose ids match, in the table's order.
func (t Table) Rows(tx Tx, match func(id string) bool) []Found {
	var found []Found
	for _, id := range t.IDs(tx) {
		if match(id) {
			row, _ := t.listed(tx, id)
			found = append(found, Found{id, row})
		}
	}
	return found
}

// listed reads the row of an id that is listed. Another transaction has inserted the row.
// At read atomic and below a transaction may see the id in the list and not the row, which
// has its initial value then: none. In the experiments of the paper a row that is not there
// from the start has no initial value to be read. So such histories are left out. From
// causal consistency on there are none.
func (t Table) listed(tx Tx, id string) (row Row, ok bool) {
	row, ok = tx.Read(t.row(id)).(Row)
	if tx, can := tx.(interface{ Assume(cond bool) }); can {
		tx.Assume(ok)
	}
	return row, ok
}

// Slots lists the ids that match of a table of ids only. It reads their rows as
// well, which nobody writes.
func (t Table) Slots(tx Tx, match func(id string) bool) []string {
	var ids []string
	for _, id := range t.IDs(tx) {
		if match(id) {
			tx.Read(t.row(id))
			ids = append(ids, id)
		}
	}
	return ids
}

// Row lists the table and reads the row if it is there.
func (t Table) Row(tx Tx, id string) (row Row, ok bool) {
	if !slices.Contains(t.IDs(tx), id) {
		return "", false
	}
	return t.listed(tx, id)
}

// Must is Row for a row without which the transaction cannot go on.
func (t Table) Must(tx Tx, id string) (Row, error) {
	row, ok := t.Row(tx, id)
	if !ok {
		return "", ErrNone
	}
	return row, nil
}

// Put updates the row if it is there.
func (t Table) Put(tx Tx, id string, row Row) {
	if slices.Contains(t.IDs(tx), id) {
		tx.Write(t.row(id), row)
	}
}

// AddID lists id, without a row, also when it is listed already.
func (t Table) AddID(tx Tx, id string) {
	tx.Write(string(t), append(slices.Clip(t.IDs(tx)), id))
}

// Add inserts a row.
func (t Table) Add(tx Tx, id string, row Row) {
	t.AddID(tx, id)
	tx.Write(t.row(id), row)
}

// Del takes the row off the table; its variable keeps its value, which nobody
// looks for any more.
func (t Table) Del(tx Tx, id string) {
	ids := t.IDs(tx)
	rest := make([]string, 0, len(ids))
	if i := slices.Index(ids, id); i >= 0 {
		rest = append(append(rest, ids[:i]...), ids[i+1:]...)
	} else {
		rest = append(rest, ids...)
	}
	tx.Write(string(t), rest)
}
