package vet

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// graph is the code of one package: its functions, which of them mention which,
// and where the values of variables and parameters come from. It does not
// distinguish contexts: a parameter has the arguments of all calls.
type graph struct {
	prog  *ssa.Program
	funcs []*ssa.Function // all that have a body, those of the source first

	bindings  map[*ssa.FreeVar][]ssa.Value
	arguments map[*ssa.Parameter][]ssa.Value
	stores    map[ssa.Value][]*ssa.Store // by the variable, an Alloc or Global
	loads     map[ssa.Value][]*ssa.UnOp
	concrete  []types.Type // types that become interfaces somewhere
	loops     map[*ssa.Function][]*loop
	initial   map[types.Object][]*ssa.Function // in the initial values of package-level variables
	alive     map[*ssa.Function]bool           // the function values of a run; nil: not known yet
}

// newGraph walks through the functions and all that they mention.
func newGraph(prog *ssa.Program, source []*ssa.Function) *graph {
	g := &graph{
		prog: prog, bindings: map[*ssa.FreeVar][]ssa.Value{}, arguments: map[*ssa.Parameter][]ssa.Value{},
		stores: map[ssa.Value][]*ssa.Store{}, loads: map[ssa.Value][]*ssa.UnOp{}, loops: map[*ssa.Function][]*loop{},
	}
	seen := map[*ssa.Function]bool{}
	for _, f := range source {
		seen[f] = true
	}
	g.funcs = slices.Clone(source)
	for i := 0; i < len(g.funcs); i++ {
		for in := range instructions(g.funcs[i]) {
			g.note(in)
			for f := range functionsIn(in) {
				if f.Blocks != nil && !seen[f] {
					seen[f] = true
					g.funcs = append(g.funcs, f)
				}
			}
		}
	}
	for _, f := range g.funcs {
		for in := range instructions(f) {
			g.link(in)
		}
	}
	for _, f := range g.funcs { // parameters are known: calls of closures
		for in := range instructions(f) {
			if c, ok := in.(ssa.CallInstruction); ok && c.Common().StaticCallee() == nil {
				g.pass(c.Common())
			}
		}
	}
	return g
}

// note keeps what can be read off an instruction alone.
func (g *graph) note(in ssa.Instruction) {
	switch in := in.(type) {
	case *ssa.MakeClosure:
		fn := in.Fn.(*ssa.Function)
		for i, fv := range fn.FreeVars {
			g.bindings[fv] = append(g.bindings[fv], in.Bindings[i])
		}
	case *ssa.MakeInterface:
		if !slices.ContainsFunc(g.concrete, func(t types.Type) bool { return types.Identical(t, in.X.Type()) }) {
			g.concrete = append(g.concrete, in.X.Type())
		}
	case ssa.CallInstruction:
		if in.Common().StaticCallee() != nil {
			g.pass(in.Common())
		}
	}
}

// link keeps stores and loads by variable.
func (g *graph) link(in ssa.Instruction) {
	switch in := in.(type) {
	case *ssa.Store:
		for _, c := range g.cells(in.Addr) {
			g.stores[c] = append(g.stores[c], in)
		}
	case *ssa.UnOp:
		for _, c := range g.cells(in.X) {
			g.loads[c] = append(g.loads[c], in)
		}
	}
}

// pass binds the arguments of a call to parameters.
func (g *graph) pass(c *ssa.CallCommon) {
	if c.IsInvoke() {
		return
	}
	for _, f := range g.callees(c) {
		for i, p := range f.Params {
			if i < len(c.Args) && !slices.Contains(g.arguments[p], c.Args[i]) {
				g.arguments[p] = append(g.arguments[p], c.Args[i])
			}
		}
	}
}

// cells are the variables whose address addr is.
func (g *graph) cells(addr ssa.Value) []ssa.Value {
	var list []ssa.Value
	seen := map[ssa.Value]bool{}
	var visit func(v ssa.Value)
	visit = func(v ssa.Value) {
		if seen[v] {
			return
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.Alloc, *ssa.Global:
			list = append(list, v)
		case *ssa.FreeVar:
			for _, b := range g.bindings[v] {
				visit(b)
			}
		}
	}
	visit(addr)
	return list
}

// root is a variable or parameter through which something is reached.
type root struct {
	ssa.Value      // an Alloc, Global or Parameter
	element   bool // it is an element of an array or slice there
}

