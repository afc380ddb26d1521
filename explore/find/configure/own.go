package configure

import (
	"slices"

	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/explore/find/structure"
)

// One call may insert a row that another call looks for by columns that are no key: two customers
// take one seat. Then the inserted row must not be there before, and the row that the other call
// changes must. So there is a variant in which a table has only the rows that calls change by
// their own arguments.

// single are the variants in which one of several tables that the calls insert into has rows, and those to which it refers:
// a record is there, and no tombstone of it.
func (c *Config) single() (list []Variant) {
	tables := slices.DeleteFunc(c.tables(), func(t *access.Table) bool { return !c.onlyInserted(t) })
	for i, t := range tables[:min(len(tables), most)] {
		if len(tables) > 1 && len(c.own(t)) > 0 {
			list = append(list, Variant{Column: 10, Amount: 1, Step: 1, Only: i + 1})
		}
	}
	return list
}

// has reports whether a table has rows in a variant in which not all have that the calls insert into.
func (c *Config) has(v Variant, t *access.Table) bool {
	if v.Only == 0 {
		return false
	}
	tables := slices.DeleteFunc(c.tables(), func(t *access.Table) bool { return !c.onlyInserted(t) })
	return refers(tables[v.Only-1], t, 0)
}

// refers reports whether a table is another one, or refers to it, also by way of others.
func refers(from, to *access.Table, depth int) bool {
	return from == to || depth < most && slices.ContainsFunc(from.Foreign, func(r access.Reference) bool { return r.To != from && refers(r.To, to, depth+1) })
}

// own are the rows of a table that calls change by their own arguments: of each the columns that
// are chosen.
func (c *Config) own(t *access.Table) (list []map[int]string) {
	for i, steps := range c.steps {
		for _, s := range steps {
			for _, a := range s.Accesses {
				if a.Table != t || a.Check || a.Kind != access.Update && a.Kind != access.Delete {
					continue
				}
				row := c.chosenBy(i, s, a)
				if len(row) > 0 && !slices.ContainsFunc(list, func(other map[int]string) bool { return within(row, other) || sameKey(t, row, other) }) {
					list = append(list, row)
				}
			}
		}
	}
	return list
}

// within reports whether a row has all that another one has chosen.
func within(row, other map[int]string) bool {
	for col, text := range row {
		if other[col] != text {
			return false
		}
	}
	return true
}

// chosenBy are the columns that identify the rows of an access and that arguments or constants choose.
func (c *Config) chosenBy(call int, s *structure.Step, a *access.Access) map[int]string {
	row := map[int]string{}
	for col, o := range a.Bound {
		if !a.Table.Identifies(col) {
			continue
		}
		if o.Param == 0 {
			row[col] = unquoted(o.Const)
		} else if o.Param <= len(s.Args) {
			if list := paths(s.Args[o.Param-1]); len(list) > 0 && c.instances[call].keys[list[0]] != "" {
				row[col] = c.instances[call].keys[list[0]]
			}
		}
	}
	return row
}

// ownRows are the INSERTs of these rows. The part of a key that nothing chooses is a number of the row.
func (c *Config) ownRows(t *access.Table, v Variant) string {
	list := c.own(t)
	for n, row := range list {
		for _, col := range t.Key() {
			if d := domainOf(t, col); row[col] == "" && d.table == t && d.column == col {
				row[col] = d.text(most + 1 + n)
			}
		}
	}
	return c.inserts(t, list, v)
}
