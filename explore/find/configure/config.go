package configure

import (
	"errors"
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/explore/find/source"
	"github.com/txmc/txmc/explore/find/structure"
)

// Config is a test configuration, but for its numbers.
type Config struct {
	Calls []*source.Call // each in a session of its own
	Rows  string         // SQL that makes the initial rows; "" makes some up

	instances []*instance
	steps     [][]*structure.Step // by call
	catalog   *access.Catalog
	shift     int // of the keys of rows that nothing chooses
	asked     *guards
}

// Variant are the numbers of a configuration.
type Variant struct {
	Column  int  // what numeric columns have that are no keys
	Default bool // columns with a default have that instead
	Amount  int  // what numeric arguments are that are no keys
	Step    int  // by how much the second call's are more, and so on
	Filled  bool // tables that the calls insert into have rows before
	Null    bool // columns that nothing chooses are NULL where they may be, and truths false
	Marked  int  // no two arguments are equal; counted from 1, 0 for a run with other calls
	Other   bool // columns that rows are looked for by, and that are no keys, have other values
	Own     bool // tables that the calls insert into have the rows that calls change by their own keys; others as with Other
	Only    int  // of the tables that the calls insert into, that which has rows, counted from 1; 0: it is not one alone
	State   int  // which of the values that the code compares a column with rows have
	Rows    int  // how many rows tables have at least where nothing tells them apart but a number
}

// Variants are tried one after another, until one shows an anomaly. Where conditions in the
// code compare numbers, amounts fit or do not fit. Where the calls insert into tables,
// these are empty or filled.
func (c *Config) Variants() []Variant {
	list := []Variant{{Column: 10, Amount: 1, Step: 1}}
	if c.compares() {
		list = append(list, Variant{Column: 10, Amount: 15}, Variant{Column: 1, Amount: 1, Default: true}, Variant{Column: 10, Amount: 7})
		list = append(list, Variant{Column: 10, Amount: 7, Step: 8}) // one leaves enough for itself, and not for the other
		if len(c.Calls) > 1 && c.Calls[0] != c.Calls[1] {
			list = append(list, Variant{Column: 10, Amount: 15, Step: -8})
		}
	}
	if slices.ContainsFunc(c.tables(), c.onlyInserted) {
		list = append(list, Variant{Column: 10, Amount: 1, Step: 1, Filled: true})
		if c.compares() {
			list = append(list, Variant{Column: 1, Amount: 1, Filled: true})
		}
	}
	if slices.ContainsFunc(c.tables(), func(t *access.Table) bool { return c.onlyInserted(t) && len(c.own(t)) > 0 }) {
		list = append(list, Variant{Column: 10, Amount: 1, Step: 1, Own: true})
	}
	if c.compares() && c.lowers() {
		list = append(list, Variant{Column: -10, Amount: -15}) // of which the code may think no more than of others
		list = append(list, Variant{Column: 4, Amount: 15})    // more than two rows have together, and less than with one more of it
	}
	if c.moves() {
		list = append(list, Variant{Column: 10, Amount: 1, Step: 1, Other: true})
	}
	if c.compares() && slices.ContainsFunc(c.tables(), c.open) {
		list = append(list, Variant{Column: 10, Amount: 1, Step: 1, Null: true})
	}
	return append(append(append(list, c.single()...), c.bounded()...), c.states()...)
}

// lowers reports whether a call changes a number by an argument.
func (c *Config) lowers() bool {
	for _, steps := range c.steps {
		for _, s := range steps {
			for _, a := range s.Accesses {
				if len(a.Adds) > 0 && a.Kind == access.Update {
					return true
				}
			}
		}
	}
	return false
}

// open reports whether the calls read a column of the table whose value nothing chooses, and
// which may be NULL or is boolean.
func (c *Config) open(t *access.Table) (yes bool) {
	chosen := c.chosen(t)
	for _, steps := range c.steps {
		for _, s := range steps {
			for _, a := range s.Accesses {
				for _, col := range a.Columns {
					yes = yes || a.Table == t && a.Kind == access.Read && !slices.Contains(chosen, col) && t.Has(col) && (!t.Columns[col].NotNull || base(t.Columns[col].Type) == "boolean")
				}
			}
		}
	}
	return yes
}

// moves reports whether the calls change a column by which rows are looked for, and which
// is no key. Then rows that are not found before may be found.
func (c *Config) moves() (yes bool) {
	looked, changed := map[domain]bool{}, map[domain]bool{}
	for _, steps := range c.steps {
		for _, s := range steps {
			for _, a := range s.Accesses {
				for col := range a.Bound {
					looked[domain{a.Table, col}] = looked[domain{a.Table, col}] || a.Kind == access.Read && !a.Table.Identifies(col)
				}
				for _, col := range a.Columns {
					changed[domain{a.Table, col}] = changed[domain{a.Table, col}] || a.Kind == access.Update
				}
			}
		}
	}
	for d := range looked {
		yes = yes || looked[d] && changed[d]
	}
	return yes
}

