package source

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// root is an exported function or method, and the type on which it is called.
type root struct {
	fn *ssa.Function
	on *types.Named // nil for a function
}

// calls looks at the exported functions and methods of a package.
func (f *finder) calls(p *ssa.Package) {
	var list []root
	for _, name := range p.Pkg.Scope().Names() {
		switch m := p.Members[name].(type) {
		case *ssa.Function:
			if m.Object() != nil && m.Object().Exported() && m.Signature.TypeParams().Len() == 0 && !f.isNew(m) {
				list = append(list, root{m, nil})
			}
		case *ssa.Type:
			if n, ok := m.Type().(*types.Named); ok && f.receives(n) {
				for _, fn := range f.methods(n) {
					list = append(list, root{fn, n})
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b root) int { return int(a.fn.Pos() - b.fn.Pos()) })
	for _, r := range list {
		switch function := r.fn.Object().(*types.Func); {
		case isInvariant(function):
			f.found.Invariants = append(f.found.Invariants, function)
		case !isProgram(function):
			f.root(r)
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
	for _, m := range f.news {
		if m.fn == fn {
			return true
		}
	}
	return false
}

// root looks at one exported function.
func (f *finder) root(r root) {
	function := r.fn.Object().(*types.Func)
	c := &Call{Package: function.Pkg().Path(), Name: function.Name(), At: f.position(function.Pos()), Func: function}
	in := f.interpreter(c)
	var args []*Value
	if recv := r.fn.Signature.Recv(); recv != nil {
		c.Name, c.On = r.on.Obj().Name()+"."+c.Name, recv.Type()
		made := f.news[r.on.Obj()]
		if made.has(function) {
			c.New = made.fn.Object().(*types.Func)
		}
		args = append(args, in.receiver(made.fn, recv.Type()))
	}
	params := function.Type().(*types.Signature).Params()
	for i := range params.Len() {
		p := params.At(i)
		args = append(args, &Value{Op: Param, Type: p.Type(), Index: i, Path: p.Name()})
	}
	in.run(r.fn, args, nil, nil, false, function.Pos())
	c.Transactions = slices.DeleteFunc(c.Transactions, func(t *Transaction) bool { return len(t.Statements) == 0 })
	if len(c.Open) > 0 {
		f.found.Open = append(f.found.Open, c)
	}
	if len(c.Transactions) > 0 {
		f.found.Calls = append(f.found.Calls, c)
	}
}
