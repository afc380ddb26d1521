package source

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// calls looks at a call.
func (f *frame) calls(instr ssa.CallInstruction) *Value {
	c, pos := instr.Common(), instr.Pos()
	var args []*Value
	for _, a := range c.Args {
		args = append(args, f.value(a))
	}
	if b, ok := c.Value.(*ssa.Builtin); ok {
		return builtin(b.Name(), args)
	}
	if c.IsInvoke() {
		return f.invoked(c, args, pos)
	}
	if fn := c.StaticCallee(); fn != nil {
		var free []*Value
		if made, ok := c.Value.(*ssa.MakeClosure); ok {
			for _, b := range made.Bindings {
				free = append(free, f.value(b))
			}
		}
		if v, known := f.known(fn, args, free, pos); known {
			return v
		}
		f.passes(fn.Signature, c, args, pos)
		return f.foreign(fn.Name(), fn.Signature, args, pos)
	}
	return f.dynamic(f.value(c.Value), c.Signature(), args, pos)
}

// dynamic looks at the call of a value.
func (f *frame) dynamic(v *Value, sig *types.Signature, args []*Value, pos token.Pos) *Value {
	switch v.Op {
	case Closure:
		return f.static(v.fn, args, v.Args, pos)
	case Either:
		var list []*Value
		for _, a := range v.Args {
			list = append(list, f.dynamic(a, sig, args, pos))
		}
		return joinedResults(sig, list)
	}
	return f.foreign("function value", sig, args, pos)
}

// joinedResults is what one of several functions returns.
func joinedResults(sig *types.Signature, list []*Value) *Value {
	var returned []*Value
	for _, v := range list {
		if sig.Results().Len() == 1 || v.Op == Tuple && len(v.Args) == sig.Results().Len() {
			returned = append(returned, v)
		}
	}
	return results(sig, returned)
}

// invoked looks at the call of an interface's method.
func (f *frame) invoked(c *ssa.CallCommon, args []*Value, pos token.Pos) *Value {
	recv, m := f.value(c.Value), c.Method
	if v, ok := f.request(m, args); ok {
		return v
	}
	if v, ok := f.database(m, recv, c.Value.Type(), args, pos); ok {
		return v
	}
	list := []*Value{recv}
	if recv.Op == Either {
		list = recv.Args
	}
	var all []*Value
	for _, r := range list {
		for _, fn := range f.implementations(r, c.Value.Type(), m, pos) {
			all = append(all, f.static(fn, append([]*Value{r}, args...), nil, pos))
		}
	}
	if len(all) == 0 {
		f.passes(m.Type().(*types.Signature), c, args, pos)
		return f.foreign(m.Name(), m.Type().(*types.Signature), append([]*Value{recv}, args...), pos)
	}
	return joinedResults(m.Type().(*types.Signature), all)
}

// opens notes the arguments of the exported function with which a library opens a database:
// they are its address.
func (f *frame) opens(m *types.Func, args []*Value) {
	sig := m.Type().(*types.Signature)
	if sig.Recv() != nil || sig.Results().Len() == 0 {
		return
	}
	if pkg, _ := ofLibrary(sig.Results().At(0).Type()); pkg == "" || m.Pkg().Path() != pkg {
		return
	}
	for _, a := range args {
		if a.Op == Param && a.Type != nil && isString(a.Type) {
			if f.call.Addresses == nil {
				f.call.Addresses = map[string]bool{}
			}
			f.call.Addresses[a.Path] = true
		}
	}
}

// static looks at the call of a function.
func (f *frame) static(fn *ssa.Function, args, free []*Value, pos token.Pos) *Value {
	if v, known := f.known(fn, args, free, pos); known {
		return v
	}
	return f.foreign(fn.Name(), fn.Signature, args, pos)
}

// known looks at the call of a function that leads to the database, is the standard library's,
// or the user's; false for others.
func (f *frame) known(fn *ssa.Function, args, free []*Value, pos token.Pos) (*Value, bool) {
	if m, ok := fn.Object().(*types.Func); ok {
		f.opens(m, args)
		if v, ok := f.request(m, args); ok {
			return v, true
		}
		if v, ok := f.parsed(m, args); ok {
			return v, true
		}
		sig := m.Type().(*types.Signature)
		if sig.Recv() != nil && len(args) > 0 {
			if v, ok := f.database(m, args[0], sig.Recv().Type(), args[1:], pos); ok {
				return v, true
			}
		} else if v, ok := f.helper(m, args, pos); ok {
			return v, true
		}
		if v, ok := f.library(m, args); ok {
			return v, true
		}
	}
	if fn.Blocks != nil && f.inside(fn) {
		defer func(before bool) { f.unsure = before }(f.unsure)
		f.unsure = !f.surely()
		f.call.runs(fn)
		return f.run(fn, args, free, f.guards(), f.loop || f.looping[f.block], pos), true
	}
	return nil, false
}

// runs notes that the call runs a function.
func (c *Call) runs(fn *ssa.Function) {
	if o, ok := fn.Object().(*types.Func); ok && c != nil {
		if c.Runs == nil {
			c.Runs = map[*types.Func]bool{}
		}
		c.Runs[o] = true
	}
}

// inside reports whether a function is the user's: of a package whose code was loaded, or
// made for one.
func (f *frame) inside(fn *ssa.Function) bool {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	return fn.Pkg == nil || f.own[fn.Pkg.Pkg.Path()]
}

// foreign is the result of a function whose code is not looked at: it may call the
// functions that it is given.
func (f *frame) foreign(name string, sig *types.Signature, args []*Value, pos token.Pos) *Value {
	var flow []*Value
	for _, a := range args {
		if a.Op == Closure {
			flow = append(flow, f.dynamic(a, a.fn.Signature, nil, pos))
		} else if a.Op != Pointer && a.Op != Handle {
			flow = append(flow, a)
		}
	}
	n := sig.Results().Len()
	if n == 1 {
		return apply(name, flow...)
	}
	t := &Value{Op: Tuple}
	for range n {
		t.Args = append(t.Args, apply(name, flow...))
	}
	return t
}

func builtin(name string, args []*Value) *Value {
	if name == "append" && len(args) == 2 {
		return args[0].appended(args[1])
	}
	return apply(name, args...)
}

// appended is a slice with more elements, where both are known.
func (v *Value) appended(more *Value) *Value {
	n, m := v.length(), more.length()
	if v.Op == Nil {
		n = 0
	}
	if n < 0 || m < 0 {
		return apply("append", v, more)
	}
	o := newObject(nil)
	for i := range n + m {
		from, at := v, i
		if i >= n {
			from, at = more, i-n
		}
		o.cells[element(i)] = from.cell.at(element(at)).load(nil)
	}
	return &Value{Op: Pointer, cell: cell{o, ""}}
}
