package source

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Branches that no run takes: code asks whether it has a prepared statement or a transaction
// that it has surely made. Code that has both ways, such as sqlc's of prepared queries, would
// have each of its statements in each of the ways.

// dead reports whether the block cannot be reached. The block that dominates it is known
// already, as are those that lead to it but for the ends of loops.
func (f *frame) dead(b *ssa.BasicBlock) bool {
	if d := b.Idom(); d == nil || f.unreached[d] {
		return d != nil
	}
	for _, p := range b.Preds {
		if !b.Dominates(p) && !f.never(p, b) {
			return false
		}
	}
	return true
}

// never reports whether control never goes from a block to the next one.
func (f *frame) never(from, to *ssa.BasicBlock) bool {
	if f.unreached[from] {
		return true
	}
	last, ok := from.Instrs[len(from.Instrs)-1].(*ssa.If)
	if !ok || f.values[last.Cond] == nil || from.Succs[0] == from.Succs[1] {
		return false
	}
	holds, ok := f.values[last.Cond].decided()
	return ok && holds != (from.Succs[0] == to)
}

// decided is whether a condition holds, where it compares with nil what is there.
func (v *Value) decided() (holds, ok bool) {
	switch {
	case v.Op == Not:
		holds, ok = v.Args[0].decided()
		return !holds, ok
	case v.Op == Binary && (v.Token == token.EQL || v.Token == token.NEQ):
		x, y := v.Args[0], v.Args[1]
		if x.Op == Nil {
			x, y = y, x
		}
		return v.Token == token.NEQ, y.Op == Nil && x.there()
	}
	return false, false
}

// there reports whether a value is a prepared statement, or a transaction, that the code has made
// on every way.
func (v *Value) there() bool {
	return v.Op == Handle && !v.maybe && v.handle != nil && (v.handle.kind == prepared || v.handle.tx != nil && v.handle.kind == transaction)
}

// perhaps is a value that is there only when a condition holds, with all to which it leads.
func (v *Value) perhaps() *Value {
	w := *v
	switch v.Op {
	case Handle, Pointer, Struct:
		w.maybe = true
	case Either:
		w.Args = nil
		for _, a := range v.Args {
			w.Args = append(w.Args, a.perhaps())
		}
	default:
		return v
	}
	return &w
}

// of is what a value leads to: perhaps, when that may not be there, or is one of several.
func (v *Value) of(owner *Value) *Value {
	if owner.maybe || owner.several() {
		return v.perhaps()
	}
	return v
}

// several reports whether a value is one of several that are not nil, or one that may not be there.
func (v *Value) several() bool {
	if v.Op != Either {
		return false
	}
	n := 0
	for _, a := range v.Args {
		if a.maybe {
			return true
		}
		if a.Op != Nil {
			n++
		}
	}
	return n > 1
}

// surely reports whether each run of the call comes to the block, but for those that fail.
func (f *frame) surely() bool {
	if f.unsure {
		return false
	}
	for d, b := f.block.Idom(), f.block; d != nil; d, b = d.Idom(), d {
		if _, branches := d.Instrs[len(d.Instrs)-1].(*ssa.If); branches && succeeds(d, b) {
			return false
		}
	}
	return true
}

// succeeds reports whether a function may return behind a block, without another one and without
// an error.
func succeeds(from, by *ssa.BasicBlock) bool {
	seen := []*ssa.BasicBlock{from}
	for i := 0; i < len(seen); i++ {
		b := seen[i]
		if ret, returns := b.Instrs[len(b.Instrs)-1].(*ssa.Return); returns && !fails(ret) {
			return true
		}
		for _, s := range b.Succs {
			if s != by && !slices.Contains(seen, s) {
				seen = append(seen, s)
			}
		}
	}
	return false
}

// fails reports whether a function surely returns an error: one that is made here, or that has
// been compared with nil before.
func fails(ret *ssa.Return) bool {
	if len(ret.Results) == 0 {
		return false
	}
	err := ret.Results[len(ret.Results)-1]
	if load, ok := err.(*ssa.UnOp); ok && load.Op == token.MUL {
		err = stored(load)
	}
	switch err := err.(type) {
	case *ssa.MakeInterface:
		return isError(err.Type())
	case *ssa.Call:
		fn := err.Call.StaticCallee()
		return fn != nil && slices.Contains([]string{"errors.New", "fmt.Errorf"}, fn.String())
	case nil:
		return false
	}
	for b := ret.Block(); isError(err.Type()) && b.Idom() != nil; b = b.Idom() {
		branch, ok := b.Idom().Instrs[len(b.Idom().Instrs)-1].(*ssa.If)
		if !ok || len(b.Preds) != 1 {
			continue
		}
		if c, ok := branch.Cond.(*ssa.BinOp); ok && c.X == err && isNil(c.Y) && c.Op == token.NEQ == (b.Idom().Succs[0] == b) {
			return true
		}
	}
	return false
}

// stored is what a variable holds that is loaded, where the same block has stored it; nil else.
func stored(load *ssa.UnOp) (v ssa.Value) {
	for _, instr := range load.Block().Instrs {
		if s, ok := instr.(*ssa.Store); ok && s.Addr == load.X {
			v = s.Val
		}
		if instr == ssa.Instruction(load) {
			break
		}
	}
	return v
}

func isNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}

func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }
