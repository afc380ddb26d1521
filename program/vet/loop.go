package vet

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// loop is a natural loop of a control flow graph: a header and all blocks that
// reach it without leaving what it dominates (Aho, Lam, Sethi, Ullman, Compilers,
// section 9.6.6). Loops with the same header are one.
type loop struct {
	header *ssa.BasicBlock
	blocks map[*ssa.BasicBlock]bool
}

// loopsOf finds the loops of f.
func (g *graph) loopsOf(f *ssa.Function) []*loop {
	if list, known := g.loops[f]; known {
		return list
	}
	var list []*loop
	for _, b := range f.Blocks {
		for _, h := range b.Succs {
			if !h.Dominates(b) {
				continue
			}
			i := slices.IndexFunc(list, func(l *loop) bool { return l.header == h })
			if i < 0 {
				i = len(list)
				list = append(list, &loop{h, map[*ssa.BasicBlock]bool{h: true}})
			}
			list[i].add(b)
		}
	}
	g.loops[f] = list
	return list
}

func (l *loop) add(b *ssa.BasicBlock) {
	if l.blocks[b] {
		return
	}
	l.blocks[b] = true
	for _, p := range b.Preds {
		l.add(p)
	}
}

// has reports whether an instruction is in the loop.
func (l *loop) has(in ssa.Instruction) bool { return l.blocks[in.Block()] }

// headed returns the loop that begins with b, or nil.
func (g *graph) headed(b *ssa.BasicBlock) *loop {
	for _, l := range g.loopsOf(b.Parent()) {
		if l.header == b {
			return l
		}
	}
	return nil
}

// cyclic reports whether in is in a loop that other is not in.
func (g *graph) cyclic(in, other ssa.Instruction) bool {
	for _, l := range g.loopsOf(in.Parent()) {
		if l.has(in) && (other == nil || other.Parent() != in.Parent() || !l.has(other)) {
			return true
		}
	}
	return false
}
