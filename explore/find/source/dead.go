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

// perhaps is a value that is only stored when a condition holds.
func (v *Value) perhaps() *Value {
	if v.Op != Handle || v.maybe {
		return v
	}
	w := *v
	w.maybe = true
	return &w
}

// surely reports whether each run of the call that has not failed comes to the block.
func (f *frame) surely() bool {
	if f.unsure {
		return false
	}
	for d, b := f.block.Idom(), f.block; d != nil; d, b = d.Idom(), d {
		if last, ok := d.Instrs[len(d.Instrs)-1].(*ssa.If); ok && !failure(last.Cond) && ends(d, b) {
			return false
		}
	}
	return true
}

// failure reports whether a condition compares an error with nil.
func failure(cond ssa.Value) bool {
	c, ok := cond.(*ssa.BinOp)
	return ok && (c.Op == token.EQL || c.Op == token.NEQ) && types.Identical(c.X.Type(), types.Universe.Lookup("error").Type())
}

// ends reports whether a function can end behind a block without another one.
func ends(from, by *ssa.BasicBlock) bool {
	seen := []*ssa.BasicBlock{from}
	for i := 0; i < len(seen); i++ {
		if len(seen[i].Succs) == 0 {
			return true
		}
		for _, s := range seen[i].Succs {
			if s != by && !slices.Contains(seen, s) {
				seen = append(seen, s)
			}
		}
	}
	return false
}
