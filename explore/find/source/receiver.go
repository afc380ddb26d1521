package source

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// What methods are called on: values that an exported function of the package makes. Its
// type may be one that is not exported, and the function's result an interface.

// maker is how values of a type are made.
type maker struct {
	fn    *ssa.Function
	rank  int
	iface *types.Interface // that fn returns; nil when it returns the type itself
}

// constructors finds how values of a package's types are made: by an exported function
// whose first result they are. One that was asked for comes before others, and one named
// New… before those.
func (f *finder) constructors(p *ssa.Package, wanted []string) {
	for _, name := range p.Pkg.Scope().Names() {
		fn, ok := p.Members[name].(*ssa.Function)
		if !ok || fn.Object() == nil || !f.visible(fn.Object()) || fn.Signature.TypeParams().Len() > 0 || fn.Signature.Results().Len() == 0 {
			continue
		}
		m := maker{fn: fn, rank: 2}
		switch {
		case slices.Contains(wanted, name):
			m.rank = 4
		case begins(name, "new") && fn.Signature.Params().Len() > 0:
			m.rank = 3
		}
		takes := slices.ContainsFunc(slices.Collect(fn.Signature.Params().Variables()), func(v *types.Var) bool { return leads(v.Type()) || isString(v.Type()) || f.layered(v.Type()) })
		takes = takes || begins(name, "new") && fn.Signature.Params().Len() == 0 // it may take it from a variable
		if !takes && m.rank < 4 {
			if m.rank = 1; !f.opener(fn) {
				continue
			}
		}
		made := f.makes(&m)
		if made != nil && made.Obj().Pkg() == p.Pkg && m.rank > f.news[made.Obj()].rank {
			f.news[made.Obj()] = m
		}
	}
}

// makes is the type of what a function returns. Of an interface it is the type of the
// value in it, or nil where that is not known.
func (f *finder) makes(m *maker) *types.Named {
	first := m.fn.Signature.Results().At(0).Type()
	if n := named(first); n != nil && !types.IsInterface(n) {
		return n
	}
	iface, ok := first.Underlying().(*types.Interface)
	if !ok || iface.NumMethods() == 0 || types.TypeString(first, nil) == "error" || leads(first) {
		return nil
	}
	v := f.interpreter(&Call{}).made(m.fn)
	if v.Op == Either {
		v = either(slices.DeleteFunc(slices.Clone(v.Args), func(a *Value) bool { return a.Op == Nil })...)
	}
	if v.Type == nil || types.IsInterface(v.Type) || v.Op == Either {
		return nil
	}
	m.iface = iface
	return named(v.Type)
}

// made is the first result of a function of which no argument is known.
func (in *interpreter) made(fn *ssa.Function) *Value {
	var args []*Value
	for _, p := range fn.Params {
		args = append(args, &Value{Op: Unknown, Type: p.Type()})
	}
	v := in.run(fn, args, nil, nil, false, fn.Pos())
	if v.Op == Tuple && len(v.Args) > 0 {
		v = v.Args[0]
	}
	return v
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

// receives reports whether methods of a type are calls: others can have values of it.
func (f *finder) receives(n *types.Named) bool {
	if n.TypeParams().Len() > 0 || types.IsInterface(n) {
		return false
	}
	return f.visible(n.Obj()) || f.news[n.Obj()].fn != nil
}

// methods lists the methods of a type that others can call, those of embedded types of the
// same package among them unless they are called on these.
func (f *finder) methods(n *types.Named) (list []*ssa.Function) {
	set := types.NewMethodSet(types.NewPointer(n))
	for s := range set.Methods() {
		m := s.Obj().(*types.Func)
		fn := f.prog.FuncValue(m)
		if fn == nil || !f.entry(fn) || !f.visible(n.Obj()) && !f.news[n.Obj()].has(m) {
			continue
		}
		if len(s.Index()) > 1 {
			on := named(m.Type().(*types.Signature).Recv().Type())
			if on == nil || types.IsInterface(on) || on.Obj().Pkg() != n.Obj().Pkg() || f.receives(on) {
				continue
			}
		}
		if fn := f.prog.MethodValue(s); fn != nil {
			list = append(list, fn)
		}
	}
	return list
}

// has reports whether a method can be called on what the function returns.
func (m maker) has(method *types.Func) bool {
	if m.fn == nil || m.iface == nil {
		return m.fn != nil
	}
	for i := range m.iface.Methods() {
		if i.Name() == method.Name() {
			return true
		}
	}
	return false
}

// receiver is what a constructor returns, as far as it is known.
func (in *interpreter) receiver(made *ssa.Function, typ types.Type) *Value {
	if made != nil {
		scratch := in.interpreter(&Call{})
		scratch.params = in.params
		v := scratch.made(made)
		for known := range scratch.call.Variables {
			if in.call.Variables == nil {
				in.call.Variables = map[*types.Var]bool{}
			}
			in.call.Variables[known] = true
		}
		if c, ok := in.target(v); ok {
			if _, pointed := typ.(*types.Pointer); pointed {
				return (&Value{Op: Pointer, Type: typ, cell: c}).of(v)
			}
			return (&Value{Op: Struct, Type: typ, cell: c}).of(v)
		}
	}
	o := newObject(nil)
	if _, pointed := typ.(*types.Pointer); pointed {
		return pointer(o, typ)
	}
	return &Value{Op: Struct, Type: typ, cell: cell{o, ""}}
}
