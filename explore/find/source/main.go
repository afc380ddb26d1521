package source

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// The package main of which generated files are a part: what it does not export can be used, and its functions that nothing
// calls are calls.

// programming is what is known of it, and of functions that programs give to routers.
type programming struct {
	called   map[*ssa.Function]bool // functions of the package main that others call
	handlers []root                 // functions that handle requests
}

// visible reports whether generated files can name what a package declares.
func (f *finder) visible(o types.Object) bool {
	return o.Exported() || o.Pkg() != nil && o.Pkg().Path() == f.source.Program
}

// entry reports whether a function is one that others call: it is exported, or it is the program's, and handles requests, or is
// called by main alone.
func (f *finder) entry(fn *ssa.Function) bool {
	o := fn.Object()
	if o == nil || o.Name() == "main" || o.Name() == "init" {
		return false
	}
	return o.Exported() || f.visible(o) && (handles(fn) || !f.called[fn])
}

// callers notes the functions of the program that others than main call.
func (f *finder) callers() {
	f.called = map[*ssa.Function]bool{}
	for _, p := range f.source.All {
		if p.PkgPath != f.source.Program {
			continue
		}
		pkg := f.prog.Package(p.Types)
		for _, m := range pkg.Members {
			switch m := m.(type) {
			case *ssa.Function:
				f.calledBy(m)
			case *ssa.Type:
				if n, ok := m.Type().(*types.Named); ok {
					for method := range n.Methods() {
						f.calledBy(f.prog.FuncValue(method))
					}
				}
			}
		}
	}
}

// calledBy notes the functions that one calls, and those that it declares.
func (f *finder) calledBy(fn *ssa.Function) {
	if fn == nil || fn.Name() == "main" && fn.Parent() == nil {
		return
	}
	for _, inner := range fn.AnonFuncs {
		f.calledBy(inner)
	}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if c, ok := i.(ssa.CallInstruction); ok && c.Common().StaticCallee() != nil {
				f.called[c.Common().StaticCallee()] = true
			}
		}
	}
}