// compares reports whether a condition under which a statement is sent compares what rows
// or arguments have.
func (c *Config) compares() bool {
	for _, steps := range c.steps {
		for _, s := range steps {
			if s.Seen {
				return true // nobody knows
			}
			for _, g := range s.Guards {
				decided := false
				g.If.Walk(func(v *source.Value) {
					decided = decided || v.Op == source.Binary && slices.Contains(comparisons, v.Token) && !isNil(v.Args[0]) && !isNil(v.Args[1])
				})
				if decided && !strings.Contains(g.If.String(), "loop(-1)") {
					return true
				}
			}
		}
	}
	return false
}

var comparisons = []token.Token{token.LSS, token.LEQ, token.GTR, token.GEQ, token.EQL, token.NEQ}

func isNil(v *source.Value) bool { return v.Op == source.Nil }

// New solves the conditions of a structure, in each of the ways in which its statements
// may meet. Steps are all understood statements, by call. The error says that there is no
// way.
func New(s *structure.Structure, steps map[*source.Call][]*structure.Step, catalog *access.Catalog) (list []*Config, err error) {
	add := func(equations []equation, apart bool) {
		c := solved(s, &solver{equations: equations, constants: map[domain][]string{}, apart: apart}, steps)
		if c != nil && !slices.ContainsFunc(list, func(other *Config) bool { return other.Key() == c.Key() }) {
			c.catalog = catalog
			list = append(list, c)
		}
	}
	all := equations(s)
	if s.Deadlock {
		add(all[:len(all):len(all)], false)
		if len(list) == 0 {
			return nil, errors.New("no arguments make the statements meet")
		}
		return list, nil
	}
	for _, chosen := range choices(all) {
		add(chosen, false)
		add(chosen, true)
	}
	if more := entering(s); len(more) > 0 { // rows of their own, which change into what the other looks for
		for _, chosen := range choices(append(all, more...)) {
			add(chosen, true)
		}
	}
	if len(list) == 0 {
		return nil, errors.New("no arguments make the statements meet")
	}
	return list, nil
}

// With is the configuration with one more call. The call gets the keys of the others, as far
// as there are some, and no key twice. steps are its understood statements.
func (c *Config) With(call *source.Call, steps []*structure.Step) *Config {
	wider := *c
	in := &instance{roles: rolesOf(steps), keys: map[string]string{}}
	in.order = slices.Sorted(maps.Keys(in.roles.keys))
	s := &solver{instances: append(slices.Clone(c.instances), in), constants: map[domain][]string{}}
	for _, path := range in.order {
		d := in.roles.keys[path]
		free := func(value string) bool { return value != "" && !s.used(variable{len(c.instances), path}, d, value) }
		for _, other := range c.instances {
			if in.keys[path] != "" {
				break
			}
			if i := slices.IndexFunc(other.order, func(p string) bool { return other.roles.keys[p] == d && free(other.keys[p]) }); i >= 0 {
				in.keys[path] = other.keys[other.order[i]]
			}
		}
		if in.keys[path] == "" {
			in.keys[path] = s.candidates(variable{len(c.instances), path})[0]
		}
	}
	wider.instances, wider.asked = s.instances, nil
	wider.Calls, wider.steps = append(slices.Clone(c.Calls), call), append(slices.Clone(c.steps), steps)
	return &wider
}

// solved is the configuration that a solver finds, nil for none.
func solved(s *structure.Structure, solver *solver, steps map[*source.Call][]*structure.Step) *Config {
	c := &Config{}
	for _, n := range s.Nodes {
		call := n.Call()
		in := &instance{roles: rolesOf(steps[call]), keys: map[string]string{}}
		if s.Deadlock {
			in.roles.twice()
		}
		in.order = slices.Sorted(maps.Keys(in.roles.keys))
		c.Calls, c.steps = append(c.Calls, call), append(c.steps, steps[call])
		c.instances = append(c.instances, in)
		solver.instances = append(solver.instances, in)
		constants(steps[call], solver.constants)
	}
	if !solver.solve() {
		return nil
	}
	return c
}

// constants collects the constants that statements compare columns with.
func constants(steps []*structure.Step, to map[domain][]string) {
	for _, s := range steps {
		for _, a := range s.Accesses {
			for _, c := range slices.Sorted(maps.Keys(a.Bound)) {
				o, text := a.Bound[c], ""
				switch {
				case o.Param == 0:
					text = unquoted(o.Const)
				case o.Param <= len(s.Args) && s.Args[o.Param-1].Const != nil:
					text, _ = constantText(structure.Term{Value: s.Args[o.Param-1]})
				default:
					continue
				}
				if d := domainOf(a.Table, c); !slices.Contains(to[d], text) {
					to[d] = append(to[d], text)
				}
			}
		}
	}
}

// Key is the same for configurations that are the same.
func (c *Config) Key() string {
	var list []string
	for i, call := range c.Calls {
		var b strings.Builder
		b.WriteString(call.Package + "." + call.Name)
		for _, path := range c.instances[i].order {
			fmt.Fprintf(&b, " %s=%s", path, c.instances[i].keys[path])
		}
		list = append(list, b.String())
	}
	slices.Sort(list)
	return strings.Join(list, "; ")
}