// roots are the variables and parameters through which v, an address, map or
// slice, is reached: a write to v changes what they hold.
func (g *graph) roots(v ssa.Value) []root {
	var list []root
	seen := map[ssa.Value]bool{}
	var visit func(v ssa.Value, element bool)
	visit = func(v ssa.Value, element bool) {
		if seen[v] {
			return
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.Alloc, *ssa.Global, *ssa.Parameter:
			list = append(list, root{v, element})
		case *ssa.FreeVar:
			for _, b := range g.bindings[v] {
				visit(b, element)
			}
		case *ssa.IndexAddr:
			visit(v.X, true)
		case *ssa.Index:
			visit(v.X, true)
		case *ssa.Phi:
			for _, e := range v.Edges {
				visit(e, element)
			}
		case *ssa.UnOp:
			visit(v.X, element)
			for _, s := range g.held(v) {
				visit(s.Val, element)
			}
		default:
			if x := part(v); x != nil {
				visit(x, element)
			}
		}
	}
	visit(v, false)
	return list
}

// part is what v is a part or another form of, or nil.
func part(v ssa.Value) ssa.Value {
	switch v := v.(type) {
	case *ssa.FieldAddr:
		return v.X
	case *ssa.Field:
		return v.X
	case *ssa.Lookup:
		return v.X
	case *ssa.Slice:
		return v.X
	case *ssa.ChangeType:
		return v.X
	case *ssa.MakeInterface:
		return v.X
	case *ssa.TypeAssert:
		return v.X
	}
	return nil
}

// held are the stores to the local variable that v loads, when what it holds may
// be reached through other variables too.
func (g *graph) held(v *ssa.UnOp) []*ssa.Store {
	if !refers(v.Type()) {
		return nil
	}
	var list []*ssa.Store
	for _, c := range g.cells(v.X) {
		if _, local := c.(*ssa.Alloc); local {
			list = append(list, g.stores[c]...)
		}
	}
	return list
}

// refers reports whether copies of values of the type share memory.
func refers(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Slice, *types.Struct, *types.Interface:
		return true
	}
	return false
}

// functions are those that v, a function value, can be.
func (g *graph) functions(v ssa.Value) []*ssa.Function {
	var list []*ssa.Function
	seen := map[ssa.Value]bool{}
	var visit func(v ssa.Value)
	visit = func(v ssa.Value) {
		if seen[v] {
			return
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.Function:
			list = append(list, origin(v))
		case *ssa.MakeClosure:
			list = append(list, v.Fn.(*ssa.Function))
		case *ssa.Phi:
			for _, e := range v.Edges {
				visit(e)
			}
		case *ssa.FreeVar:
			for _, b := range g.bindings[v] {
				visit(b)
			}
		case *ssa.Parameter:
			for _, a := range g.arguments[v] {
				visit(a)
			}
		case *ssa.UnOp:
			for _, c := range g.cells(v.X) {
				for _, s := range g.stores[c] {
					visit(s.Val)
				}
			}
		case *ssa.ChangeType:
			visit(v.X)
		case *ssa.MakeInterface:
			visit(v.X)
		}
	}
	visit(v)
	return list
}

// callees are the functions that a call may call, as far as they are known.
func (g *graph) callees(c *ssa.CallCommon) []*ssa.Function {
	if c.IsInvoke() {
		return g.methods(c)
	}
	if f := c.StaticCallee(); f != nil {
		return []*ssa.Function{origin(f)}
	}
	return g.functions(c.Value)
}

// methods are those that a call of an interface's method may call.
func (g *graph) methods(c *ssa.CallCommon) []*ssa.Function {
	iface, ok := c.Value.Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	var list []*ssa.Function
	for _, t := range g.concrete {
		if types.IsInterface(t) || !types.Implements(t, iface) {
			continue
		}
		if f := g.prog.LookupMethod(t, c.Method.Pkg(), c.Method.Name()); f != nil {
			list = append(list, origin(f))
		}
	}
	return list
}

// functionsOf iterates over the functions in the initial values of the
// package-level variables that an instruction mentions.
func (g *graph) functionsOf(in ssa.Instruction) func(yield func(*ssa.Function) bool) {
	return func(yield func(*ssa.Function) bool) {
		var buf [8]*ssa.Value
		for _, op := range in.Operands(buf[:0]) {
			if op == nil {
				continue
			}
			v, ok := (*op).(*ssa.Global)
			if !ok || v.Object() == nil {
				continue
			}
			for _, f := range g.initial[v.Object()] {
				if !yield(f) {
					return
				}
			}
		}
	}
}

// instructions iterates over the code of f.
func instructions(f *ssa.Function) func(yield func(ssa.Instruction) bool) {
	return func(yield func(ssa.Instruction) bool) {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if !yield(in) {
					return
				}
			}
		}
	}
}

// functionsIn iterates over the functions that an instruction mentions, called or
// not.
func functionsIn(in ssa.Instruction) func(yield func(*ssa.Function) bool) {
	return func(yield func(*ssa.Function) bool) {
		var buf [8]*ssa.Value
		for _, op := range in.Operands(buf[:0]) {
			if op == nil {
				continue
			}
			if f, ok := (*op).(*ssa.Function); ok && !yield(origin(f)) {
				return
			}
		}
	}
}
