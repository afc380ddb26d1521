package configure

import (
	"go/constant"
	"go/token"
	"slices"
	"strconv"

	"github.com/txmc/txmc/explore/find/source"
	"github.com/txmc/txmc/explore/find/structure"
)

// Values that conditions of the code compare columns and arguments with. A row that has the state which the code asks for
// lets statements be sent. A number is a bound: of two calls that each keep it, both together may not.

// mostBounds bounds the bounds that have variants of their own.
const mostBounds = 2

// mostBound is the largest bound: all columns of numbers but the smallest can have it twice.
const mostBound = 1_000_000

// guards is what conditions compare with constants. Values with which more statements are sent come first.
type guards struct {
	columns map[domain][]string
	args    []map[string][]string // by call and path
	bounds  []int                 // more than 1, in the order of the code
}

// guarded looks at the conditions under which the calls' statements are sent.
func (c *Config) guarded() *guards {
	if c.asked != nil {
		return c.asked
	}
	g := &guards{columns: map[domain][]string{}}
	for i, steps := range c.steps {
		args := map[string][]string{}
		for _, s := range steps {
			for _, guard := range s.Guards {
				g.note(steps, args, guard.If, guard.Then)
			}
		}
		for _, guard := range c.Calls[i].Conditions {
			g.note(steps, args, guard.If, guard.Then)
		}
		g.args = append(g.args, args)
	}
	c.asked = g
	return g
}

// note notes a condition that holds, or does not.
func (g *guards) note(steps []*structure.Step, args map[string][]string, v *source.Value, holds bool) {
	switch {
	case v.Op == source.Not:
		g.note(steps, args, v.Args[0], !holds)
	case v.Op == source.Result:
		g.column(steps, v, strconv.FormatBool(holds), true)
	case v.Op == source.Binary && slices.Contains(comparisons, v.Token):
		for i, side := range v.Args {
			if side.Const != nil && side.Op == source.Const {
				g.compared(steps, args, v.Args[1-i], v.Token, side.Const, holds)
			}
		}
	}
}

// compared notes that a value is compared with a constant.
func (g *guards) compared(steps []*structure.Step, args map[string][]string, v *source.Value, op token.Token, c constant.Value, holds bool) {
	equal := op == token.EQL || op == token.NEQ
	if n, exact := constant.Int64Val(constant.ToInt(c)); !equal && exact && n > 1 && n <= mostBound {
		if !slices.Contains(g.bounds, int(n)) {
			g.bounds = append(g.bounds, int(n))
		}
		return
	}
	text := c.ExactString()
	if c.Kind() == constant.String {
		text = constant.StringVal(c)
	}
	if !equal || text == "" {
		return
	}
	if v.Op == source.Param {
		args[v.Path] = added(args[v.Path], text, holds == (op == token.EQL))
		return
	}
	g.column(steps, v, text, holds == (op == token.EQL))
}

// column notes a value of the column that a statement has read.
func (g *guards) column(steps []*structure.Step, v *source.Value, text string, first bool) {
	i := slices.IndexFunc(steps, func(s *structure.Step) bool { return s.Statement == v.Statement })
	if v.Op != source.Result || i < 0 || v.Index >= len(steps[i].Results) || steps[i].Results[v.Index] == nil {
		return
	}
	r := steps[i].Results[v.Index]
	if d := domainOf(r.Table, r.Column); !r.Table.Identifies(r.Column) && !number(base(r.Table.Columns[r.Column].Type)) || !r.Table.Identifies(r.Column) && text != "0" {
		g.columns[d] = added(g.columns[d], text, first)
	}
}

// added is a list with a value, before all others if it is wanted first and was not there.
func added(list []string, text string, first bool) []string {
	switch {
	case slices.Contains(list, text):
		return list
	case first:
		return append([]string{text}, list...)
	}
	return append(list, text)
}

// bounded are the variants for the bounds of the code: rows just within one, and amounts that keep it once, and twice not.
func (c *Config) bounded() (list []Variant) {
	bounds := c.guarded().bounds
	for _, n := range bounds[:min(len(bounds), mostBounds)] {
		list = append(list, Variant{Column: 1, Amount: n/2 + 1}, Variant{Column: n, Amount: 1}, Variant{Column: 2 * n, Amount: n/2 + 1})
		if slices.ContainsFunc(c.tables(), c.onlyInserted) {
			list = append(list, Variant{Column: n - 1, Amount: 1, Filled: true}, Variant{Column: 1, Amount: 1, Filled: true, Rows: min(n-1, mostRows)})
		}
	}
	return list
}

// states are the variants in which rows have others of the values that the code compares a column with.
func (c *Config) states() (list []Variant) {
	most := 0
	for _, values := range c.guarded().columns {
		most = max(most, len(values))
	}
	for i := 1; i < min(most, 3); i++ {
		list = append(list, Variant{Column: 10, Amount: 1, Step: 1, State: i, Filled: true})
	}
	return list
}
