package configure

import (
	"slices"
	"strings"

	"github.com/txmc/txmc/explore/find/structure"
)

// instance is a call of a configuration.
type instance struct {
	roles
	order []string          // paths of keys, in the order of their names
	keys  map[string]string // their values
}

// equation says that one of some values of an instance equals one of another's.
type equation struct {
	from, to      int
	lefts, rights []string // paths
	constant      string   // instead of the right side
	hasConstant   bool
}

// most bounds the values of a domain that are tried, beside the constants of statements.
const most = 3

// mostSteps bounds a search.
const mostSteps = 200_000

// solver assigns keys.
type solver struct {
	instances []*instance
	equations []equation
	constants map[domain][]string
	apart     bool // calls have keys of their own where no equation says otherwise
	steps     int
	vars      []variable
}

type variable struct {
	instance int
	path     string
}

// equations are the conditions of a structure that speak of arguments. Others, on results
// of statements, are taken to be met.
func equations(s *structure.Structure) (list []equation) {
	for k, d := range s.Dependencies {
		list = append(list, equationsOf(d.Conditions, k, (k+1)%len(s.Nodes))...)
	}
	return list
}

// entering are the conditions under which one call changes a row that another call looks for.
func entering(s *structure.Structure) (list []equation) {
	for k, d := range s.Dependencies {
		list = append(list, equationsOf(d.Enters, k, (k+1)%len(s.Nodes))...)
	}
	return list
}

// equationsOf are the conditions of a dependency between two instances.
func equationsOf(conditions []structure.Condition, from, to int) (list []equation) {
	for _, c := range conditions {
		e := equation{from: from, to: to}
		for _, side := range []struct {
			term  structure.Term
			paths *[]string
		}{{c.From, &e.lefts}, {c.To, &e.rights}} {
			if side.term.Value == nil {
				e.constant, e.hasConstant = unquoted(side.term.Const), true
			} else if text, ok := constantText(side.term); ok {
				e.constant, e.hasConstant = text, true
			} else {
				*side.paths = paths(side.term.Value)
			}
		}
		if len(e.lefts) == 0 {
			e.from, e.to, e.lefts, e.rights = e.to, e.from, e.rights, nil
		}
		if len(e.lefts) > 0 && (len(e.rights) > 0 || e.hasConstant) {
			list = append(list, e)
		}
	}
	return list
}

// sides are the values that the right side may be, each by itself; nil for the constant.
func (e *equation) sides() (list [][]string) {
	if e.hasConstant {
		return [][]string{nil}
	}
	for _, r := range e.rights {
		list = append(list, []string{r})
	}
	return list
}

// mostChoices bounds the choices of which of several values the sides of equations are.
const mostChoices = 8

// choices are the equations with one value on each side. There is one for each way to
// choose among the values that a side may have, such as the elements that a loop goes
// through.
func choices(list []equation) [][]equation {
	all := [][]equation{nil}
	for _, e := range list {
		var next [][]equation
		for _, before := range all {
			for _, l := range e.lefts {
				for _, r := range e.sides() {
					one := e
					one.lefts, one.rights = []string{l}, r
					if len(next) < mostChoices {
						next = append(next, append(before[:len(before):len(before)], one))
					}
				}
			}
		}
		all = next
	}
	return all
}

func constantText(t structure.Term) (string, bool) {
	if t.Value.Const == nil {
		return "", false
	}
	if list := t.Value.Strings(); len(list) == 1 {
		return list[0], true
	}
	return t.Value.Const.ExactString(), true
}

func unquoted(s string) string {
	if strings.HasPrefix(s, "'") {
		return strings.ReplaceAll(strings.Trim(s, "'"), "''", "'")
	}
	return s
}

// solve assigns the keys of all instances; false when the conditions contradict each
// other.
func (s *solver) solve() bool {
	for i, in := range s.instances {
		for _, path := range in.order {
			s.vars = append(s.vars, variable{i, path})
		}
	}
	return s.assign(0)
}

// assign tries the values of the variables from the n-th on.
func (s *solver) assign(n int) bool {
	if s.steps++; s.steps > mostSteps {
		return false
	}
	if n == len(s.vars) {
		return true
	}
	v := s.vars[n]
	in := s.instances[v.instance]
	for _, value := range s.candidates(v) {
		in.keys[v.path] = value
		if s.possible() && s.assign(n+1) {
			return true
		}
	}
	delete(in.keys, v.path)
	return false
}

// candidates are the values of a variable, in the order in which they are tried. Values
// that no other argument of the call has come first: few calls mean one key twice. When
// calls are kept apart, values that no other call has come first too.
func (s *solver) candidates(v variable) (list []string) {
	in := s.instances[v.instance]
	d := in.roles.keys[v.path]
	for k := 1; k <= most; k++ {
		list = append(list, d.text(k))
	}
	for _, c := range s.constants[d] {
		if !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	var taken, free []string
	for _, value := range list {
		if s.used(v, d, value) {
			taken = append(taken, value)
		} else {
			free = append(free, value)
		}
	}
	return append(free, taken...)
}

// used reports whether another argument has a value.
func (s *solver) used(v variable, d domain, value string) bool {
	for i, in := range s.instances {
		if i != v.instance && !s.apart {
			continue
		}
		for other, has := range in.keys {
			if (i != v.instance || other != v.path) && has == value && in.roles.keys[other] == d {
				return true
			}
		}
	}
	return false
}

// possible reports whether the equations can still hold.
func (s *solver) possible() bool {
	return !slices.ContainsFunc(s.equations, func(e equation) bool { return !s.holds(e) })
}

// holds reports whether an equation holds, or what it speaks of is not assigned yet.
func (s *solver) holds(e equation) bool {
	lefts, open := s.valuesOf(e.from, e.lefts)
	if open {
		return true
	}
	rights, open := s.valuesOf(e.to, e.rights)
	if e.hasConstant {
		rights, open = []string{e.constant}, false
	}
	return open || slices.ContainsFunc(lefts, func(v string) bool { return slices.Contains(rights, v) })
}

// valuesOf are the values of paths; open when one is not assigned yet, or is no key.
func (s *solver) valuesOf(instance int, paths []string) (list []string, open bool) {
	in := s.instances[instance]
	for _, p := range paths {
		v, ok := in.keys[p]
		if !ok {
			return nil, true
		}
		list = append(list, v)
	}
	return list, len(list) == 0
}
