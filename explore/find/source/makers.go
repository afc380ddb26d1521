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
			if pkg == nil || p.Name == "main" || !f.source.Importable(p.PkgPath) {
				continue
			}
			for _, name := range p.Types.Scope().Names() {
				if fn, ok := pkg.Members[name].(*ssa.Function); ok && !slices.Contains(f.makers, fn) && f.isLayer(fn) {
					f.makers, more = append(f.makers, fn), true
				}
			}
		}
	}
	for _, t := range f.types {
		if f.stores(t, 0) && !isMock(t) {
			f.found.Stores = append(f.found.Stores, t)
		}
	}
	slices.SortStableFunc(f.makers, func(a, b *ssa.Function) int { return last(f.opener(a)) - last(f.opener(b)) })
	for _, fn := range f.makers {
		f.found.Makers = append(f.found.Makers, fn.Object().(*types.Func))
	}
}

// migrators finds the functions that make receivers, or what these are made of, and the schema before.
func (f *finder) migrators() {
	all := slices.Clone(f.makers)
	for _, m := range f.news {
		all = append(all, m.fn)
	}
	for _, fn := range all {
		if o, ok := fn.Object().(*types.Func); ok && !slices.Contains(f.found.Migrators, o) && f.migrates(fn) {
			f.found.Migrators = append(f.found.Migrators, o)
		}
	}
	slices.SortFunc(f.found.Migrators, func(a, b *types.Func) int { return int(a.Pos() - b.Pos()) })
}

// isLayer reports whether a function makes such a value, and perhaps an error and what gives it back.
func (f *finder) isLayer(fn *ssa.Function) bool {
	sig := fn.Signature
	if fn.Object() == nil || !f.visible(fn.Object()) || sig.Recv() != nil || sig.TypeParams().Len() > 0 || Taken(sig) == "" {
		return false
	}
	first := sig.Results().At(0).Type()
	if leads(first) || named(first) == nil || types.TypeString(first, nil) == "error" || !begins(fn.Name(), "new") && !begins(fn.Name(), "open") && !holds(first) {
		return false
	}
	return slices.ContainsFunc(slices.Collect(sig.Params().Variables()), func(v *types.Var) bool { return leads(v.Type()) || f.layered(v.Type()) }) || (holds(first) || f.wraps(first)) && f.opener(fn)
}

// begins reports whether a name begins with a word, exported or not.
func begins(name, word string) bool { return strings.HasPrefix(strings.ToLower(name), word) }

// wraps reports whether a type of the module that leads to the database satisfies an interface, which is the application's
// own way there.
func (f *finder) wraps(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && i.NumMethods() > 0 && slices.ContainsFunc(f.types, func(s types.Type) bool { return types.Implements(s, i) && f.stores(s, 0) })
}

// last orders what is true behind what is not.
func last(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// Taken is the function of generated files that takes the value of what a maker returns: a value, and perhaps a function that
// gives it back, and an error. It is "" where it returns something else, and "only" where it returns the value alone.
func Taken(sig *types.Signature) string {
	var rest []string
	for i := 1; i < sig.Results().Len(); i++ {
		switch t := sig.Results().At(i).Type(); t.Underlying().(type) {
		case *types.Signature:
			rest = append(rest, "func")
		default:
			rest = append(rest, types.TypeString(t, nil))
		}
	}
	switch all := strings.Join(rest, " "); {
	case sig.Results().Len() == 0:
		return ""
	case all == "":
		return "only"
	case all == "error":
		return "must"
	case all == "func":
		return "first"
	case all == "func error":
		return "mustFirst"
	}
	return ""
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
