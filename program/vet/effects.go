package vet

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// summary is what an own function does, its callees included.
type summary struct {
	Function
	writes map[*ssa.Parameter]bool
}

// summarize computes summaries until nothing changes: they only grow.
func (x *inspection) summarize() {
	x.summaries = map[*ssa.Function]*summary{}
	for _, f := range x.funcs {
		x.summaries[f] = &summary{writes: map[*ssa.Parameter]bool{}}
	}
	for changed := true; changed; {
		changed = false
		for _, f := range x.funcs {
			s := x.summaries[f]
			before := s.size()
			for in := range instructions(f) {
				x.sum(f, s, in)
			}
			changed = changed || s.size() != before
		}
	}
}

// size grows with what is known.
func (s *summary) size() int {
	n := len(s.writes)
	for _, b := range []bool{s.Operates, s.Begins, s.Drops} {
		if b {
			n++
		}
	}
	return n
}

func (x *inspection) sum(f *ssa.Function, s *summary, in ssa.Instruction) {
	for _, w := range x.writes(in) {
		for _, r := range x.roots(w) {
			if p, ok := r.Value.(*ssa.Parameter); ok && p.Parent() == f {
				s.writes[p] = true
			}
		}
	}
	if c, ok := in.(ssa.CallInstruction); ok {
		e := x.effect(c.Common())
		s.Operates = s.Operates || e.Operates
		s.Begins = s.Begins || e.Begins
	}
	if ret, ok := in.(*ssa.Return); ok {
		for _, v := range ret.Results {
			s.Drops = s.Drops || x.fromTxn(v)
		}
	}
}

// effect is what a call may do, as far as that is known.
func (x *inspection) effect(c *ssa.CallCommon) (e Function) {
	kind, _ := kindOf(c)
	if kind != foreign {
		e.Operates, e.Begins = kind.operates(), kind == begin
		return e
	}
	add := func(o *Function) {
		if o != nil {
			e.Operates, e.Begins, e.Drops = e.Operates || o.Operates, e.Begins || o.Begins, e.Drops || o.Drops
		}
	}
	known := false
	for _, f := range x.callees(c) {
		if s := x.summaries[f]; s != nil {
			known = true
			add(&s.Function)
		}
	}
	if known {
		return e
	}
	if f := callee(c); f != nil && f.Pkg() != nil {
		facts := x.factsOf(f.Pkg())
		add(facts.find(f.FullName()))
		if facts != nil {
			known = true
		}
	}
	for _, a := range c.Args {
		// Who gets a function is taken to call it; who gets a handle, to use it.
		for _, f := range x.functions(a) {
			if s := x.summaries[f]; s != nil {
				add(&s.Function)
			}
		}
		if !known && isHandle(a.Type(), "") {
			e.Operates = true
			e.Begins = e.Begins || isHandle(a.Type(), "Session")
		}
	}
	return e
}

// fromTxn reports whether v is the error of a transaction.
func (x *inspection) fromTxn(v ssa.Value) bool {
	seen := map[ssa.Value]bool{}
	var visit func(v ssa.Value) bool
	visit = func(v ssa.Value) bool {
		if seen[v] {
			return false
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.Phi:
			return slices.ContainsFunc(v.Edges, visit)
		case *ssa.Extract:
			return isError(v.Type()) && visit(v.Tuple)
		case *ssa.UnOp:
			for _, c := range x.cells(v.X) {
				for _, s := range x.stores[c] {
					if s.Parent() == v.Parent() && visit(s.Val) {
						return true
					}
				}
			}
		case *ssa.Call:
			if _, name := kindOf(v.Common()); name == "Session.Txn" {
				return x.mayFail(arguments(v.Common())[2])
			}
			return x.effect(v.Common()).Drops
		}
		return false
	}
	return visit(v)
}

// mayFail reports whether the function of a transaction returns errors that are
// no assertions: those make the history a violation anyway.
func (x *inspection) mayFail(body ssa.Value) bool {
	for _, f := range x.functions(body) {
		for in := range instructions(f) {
			ret, ok := in.(*ssa.Return)
			if !ok {
				continue
			}
			for _, v := range ret.Results {
				if !x.harmless(v, map[ssa.Value]bool{}) {
					return true
				}
			}
		}
	}
	return false
}

// harmless reports whether an error is nil or an assertion's.
func (x *inspection) harmless(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Const:
		return v.IsNil()
	case *ssa.Phi:
		return !slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return !x.harmless(e, seen) })
	case *ssa.Call:
		_, name := kindOf(v.Common())
		return name == "Assert" || name == "Assertf" || name == "Tx.Commit"
	}
	return false
}

func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }
