package vet

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// round is the code that runs once for each element of a map: the body of a loop,
// or the function that an iterator calls.
type round struct {
	x      *inspection
	fn     *ssa.Function
	header *ssa.BasicBlock // of a loop; nil for a function
	blocks map[*ssa.BasicBlock]bool
	// element are the values made of the element of this round.
	element map[ssa.Value]bool
}

func (x *inspection) newRound(header *ssa.BasicBlock, blocks map[*ssa.BasicBlock]bool, seeds []ssa.Value) *round {
	r := &round{x: x, header: header, blocks: blocks, element: map[ssa.Value]bool{}}
	for b := range blocks {
		r.fn = b.Parent()
		break
	}
	for _, s := range seeds {
		r.spread(s)
	}
	return r
}

// roundOf is the round of a function that an iterator calls.
func (x *inspection) roundOf(f *ssa.Function) *round {
	blocks := map[*ssa.BasicBlock]bool{}
	for _, b := range f.Blocks {
		blocks[b] = true
	}
	var seeds []ssa.Value
	for _, p := range f.Params {
		seeds = append(seeds, p)
	}
	return x.newRound(nil, blocks, seeds)
}

func (r *round) has(in ssa.Instruction) bool { return r.blocks[in.Block()] }

// spread marks v and what the round makes of it.
func (r *round) spread(v ssa.Value) {
	if r.element[v] {
		return
	}
	r.element[v] = true
	refs := v.Referrers()
	if refs == nil {
		return
	}
	for _, in := range *refs {
		if !r.has(in) {
			continue
		}
		if s, ok := in.(*ssa.Store); ok && s.Val == v {
			for _, root := range r.x.roots(s.Addr) {
				if a, ok := root.Value.(*ssa.Alloc); ok && r.has(a) && a.Parent() == r.fn {
					r.spread(a)
				}
			}
		}
		if out, ok := in.(ssa.Value); ok {
			r.spread(out)
		}
	}
}

// escapes are the values and variables in which the order of the rounds shows
// afterwards.
func (r *round) escapes() []ssa.Value {
	var list []ssa.Value
	for _, b := range r.fn.Blocks {
		if !r.blocks[b] {
			continue
		}
		for _, in := range b.Instrs {
			list = append(list, r.escape(in)...)
		}
	}
	return list
}

func (r *round) escape(in ssa.Instruction) []ssa.Value {
	if phi, ok := in.(*ssa.Phi); ok && phi.Block() == r.header {
		is := func(v ssa.Value) bool { return v == phi }
		for i, e := range phi.Edges {
			if r.blocks[phi.Block().Preds[i]] && !r.commutes(e, is) {
				return []ssa.Value{phi}
			}
		}
		return nil
	}
	switch in := in.(type) {
	case *ssa.Store:
		return r.stored(in)
	case *ssa.MapUpdate:
		if r.carried(in.Value) && r.element[in.Key] || r.element[in.Value] && appends(in.Value) {
			return r.outer(in.Map)
		}
		return nil
	case *ssa.Call:
		if c := in.Common(); len(c.Args) > 0 && collects(c) && slices.ContainsFunc(c.Args[1:], func(v ssa.Value) bool { return r.element[v] }) {
			return r.outer(c.Args[0])
		}
	}
	v, ok := in.(ssa.Value)
	if !ok || !r.element[v] || v.Referrers() == nil {
		return nil
	}
	for _, use := range *v.Referrers() {
		if !r.has(use) && !r.chosenFor(use, v) || r.header == nil && returns(use) {
			return []ssa.Value{v}
		}
	}
	return nil
}

func returns(in ssa.Instruction) bool { _, is := in.(*ssa.Return); return is }

// outer are the variables of code around the round that v is part of.
func (r *round) outer(v ssa.Value) []ssa.Value {
	var list []ssa.Value
	for _, root := range r.x.roots(v) {
		if a, ok := root.Value.(*ssa.Alloc); ok && !(a.Parent() == r.fn && r.has(a)) {
			list = append(list, a)
		}
	}
	if in, ok := v.(ssa.Instruction); ok && !r.has(in) {
		list = append(list, v)
	}
	return list
}

// stored judges an assignment to a variable of the code around.
func (r *round) stored(s *ssa.Store) []ssa.Value {
	outer := r.outer(s.Addr)
	if len(outer) == 0 {
		return nil
	}
	if i, ok := s.Addr.(*ssa.IndexAddr); ok && r.element[i.Index] && !r.carried(s.Val) {
		return nil // a place of its own for each element
	}
	is := func(v ssa.Value) bool {
		u, ok := v.(*ssa.UnOp)
		return ok && u.Op == token.MUL && r.x.samePlace(u.X, s.Addr)
	}
	if r.commutes(s.Val, is) {
		return nil
	}
	return outer
}

// samePlace reports whether two addresses are of the same variable or field.
func (x *inspection) samePlace(a, b ssa.Value) bool {
	if a == b {
		return true
	}
	switch a := a.(type) {
	case *ssa.FieldAddr:
		b, ok := b.(*ssa.FieldAddr)
		return ok && a.Field == b.Field && x.samePlace(a.X, b.X)
	case *ssa.IndexAddr:
		b, ok := b.(*ssa.IndexAddr)
		return ok && a.Index == b.Index && x.samePlace(a.X, b.X)
	case *ssa.UnOp:
		b, ok := b.(*ssa.UnOp)
		return ok && a.Op == b.Op && x.samePlace(a.X, b.X)
	}
	return slices.ContainsFunc(x.cells(a), func(c ssa.Value) bool { return slices.Contains(x.cells(b), c) })
}

