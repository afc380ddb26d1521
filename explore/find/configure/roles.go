// Package configure makes test configurations, in which the statements of a structure meet. A
// configuration says which calls run at the same time, with which arguments, and on which rows.
//
// Arguments that choose rows take values of small domains: there is one domain for each
// column that keys come from. The conditions of the structure's dependencies are solved over
// these domains by backtracking. Other arguments and columns are numbers of a few variants. A
// configuration promises nothing: whether it shows an anomaly is found by running it.
package configure

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/explore/find/source"
	"github.com/txmc/txmc/explore/find/structure"
)

// domain is what columns share that are equal by foreign keys: the column at the end.
type domain struct {
	table  *access.Table
	column int
}

// domainOf follows foreign keys.
func domainOf(t *access.Table, column int) domain {
	for range 10 { // a circle of references ends somewhere
		next := false
		for _, f := range t.Foreign {
			for i, c := range f.Columns {
				if c == column && !next {
					t, column, next = f.To, f.Target[i], true
				}
			}
		}
		if !next {
			break
		}
	}
	return domain{t, column}
}

// roles are what the parts of a call's arguments are for.
type roles struct {
	keys   map[string]domain // of those that choose rows
	values map[string]domain // of those that are stored as they are
	maps   map[string]domain // of the keys of maps
}

// rolesOf looks at the statements of a call.
func rolesOf(steps []*structure.Step) roles {
	r := roles{map[string]domain{}, map[string]domain{}, map[string]domain{}}
	for _, s := range steps {
		for _, a := range s.Accesses {
			for _, c := range slices.Sorted(maps.Keys(a.Bound)) {
				if o := a.Bound[c]; a.Kind != access.Insert || a.Table.Identifies(c) {
					r.note(r.keys, s, o, a.Table, c)
				}
			}
			for _, c := range slices.Sorted(maps.Keys(a.Sets)) {
				if a.Table.Identifies(c) {
					r.note(r.keys, s, a.Sets[c], a.Table, c)
				} else {
					r.note(r.values, s, a.Sets[c], a.Table, c)
				}
			}
		}
	}
	return r
}

func (r roles) note(to map[string]domain, s *structure.Step, o access.Operand, t *access.Table, c int) {
	if o.Param == 0 || o.Param > len(s.Args) {
		return
	}
	if v := s.Args[o.Param-1]; v.Op == source.Apply && v.Path == "key" && len(v.Args) == 1 && v.Args[0].Op == source.Param {
		r.maps[v.Args[0].Path] = domainOf(t, c)
	}
	for _, path := range paths(s.Args[o.Param-1]) {
		if _, known := to[path]; !known {
			to[path] = domainOf(t, c)
		}
	}
}

// twice adds a second element where there is a first.
func (r roles) twice() {
	for path, d := range maps.Clone(r.keys) {
		if strings.Contains(path, "[0]") {
			r.keys[strings.Replace(path, "[0]", "[1]", 1)] = d
		}
	}
}

// paths are the parts of arguments that a value is, or is one of.
func paths(v *source.Value) (list []string) {
	switch v.Op {
	case source.Param:
		return []string{v.Path}
	case source.Either:
		for _, a := range v.Args {
			list = append(list, paths(a)...)
		}
	}
	return list
}

// text is the k-th value of a domain, counted from 1, as text.
func (d domain) text(k int) string {
	c := d.table.Columns[d.column]
	if len(c.Labels) > 0 {
		return c.Labels[(k-1)%len(c.Labels)]
	}
	switch typ := base(c.Type); {
	case number(typ):
		return fmt.Sprint(k)
	case typ == "uuid" || c.Identifier && !strings.HasPrefix(typ, "bytea") && !strings.Contains(typ, "binary"):
		return fmt.Sprintf("00000000-0000-4000-8000-%012d", k)
	case typ == "boolean":
		return fmt.Sprint(k%2 == 1)
	case strings.HasPrefix(typ, "timestamp"), typ == "date":
		return fmt.Sprintf("2024-01-%02d", k)
	case strings.HasPrefix(typ, "json"):
		return "{}"
	case typ == "bytea":
		return fmt.Sprintf(`\x%02x`, k)
	case strings.HasPrefix(typ, "time"):
		return fmt.Sprintf("%02d:00:00", k)
	case strings.HasPrefix(typ, "inter"):
		return fmt.Sprintf("%d days", k)
	case strings.HasSuffix(typ, "[]"):
		return "{}"
	}
	text := string(rune('a' + (k-1)%26))
	if c.Form != nil {
		text = c.Form(text)
	}
	return text
}

// base is a type without its length.
func base(typ string) string {
	before, after, ok := strings.Cut(typ, "(")
	if !ok {
		return typ
	}
	_, rest, _ := strings.Cut(after, ")")
	return before + rest
}

func number(typ string) bool {
	switch typ {
	case "smallint", "integer", "bigint", "numeric", "real", "double precision", "money":
		return true
	}
	return false
}
