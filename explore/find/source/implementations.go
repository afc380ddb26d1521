package source

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// What is behind an interface: a repository, and often a mock of it beside.

// implementations are the methods of the value in an interface: that of the type which is known to be there, or those of
// the types of the module that can be. Of several, those count that lead to the database, as they have what leads there.
// If none is known to, all but mocks count; what is left out is told where it may matter.
func (f *frame) implementations(v *Value, iface types.Type, m *types.Func, pos token.Pos) (list []*ssa.Function) {
	if v.Type != nil && !types.IsInterface(v.Type) {
		if s := f.prog.MethodSets.MethodSet(v.Type).Lookup(m.Pkg(), m.Name()); s != nil {
			if fn := f.prog.MethodValue(s); fn != nil {
				list = append(list, fn)
			}
		}
		return list // none behind an assertion that does not hold
	}
	under, ok := iface.Underlying().(*types.Interface)
	if !ok || under.NumMethods() == 0 {
		return nil
	}
	can := slices.DeleteFunc(slices.Clone(f.types), func(t types.Type) bool { return !types.Implements(t, under) })
	if len(can) > 1 {
		can = slices.DeleteFunc(can, isMock)
	}
	if stores := slices.DeleteFunc(slices.Clone(can), func(t types.Type) bool { return !f.stores(t, 0) }); len(can) > 1 && len(stores) > 0 {
		can = stores
	}
	if len(can) > mostImplementations {
		f.unknown(pos, fmt.Sprintf("%d types implement %s, and none is followed", len(can), types.TypeString(iface, types.RelativeTo(m.Pkg()))))
		return nil
	}
	for _, t := range can {
		if fn := f.prog.LookupMethod(t, m.Pkg(), m.Name()); fn != nil {
			list = append(list, fn)
		}
	}
	return list
}

// mostImplementations bounds the types behind an interface that are followed: with more it is none of a repository.
const mostImplementations = 3

// isMock reports whether a type takes the place of another one in tests, by its name or its package's.
func isMock(t types.Type) bool {
	n := named(t)
	if n == nil || n.Obj().Pkg() == nil {
		return false
	}
	for _, name := range []string{n.Obj().Name(), n.Obj().Pkg().Path()} {
		for _, word := range []string{"mock", "fake", "stub", "dummy", "inmem", "noop"} {
			if strings.Contains(strings.ToLower(name), word) {
				return true
			}
		}
	}
	return false
}

// stores reports whether a struct has what leads to the database, in a field or in a field's.
func (f *finder) stores(t types.Type, depth int) bool {
	n := named(t)
	if n == nil || depth > 3 {
		return false
	}
	s, ok := n.Underlying().(*types.Struct)
	return ok && slices.ContainsFunc(slices.Collect(s.Fields()), func(v *types.Var) bool {
		return leads(v.Type()) || f.stores(v.Type(), depth+1)
	})
}
