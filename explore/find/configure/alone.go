package configure

import (
	"go/types"
	"maps"
	"slices"
	"strconv"

	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/explore/find/source"
	"github.com/txmc/txmc/explore/find/structure"
)

// A call is run by itself to see what it sends. No two of its arguments are equal then, and none
// is what it was in another run, nor is what the rows have: so what comes from where can be told.

// Marks is how many runs there are of a call by itself: two of each kind, which differ in values
// alone. Those of the second kind have small numbers in rows, defaults, and rows in all tables; in
// those of the third columns are NULL that may be. The last has no rows.
const Marks = 7

// stride is by how much the keys of a run differ from those of the one before.
const stride = 7

// Alone is the configuration of the run number mark of a call by itself, counted from 1, with
// what is known of its statements. Rows, unless "", are those that there are.
func Alone(call *source.Call, steps []*structure.Step, catalog *access.Catalog, mark int, rows string) *Config {
	in := &instance{roles: rolesOf(steps), keys: map[string]string{}}
	in.order = slices.Sorted(maps.Keys(in.roles.keys))
	c := &Config{Calls: []*source.Call{call}, Rows: rows, instances: []*instance{in}, steps: [][]*structure.Step{steps}, catalog: catalog}
	for i, path := range in.order {
		k := 2 + stride*(mark-1) + i
		if rows != "" { // whose keys are few
			k = 1 + (i+mark-1)%most
		}
		in.keys[path] = in.roles.keys[path].text(k)
	}
	c.shift = stride*mark + 40
	if mark == Marks && rows == "" {
		c.Rows = "-- there are no rows\n"
	}
	return c
}

// Mark is the variant of the run number mark of a call by itself.
func Mark(mark int) Variant {
	v := Variant{Column: 1000 * mark, Amount: 30 + 13*mark, Marked: mark}
	switch mark {
	case 3, 4:
		v.Column, v.Default, v.Filled = mark-2, true, true
	case 5, 6:
		v.Null = true
	}
	return v
}

// Given are the arguments of the call by itself, by their paths, as texts; leads says which
// lead to the database.
func (c *Config) Given(v Variant, leads func(types.Type) (string, bool)) map[string]string {
	m := &maker{instance: c.instances[0], variant: v, qualify: func(p *types.Package) string { return p.Name() }, given: map[string]string{}}
	if _, err := c.arguments(0, m, leads); err != nil {
		return nil // it cannot be written either
	}
	return m.given
}

// give notes a basic argument, which is what a Go expression says.
func (m *maker) give(path, expression string) {
	if m.given == nil {
		return
	}
	if text, err := strconv.Unquote(expression); err == nil {
		expression = text
	}
	m.given[path] = expression
}

// marked is a number that no other argument of the call has.
func (m *maker) marked() int {
	m.count++
	return m.variant.Amount + m.count
}
