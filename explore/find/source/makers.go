package source

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Constructors in layers: what a service is made of is made by a function too, which is given the database, or
// another such value.

// layers finds the exported functions of the module's packages that make values which lead to the database: they
// take what does, or what another of them makes.
func (f *finder) layers() {
	for more := true; more; {
		more = false
		for _, p := range f.source.All {
			pkg := f.prog.Package(p.Types)
			if pkg == nil || p.Name == "main" {
				continue
			}
			for _, name := range p.Types.Scope().Names() {
				if fn, ok := pkg.Members[name].(*ssa.Function); ok && !slices.Contains(f.makers, fn) && f.isLayer(fn) {
					f.makers, more = append(f.makers, fn), true
				}
			}
		}
	}
	for _, fn := range f.makers {
		f.found.Makers = append(f.found.Makers, fn.Object().(*types.Func))
	}
}

// isLayer reports whether a function makes such a value, and perhaps an error.
func (f *finder) isLayer(fn *ssa.Function) bool {
	sig := fn.Signature
	n := sig.Results().Len()
	if fn.Object() == nil || !fn.Object().Exported() || sig.Recv() != nil || sig.TypeParams().Len() > 0 || n == 0 || n > 2 || n == 2 && types.TypeString(sig.Results().At(1).Type(), nil) != "error" {
		return false
	}
	first := sig.Results().At(0).Type()
	if leads(first) || named(first) == nil || types.TypeString(first, nil) == "error" || !strings.HasPrefix(fn.Name(), "New") && !strings.HasPrefix(fn.Name(), "Open") && !holds(first) {
		return false
	}
	return slices.ContainsFunc(slices.Collect(sig.Params().Variables()), func(v *types.Var) bool { return leads(v.Type()) || f.layered(v.Type()) })
}

// holds reports whether a type is a struct, or a pointer to one, with a field that leads to the database.
func holds(t types.Type) bool {
	s, ok := named(t).Underlying().(*types.Struct)
	return ok && slices.ContainsFunc(slices.Collect(s.Fields()), func(v *types.Var) bool { return leads(v.Type()) })
}

// layered reports whether a function makes a value of a type that leads to the database.
func (f *finder) layered(t types.Type) bool {
	return slices.ContainsFunc(f.makers, func(m *ssa.Function) bool { return Makes(m.Object().(*types.Func), t) })
}

// Makes reports whether a function's first result can be a value of a type, which says more than that it is a value.
func Makes(fn *types.Func, t types.Type) bool {
	if i, ok := t.Underlying().(*types.Interface); ok && i.NumMethods() == 0 {
		return false
	}
	return types.AssignableTo(fn.Type().(*types.Signature).Results().At(0).Type(), t)
}
