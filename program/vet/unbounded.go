package vet

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// loopsAround finds loops that run transactions and have no visible bound, and
// functions that run them and call themselves.
func (x *inspection) loopsAround() {
	for _, f := range x.reached {
		for _, l := range x.loopsOf(f) {
			if c := x.beginsIn(l); c != nil && !x.bounded(l) {
				x.report(unbounded, x.loopAt(l), endless(fmt.Sprintf("this loop around the transaction at %s has no visible bound", x.line(x.at(c)))))
			}
		}
		if !x.summaries[f].Begins {
			continue
		}
		for in := range instructions(f) {
			c, ok := in.(ssa.CallInstruction)
			if ok && slices.Contains(x.callees(c.Common()), f) && !slices.ContainsFunc(c.Common().Args, changed) {
				x.report(unbounded, x.at(in), endless("this function runs transactions and calls itself, without a visible bound"))
			}
		}
	}
}

func endless(what string) Problem {
	return Problem{
		what,
		"there are histories in which it goes on and on, and exploration stops at its limit of operations with an error",
		"count the attempts, as in: for range 3 { ... }",
	}
}

// changed reports whether an argument is something else than what the caller got
// itself.
func changed(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Parameter, *ssa.FreeVar, *ssa.Const, *ssa.Function, *ssa.Global:
		return false
	case *ssa.UnOp:
		return changed(v.X)
	case *ssa.MakeClosure, *ssa.MakeInterface:
		return false
	}
	return true
}

// beginsIn returns a call in the loop that runs a transaction.
func (x *inspection) beginsIn(l *loop) ssa.CallInstruction {
	for _, b := range l.header.Parent().Blocks {
		if !l.blocks[b] {
			continue
		}
		for _, in := range b.Instrs {
			if c, ok := in.(ssa.CallInstruction); ok && x.effect(c.Common()).Begins {
				return c
			}
		}
	}
	return nil
}

// loopAt is where a loop begins, as far as that is known.
func (x *inspection) loopAt(l *loop) token.Pos {
	first := token.NoPos
	for b := range l.blocks {
		for _, in := range b.Instrs {
			if _, phi := in.(*ssa.Phi); phi {
				continue // stands where the variable is declared
			}
			if p := in.Pos(); p.IsValid() && (!first.IsValid() || p < first) {
				first = p
			}
		}
	}
	return x.statement(l.header.Parent(), first)
}

// bounded reports whether one of the loop's exits is decided by something that
// makes progress: the next element of a range, a counter, a shrinking slice.
func (x *inspection) bounded(l *loop) bool {
	for b := range l.blocks {
		last, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok || l.blocks[b.Succs[0]] && l.blocks[b.Succs[1]] {
			continue
		}
		if x.progresses(l, last.Cond) {
			return true
		}
	}
	return false
}

// progresses follows what a condition is made of, but not into calls.
func (x *inspection) progresses(l *loop, cond ssa.Value) bool {
	seen := map[ssa.Value]bool{}
	var visit func(v ssa.Value) bool
	visit = func(v ssa.Value) bool {
		if seen[v] {
			return false
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.Next:
			return true
		case *ssa.Phi:
			return v.Block() == l.header && x.steps(v) || slices.ContainsFunc(v.Edges, visit)
		case *ssa.BinOp:
			return visit(v.X) || visit(v.Y)
		case *ssa.Extract:
			return visit(v.Tuple)
		case *ssa.Convert:
			return visit(v.X)
		case *ssa.ChangeType:
			return visit(v.X)
		case *ssa.UnOp:
			return v.Op == token.MUL && x.counter(l, v) || v.Op == token.NOT && visit(v.X) || v.Op == token.SUB && visit(v.X)
		case *ssa.Call:
			if b, ok := v.Call.Value.(*ssa.Builtin); ok {
				return slices.ContainsFunc(v.Call.Args, visit) && b.Name() != "append"
			}
			return x.elsewhere(v)
		}
		return false
	}
	return visit(cond)
}

// elsewhere reports whether a call has nothing to do with transactions: a scanner
// or a list, say, that comes to an end, which is not visible here.
func (x *inspection) elsewhere(c *ssa.Call) bool {
	if f := callee(c.Common()); f != nil && f.Pkg() != nil && f.Pkg().Path() == "context" {
		return false // nobody cancels it
	}
	seen := map[ssa.Value]bool{}
	var transacts func(v ssa.Value) bool
	transacts = func(v ssa.Value) bool {
		if v == nil || seen[v] {
			return false
		}
		seen[v] = true
		if isHandle(v.Type(), "") {
			return true
		}
		if load, ok := v.(*ssa.UnOp); ok {
			for _, cell := range x.cells(load.X) {
				for _, s := range x.stores[cell] {
					if transacts(s.Val) {
						return true
					}
				}
			}
		}
		in, ok := v.(ssa.Instruction)
		if !ok {
			return false
		}
		if c, ok := in.(*ssa.Call); ok && x.effect(c.Common()).Operates {
			return true
		}
		var buf [8]*ssa.Value
		return slices.ContainsFunc(in.Operands(buf[:0]), func(op *ssa.Value) bool { return transacts(*op) })
	}
	return !transacts(c)
}

// steps reports whether a variable of the loop goes up or down by addition, or is
// a slice that gets shorter.
func (x *inspection) steps(phi *ssa.Phi) bool {
	return slices.ContainsFunc(phi.Edges, func(e ssa.Value) bool {
		return derived(e, func(v ssa.Value) bool { return v == phi })
	})
}

// derived reports whether v is stepped from a value that is.
func derived(v ssa.Value, is func(ssa.Value) bool) bool {
	seen := map[ssa.Value]bool{}
	var visit func(v ssa.Value, stepped bool) bool
	visit = func(v ssa.Value, stepped bool) bool {
		if is(v) {
			return stepped
		}
		if seen[v] {
			return false
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.BinOp:
			if v.Op == token.ADD || v.Op == token.SUB || v.Op == token.SHL || v.Op == token.SHR || v.Op == token.MUL || v.Op == token.QUO {
				return number(v.Type()) && (visit(v.X, true) || visit(v.Y, true))
			}
		case *ssa.Slice:
			return visit(v.X, true)
		case *ssa.Phi:
			return slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return visit(e, stepped) })
		case *ssa.Convert:
			return visit(v.X, stepped)
		}
		return false
	}
	return visit(v, false)
}

func number(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsNumeric != 0
}

// counter reports whether a load is of a variable that the loop steps, in its own
// code or in a function that it mentions.
func (x *inspection) counter(l *loop, load *ssa.UnOp) bool {
	inside := map[*ssa.Function]bool{}
	for b := range l.blocks {
		for _, in := range b.Instrs {
			for f := range functionsIn(in) {
				for m := range x.reach([]*ssa.Function{f}, x.once) {
					inside[m] = true
				}
			}
		}
	}
	for _, c := range x.cells(load.X) {
		for _, s := range x.stores[c] {
			same := func(v ssa.Value) bool {
				u, ok := v.(*ssa.UnOp)
				return ok && u.Op == token.MUL && slices.Contains(x.cells(u.X), c)
			}
			if (l.has(s) || inside[s.Parent()]) && derived(s.Val, same) {
				return true
			}
		}
	}
	return false
}