// commutes reports whether a variable, which is recognises, is the same after all
// rounds in any order, when a round sets it to v.
func (r *round) commutes(v ssa.Value, is func(ssa.Value) bool) bool {
	seen := map[ssa.Value]bool{}
	var visit func(v ssa.Value) bool
	visit = func(v ssa.Value) bool {
		if is(v) || seen[v] || !r.element[v] {
			return true
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.Phi:
			return r.has(v) && !slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return !visit(e) })
		case *ssa.BinOp:
			left, right := r.contains(v.X, is), r.contains(v.Y, is)
			switch {
			case left == right || !exact(v.Type()):
				return false
			case v.Op == token.ADD || v.Op == token.MUL || v.Op == token.AND || v.Op == token.OR || v.Op == token.XOR:
				return left && visit(v.X) || right && visit(v.Y)
			case v.Op == token.SUB || v.Op == token.AND_NOT:
				return left && visit(v.X)
			}
			return false
		case *ssa.Call:
			if b, ok := v.Call.Value.(*ssa.Builtin); ok && (b.Name() == "min" || b.Name() == "max") {
				return slices.ContainsFunc(v.Call.Args, func(a ssa.Value) bool { return r.contains(a, is) })
			}
		}
		return r.extreme(v, is)
	}
	return visit(v)
}

// exact reports whether arithmetic on the type does not depend on the order:
// that of floating-point numbers and strings does.
func exact(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsInteger|types.IsBoolean) != 0
}

// contains reports whether v is computed from a value that is.
func (r *round) contains(v ssa.Value, is func(ssa.Value) bool) bool {
	seen := map[ssa.Value]bool{}
	var visit func(v ssa.Value) bool
	visit = func(v ssa.Value) bool {
		if is(v) {
			return true
		}
		in, ok := v.(ssa.Instruction)
		if !ok || seen[v] || !r.has(in) {
			return false
		}
		seen[v] = true
		switch in.(type) {
		case *ssa.Phi, *ssa.BinOp, *ssa.Convert, *ssa.ChangeType:
			var buf [8]*ssa.Value
			return slices.ContainsFunc(in.Operands(buf[:0]), func(op *ssa.Value) bool { return *op != nil && visit(*op) })
		}
		return false
	}
	return visit(v)
}

// extreme reports whether v is compared with the variable: the smallest or the
// largest of all is looked for.
func (r *round) extreme(v ssa.Value, is func(ssa.Value) bool) bool {
	refs := v.Referrers()
	if refs == nil {
		return false
	}
	for _, in := range *refs {
		b, ok := in.(*ssa.BinOp)
		if !ok || !r.has(b) {
			continue
		}
		switch b.Op {
		case token.LSS, token.LEQ, token.GTR, token.GEQ:
			if r.contains(b.X, is) || r.contains(b.Y, is) {
				return true
			}
		}
	}
	return false
}

// carried reports whether v depends on the rounds before.
func (r *round) carried(v ssa.Value) bool {
	return r.contains(v, func(v ssa.Value) bool {
		phi, ok := v.(*ssa.Phi)
		return ok && phi.Block() == r.header
	})
}

func appends(v ssa.Value) bool {
	c, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	b, ok := c.Call.Value.(*ssa.Builtin)
	return ok && b.Name() == "append"
}

// collects recognises calls that add to what their first argument holds, one
// after another.
func collects(c *ssa.CallCommon) bool {
	f := callee(c)
	if f == nil || f.Pkg() == nil || isAPI(f.Pkg()) {
		return false
	}
	for _, verb := range []string{"Write", "Push", "Append", "Fprint"} {
		if strings.HasPrefix(f.Name(), verb) {
			return true
		}
	}
	return false
}

// chosen returns the first block of the code that runs only for an element that equals
// something, if b is part of that code; else nil. As a rule one element does.
func (r *round) chosen(b *ssa.BasicBlock) *ssa.BasicBlock {
	for around := range r.blocks {
		cond, ok := around.Instrs[len(around.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		eq, ok := cond.Cond.(*ssa.BinOp)
		if !ok || r.element[eq.X] == r.element[eq.Y] {
			continue
		}
		succ := around.Succs[0]
		if eq.Op == token.NEQ {
			succ = around.Succs[1]
		} else if eq.Op != token.EQL {
			continue
		}
		if len(succ.Preds) == 1 && succ.Dominates(b) {
			return succ
		}
	}
	return nil
}

// chosenFor is chosen for the place where a use of v outside takes it.
func (r *round) chosenFor(use ssa.Instruction, v ssa.Value) bool {
	phi, ok := use.(*ssa.Phi)
	if !ok {
		return r.chosen(use.Block()) != nil
	}
	for i, e := range phi.Edges {
		if e == v && r.chosen(phi.Block().Preds[i]) == nil {
			return false
		}
	}
	return true
}
