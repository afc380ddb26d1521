package source

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// unreached notes the functions of a package that send statements and were not looked at:
// no exported function leads to them. What only checks lead to is no part of a transaction.
func (f *finder) unreached(p *ssa.Package) {
	for _, m := range p.Members {
		if fn, ok := m.(*ssa.Function); ok && isCheck(fn) {
			f.leadsTo(fn, p)
		}
	}
	for _, m := range p.Members {
		switch m := m.(type) {
		case *ssa.Function:
			f.notLooked(m, m)
		case *ssa.Type:
			n, ok := m.Type().(*types.Named)
			if !ok || types.IsInterface(n) {
				continue
			}
			for method := range n.Methods() {
				if fn := f.prog.FuncValue(method); fn != nil {
					f.notLooked(fn, fn)
				}
			}
		}
	}
}

// notLooked notes a function with statements, declared in top or top itself, that was not
// looked at; if it was, so are those declared in it.
func (f *finder) notLooked(fn, top *ssa.Function) {
	if !f.looked[fn] && !f.instance(fn) {
		if n := sendsOf(fn); n > 0 {
			f.unknown(fn.Pos(), unreachedReason(fn, top, n))
		}
	}
	for _, inner := range fn.AnonFuncs {
		f.notLooked(inner, top)
	}
}

// instance reports whether an instance of a generic function was looked at.
func (f *finder) instance(fn *ssa.Function) bool {
	for other := range f.looked {
		if other.Origin() == fn {
			return true
		}
	}
	return false
}

// isCheck reports whether a function declares a program or is an invariant.
func isCheck(fn *ssa.Function) bool {
	o, ok := fn.Object().(*types.Func)
	return ok && (isProgram(o) || isInvariant(o))
}

// leadsTo marks a function and those of a package that it calls or declares as looked at.
func (f *finder) leadsTo(fn *ssa.Function, p *ssa.Package) {
	declared := fn
	if fn.Origin() != nil {
		declared = fn.Origin()
	}
	if f.looked[fn] || declared.Pkg != p {
		return
	}
	f.looked[fn] = true
	for _, inner := range fn.AnonFuncs {
		f.leadsTo(inner, p)
	}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if c, ok := i.(ssa.CallInstruction); ok && c.Common().StaticCallee() != nil {
				f.leadsTo(c.Common().StaticCallee(), p)
			}
		}
	}
}

func unreachedReason(fn, top *ssa.Function, n int) string {
	what := fmt.Sprintf("%d statements are not looked at", n)
	if n == 1 {
		what = "a statement is not looked at"
	}
	name := strings.TrimPrefix(top.RelString(top.Pkg.Pkg), ".")
	switch {
	case fn != top:
		return what + ": nothing that is looked at calls this function"
	case top.TypeParams().Len() > 0 || top.Signature.RecvTypeParams().Len() > 0:
		return fmt.Sprintf("%s: %s is generic, and no exported function that is not calls it", what, name)
	}
	return fmt.Sprintf("%s: no exported function, or method of what one makes, leads to %s", what, name)
}

// sendsOf counts the calls of a function that send statements.
func sendsOf(fn *ssa.Function) (n int) {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if c, ok := i.(ssa.CallInstruction); ok && sender(c.Common()) {
				n++
			}
		}
	}
	return n
}

// sender reports whether a call is that of a method which sends a statement.
func sender(c *ssa.CallCommon) bool {
	m, on := c.Method, c.Value.Type()
	if !c.IsInvoke() {
		fn := c.StaticCallee()
		if fn == nil || fn.Signature.Recv() == nil {
			return false
		}
		m, _ = fn.Object().(*types.Func)
		on = fn.Signature.Recv().Type()
	}
	return m != nil && slices.Contains(senders, m.Name()) && leads(on)
}
