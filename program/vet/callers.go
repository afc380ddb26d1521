package vet

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// calling is a party of a function that declares sessions, in one call of that
// function: with pointers it may be handed variables of its caller.
type calling struct {
	party *party
	call  ssa.CallInstruction
}

// callers tells the calls of such functions apart.
type callers struct {
	x     *inspection
	known map[calling]*party
	calls map[*ssa.Function][]ssa.CallInstruction // by the function that is called
}

func (x *inspection) newCallers() *callers {
	c := &callers{x, map[calling]*party{}, map[*ssa.Function][]ssa.CallInstruction{}}
	for _, f := range x.reached {
		for in := range instructions(f) {
			call, ok := in.(ssa.CallInstruction)
			if !ok {
				continue
			}
			for _, g := range x.callees(call.Common()) {
				c.calls[g] = append(c.calls[g], call)
			}
		}
	}
	return c
}

// outerRoot is a variable of the code that declares a party.
type outerRoot struct {
	alloc   *ssa.Alloc
	element bool
	by      *party // the party, in one call of its function if the variable is the caller's
}

// roots are the variables of the code around p through which v is reached.
func (c *callers) roots(p *party, v ssa.Value) []outerRoot {
	var list []outerRoot
	for _, r := range c.x.graph.roots(v) {
		switch root := r.Value.(type) {
		case *ssa.Alloc:
			if !p.code[root.Parent()] {
				list = append(list, outerRoot{root, r.element, p})
			}
		case *ssa.Parameter:
			if !p.code[root.Parent()] && refers(root.Type()) {
				list = append(list, c.passed(p, root, r.element)...)
			}
		}
	}
	return list
}

// passed are the variables that callers hand to the function with that parameter.
func (c *callers) passed(p *party, param *ssa.Parameter, element bool) []outerRoot {
	var list []outerRoot
	f := param.Parent()
	i := slices.Index(f.Params, param)
	for _, call := range c.calls[f] {
		if i >= len(call.Common().Args) {
			continue
		}
		for _, r := range c.x.graph.roots(call.Common().Args[i]) {
			if a, ok := r.Value.(*ssa.Alloc); ok {
				list = append(list, outerRoot{a, element || r.element, c.in(call, p)})
			}
		}
	}
	return list
}

// in is p in one call of its function.
func (c *callers) in(call ssa.CallInstruction, p *party) *party {
	key := calling{p, call}
	if c.known[key] == nil {
		q := *p
		q.site = call
		for _, a := range call.Common().Args {
			if k, ok := a.(*ssa.Const); ok && q.name == "" && k.Value != nil && isString(k.Type()) {
				q.name = k.Value.ExactString() // most likely
			}
		}
		c.known[key] = &q
	}
	return c.known[key]
}
