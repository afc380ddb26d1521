package vet

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// flow follows what depends on the order of a map through the code, without
// regard to the order of instructions.
type flow struct {
	x       *inspection
	seen    map[ssa.Value]bool
	work    []ssa.Value
	hit     ssa.Instruction // an operation that depends on it
	sorted  bool            // something is sorted: then it is taken to be in order
	returns map[*ssa.Function]bool
}

// follow follows a spring.
func (x *inspection) follow(s spring) *flow {
	f := &flow{x: x, seen: map[ssa.Value]bool{}, returns: map[*ssa.Function]bool{}}
	for _, v := range s.values {
		f.add(v)
	}
	if s.loop != nil {
		for _, v := range s.loop.escapes() {
			f.add(v)
		}
	}
	for len(f.work) > 0 {
		v := f.work[len(f.work)-1]
		f.work = f.work[:len(f.work)-1]
		if refs := v.Referrers(); refs != nil {
			for _, in := range *refs {
				f.through(in, v)
			}
		}
	}
	return f
}

func (f *flow) add(v ssa.Value) {
	if v != nil && !f.seen[v] {
		f.seen[v] = true
		f.work = append(f.work, v)
	}
}

// through goes on with what an instruction makes of v.
func (f *flow) through(in ssa.Instruction, v ssa.Value) {
	switch in := in.(type) {
	case *ssa.Store:
		if in.Val == v {
			f.into(in.Addr)
		}
	case *ssa.MapUpdate:
		if in.Value == v {
			f.into(in.Map)
			f.add(in.Map)
		}
	case *ssa.Return:
		// An error only says why.
		if !isError(v.Type()) {
			f.returns[in.Parent()] = true
		}
	case *ssa.If:
		f.decides(in)
	case *ssa.MakeClosure:
		for i, b := range in.Bindings {
			if b == v {
				f.add(in.Fn.(*ssa.Function).FreeVars[i])
			}
		}
	case ssa.CallInstruction:
		f.call(in, v)
	case ssa.Value:
		f.add(in)
	}
}

// into marks the variables that an address, map or slice is part of.
func (f *flow) into(v ssa.Value) {
	for _, r := range f.x.roots(v) {
		if a, ok := r.Value.(*ssa.Alloc); ok {
			f.add(a)
		}
	}
}

// decides looks for operations that a condition lets happen or not.
func (f *flow) decides(cond *ssa.If) {
	for _, s := range cond.Block().Succs {
		if len(s.Preds) != 1 {
			continue
		}
		for _, b := range cond.Parent().Blocks {
			if !s.Dominates(b) {
				continue
			}
			for _, in := range b.Instrs {
				if c, ok := in.(ssa.CallInstruction); ok && f.x.effect(c.Common()).Operates {
					f.found(in)
				}
			}
		}
	}
}

func (f *flow) found(in ssa.Instruction) {
	if f.hit == nil {
		f.hit = in
	}
}

// call goes on through a call that v takes part in.
func (f *flow) call(in ssa.CallInstruction, v ssa.Value) {
	c := in.Common()
	if b, ok := c.Value.(*ssa.Builtin); ok {
		f.builtin(in, b.Name(), v)
		return
	}
	if !c.IsInvoke() && c.Value == v {
		f.iterate(in)
		return
	}
	name, full := "", ""
	if g := callee(c); g != nil {
		name, full = g.Name(), g.FullName()
		if g.Pkg() != nil && strings.Contains(g.Pkg().Path(), "sort") {
			name = "sort"
		}
	}
	switch {
	case strings.Contains(strings.ToLower(name), "sort") || f.x.sorts(c, v):
		f.sorted = true
		return
	case settled[full]:
		return
	case f.x.effect(c).Operates:
		f.found(in)
		return
	case collects(c) && len(c.Args) > 0 && c.Args[0] != v:
		f.into(c.Args[0])
	}
	if out := in.Value(); out != nil && !reduces(v.Type(), out.Type()) {
		f.add(out)
	}
}

// sorts reports whether a call is of an own function that sorts v.
func (x *inspection) sorts(c *ssa.CallCommon, v ssa.Value) bool {
	for _, f := range x.callees(c) {
		for i, p := range f.Params {
			if i >= len(c.Args) || c.Args[i] != v || p.Referrers() == nil {
				continue
			}
			for _, in := range *p.Referrers() {
				call, ok := in.(*ssa.Call)
				if !ok {
					continue
				}
				if g := callee(call.Common()); g != nil && strings.Contains(strings.ToLower(g.FullName()), "sort") {
					return true
				}
			}
		}
	}
	return false
}

// settled are functions whose results do not depend on the order of what they
// get.
var settled = map[string]bool{
	"slices.Contains": true, "slices.ContainsFunc": true, "slices.Max": true, "slices.Min": true,
	"maps.Collect": true, "maps.Insert": true,
}

// reduces reports whether a function makes a number or truth of several values:
// most likely a count, a sum, or whether one is there.
func reduces(from, to types.Type) bool {
	if _, many := from.Underlying().(*types.Slice); !many {
		return false
	}
	return exact(to)
}

func (f *flow) builtin(in ssa.CallInstruction, name string, v ssa.Value) {
	switch name {
	case "append", "min", "max":
		f.add(in.Value())
	case "copy":
		if args := in.Common().Args; args[1] == v {
			f.into(args[0])
		}
	}
}

// iterate looks into the functions that an iterator with a map's order calls.
func (f *flow) iterate(in ssa.CallInstruction) {
	c := in.Common()
	for _, a := range c.Args {
		if isHandle(a.Type(), "") {
			f.found(in)
		}
		for _, body := range f.x.functions(a) {
			s := f.x.summaries[body]
			if s == nil {
				continue
			}
			r := f.x.roundOf(body)
			if s.Operates {
				if op := f.x.operation(r); op != nil {
					f.found(op)
				}
			}
			for _, v := range r.escapes() {
				f.add(v)
			}
		}
	}
	if out := in.Value(); out != nil {
		f.add(out)
	}
}
