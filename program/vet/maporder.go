package vet

import (
	"fmt"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// spring is where the random order of a map comes into a function.
type spring struct {
	pos    token.Pos
	what   string // "this map", or the call that hands it on
	values []ssa.Value
	loop   *round // the loop over the map, or nil
}

// traceOrder finds the functions whose results depend on the order of a map, until
// there are no more: their calls are springs themselves.
func (x *inspection) traceOrder() {
	for changed := true; changed; {
		changed = false
		for _, f := range x.funcs {
			if x.ordered[f].IsValid() {
				continue
			}
			for _, s := range x.springs(f) {
				fl := x.follow(s)
				if fl.sorted {
					continue
				}
				for g := range fl.returns {
					if !x.ordered[g].IsValid() {
						x.ordered[g], changed = s.pos, true
					}
				}
			}
		}
	}
}

// orders reports the maps whose order decides an operation.
func (x *inspection) orders() {
	for _, f := range x.reached {
		for _, s := range x.springs(f) {
			x.judgeOrder(s)
		}
	}
}

// judgeOrder reports a spring that reaches an operation.
func (x *inspection) judgeOrder(s spring) {
	p := Problem{
		Effect:  "Go goes through a map in another order each time, so that the session does not repeat itself and exploration stops with an error",
		Instead: "go through slices.Sorted(maps.Keys(m)), or keep a slice",
	}
	if s.loop != nil {
		if op := x.operation(s.loop); op != nil {
			p.What = fmt.Sprintf("this loop over a map performs operations (%s)", x.line(x.at(op)))
			x.report(mapOrder, s.pos, p)
			return
		}
	}
	if fl := x.follow(s); fl.hit != nil && !fl.sorted {
		p.What = fmt.Sprintf("the order of %s decides the operation at %s", s.what, x.line(x.at(fl.hit)))
		x.report(mapOrder, s.pos, p)
	}
}

// springs finds those of a function.
func (x *inspection) springs(f *ssa.Function) []spring {
	var list []spring
	for in := range instructions(f) {
		switch in := in.(type) {
		case *ssa.Range:
			if m, is := in.X.Type().Underlying().(*types.Map); is && !(x.Repeats && plain(m.Key())) {
				list = append(list, x.ranges(in)...)
			}
		case *ssa.Call:
			if what := x.handsOn(in); what != "" && !x.Repeats {
				list = append(list, spring{pos: x.at(in), what: what, values: []ssa.Value{in}})
			}
		}
	}
	return list
}

// plain reports whether equal programs have equal values of the type: no pointers.
func plain(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Kind() != types.UnsafePointer
	case *types.Array:
		return plain(t.Elem())
	case *types.Struct:
		for i := range t.NumFields() {
			if !plain(t.Field(i).Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// ranges is the spring that a range statement over a map is.
func (x *inspection) ranges(in *ssa.Range) []spring {
	var list []spring
	for _, r := range *in.Referrers() {
		next, ok := r.(*ssa.Next)
		if !ok {
			continue
		}
		s := spring{pos: x.statement(in.Parent(), in.Pos()), what: "this map"}
		for _, e := range *next.Referrers() {
			if e, ok := e.(*ssa.Extract); ok && e.Index > 0 {
				s.values = append(s.values, e)
			}
		}
		if l := x.headed(next.Block()); l != nil {
			s.loop = x.newRound(l.header, l.blocks, s.values)
			s.values = nil
		}
		list = append(list, s)
	}
	return list
}

// handsOn says what a call's result has from the order of a map; "" when
// nothing.
func (x *inspection) handsOn(c *ssa.Call) string {
	for _, f := range x.callees(c.Common()) {
		if pos := x.ordered[f]; pos.IsValid() {
			return "the map at " + x.line(pos)
		}
	}
	f := callee(c.Common())
	if f == nil {
		return ""
	}
	switch f.FullName() {
	case "maps.Keys", "maps.Values", "maps.All", "(reflect.Value).MapKeys", "(reflect.Value).MapRange":
		return "this map"
	}
	if known := x.factsOf(f.Pkg()).find(f.FullName()); known != nil && known.Order != "" {
		return "the map at " + known.Order
	}
	return ""
}

// operation returns an operation in a loop, unless all are done for the same one
// key.
func (x *inspection) operation(r *round) ssa.Instruction {
	var one *ssa.BasicBlock
	for _, b := range r.fn.Blocks {
		if !r.blocks[b] {
			continue
		}
		for _, in := range b.Instrs {
			c, ok := in.(ssa.CallInstruction)
			if !ok || !x.effect(c.Common()).Operates {
				continue
			}
			chosen := r.chosen(b)
			if chosen == nil || one != nil && chosen != one {
				return in
			}
			one = chosen
		}
	}
	return nil
}
