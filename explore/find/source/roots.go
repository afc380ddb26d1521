package source

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// constructors finds how values of a package's types are made: by an exported function
// whose first result they are. One that was asked for comes before others, and one named
// New… before those.
func (f *finder) constructors(p *ssa.Package, wanted []string) {
	rank := map[*types.TypeName]int{}
	for _, name := range p.Pkg.Scope().Names() {
		fn, ok := p.Members[name].(*ssa.Function)
		if !ok || !fn.Object().Exported() || fn.Signature.TypeParams().Len() > 0 || fn.Signature.Results().Len() == 0 {
			continue
		}
		made := named(fn.Signature.Results().At(0).Type())
		if made == nil || made.Obj().Pkg() != p.Pkg {
			continue
		}
		r := 1
		switch {
		case slices.Contains(wanted, name):
			r = 3
		case strings.HasPrefix(name, "New"):
			r = 2
		}
		takes := slices.ContainsFunc(slices.Collect(fn.Signature.Params().Variables()), func(v *types.Var) bool { return leads(v.Type()) || isString(v.Type()) })
		if r > rank[made.Obj()] && (takes || r == 3) {
			rank[made.Obj()], f.news[made.Obj()] = r, fn
		}
	}
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.String
}

// named is the type, or that to which it points, when it has a name.
func named(t types.Type) *types.Named {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	n, _ := types.Unalias(t).(*types.Named)
	return n
}

// calls looks at the exported functions and methods of a package.
func (f *finder) calls(p *ssa.Package) {
	var list []*ssa.Function
	for _, name := range p.Pkg.Scope().Names() {
		switch m := p.Members[name].(type) {
		case *ssa.Function:
			if m.Object() != nil && m.Object().Exported() && !f.isNew(m) {
				list = append(list, m)
			}
		case *ssa.Type:
			n, ok := m.Type().(*types.Named)
			if !ok || !m.Object().Exported() || types.IsInterface(n) || n.TypeParams().Len() > 0 {
				continue
			}
			for method := range n.Methods() {
				if method.Exported() {
					list = append(list, f.prog.FuncValue(method))
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b *ssa.Function) int { return int(a.Pos() - b.Pos()) })
	for _, fn := range list {
		if fn == nil || fn.Signature.TypeParams().Len() > 0 {
			continue
		}
		switch function := fn.Object().(*types.Func); {
		case isInvariant(function):
			f.found.Invariants = append(f.found.Invariants, function)
		case !isProgram(function):
			f.root(fn)
		}
	}
}

// isProgram reports whether a function declares a program for txmc, and is none of the
// application's.
func isProgram(fn *types.Func) bool {
	params := fn.Type().(*types.Signature).Params()
	if params.Len() == 0 {
		return false
	}
	p, pointer := types.Unalias(params.At(0).Type()).(*types.Pointer)
	return pointer && types.TypeString(types.Unalias(p.Elem()), nil) == "github.com/txmc/txmc/program.Program"
}

func (f *finder) isNew(fn *ssa.Function) bool {
	for _, n := range f.news {
		if n == fn {
			return true
		}
	}
	return false
}

// root looks at one exported function.
func (f *finder) root(fn *ssa.Function) {
	function := fn.Object().(*types.Func)
	c := &Call{Package: function.Pkg().Path(), Name: function.Name(), At: f.position(fn.Pos()), Func: function}
	in := &interpreter{finder: f, params: map[string]*object{}, call: c}
	var args []*Value
	if recv := function.Type().(*types.Signature).Recv(); recv != nil {
		if n := named(recv.Type()); n != nil {
			c.Name = n.Obj().Name() + "." + c.Name
			made := f.news[n.Obj()]
			if made != nil {
				c.New = made.Object().(*types.Func)
			}
			args = append(args, in.receiver(made, recv.Type()))
		}
	}
	params := function.Type().(*types.Signature).Params()
	for i := range params.Len() {
		p := params.At(i)
		args = append(args, &Value{Op: Param, Type: p.Type(), Index: i, Path: p.Name()})
	}
	in.run(fn, args, nil, nil, false, fn.Pos())
	c.Transactions = slices.DeleteFunc(c.Transactions, func(t *Transaction) bool { return len(t.Statements) == 0 })
	if len(c.Transactions) > 0 {
		f.found.Calls = append(f.found.Calls, c)
	}
}

// receiver is what a constructor returns, as far as it is known.
func (in *interpreter) receiver(made *ssa.Function, typ types.Type) *Value {
	o := newObject(nil)
	if made != nil {
		scratch := &interpreter{finder: in.finder, params: in.params, call: &Call{}}
		var args []*Value
		for _, p := range made.Params {
			args = append(args, &Value{Op: Unknown, Type: p.Type()})
		}
		v := scratch.run(made, args, nil, nil, false, made.Pos())
		if v.Op == Tuple && len(v.Args) > 0 {
			v = v.Args[0]
		}
		if c, ok := in.target(v); ok {
			if _, pointed := typ.(*types.Pointer); pointed {
				return &Value{Op: Pointer, Type: typ, cell: c}
			}
			return &Value{Op: Struct, Type: typ, cell: c}
		}
	}
	if _, pointed := typ.(*types.Pointer); pointed {
		return pointer(o, typ)
	}
	return &Value{Op: Struct, Type: typ, cell: cell{o, ""}}
}
