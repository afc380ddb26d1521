package source

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Functions that open the database by themselves, of an address or a configuration.

// opening are the functions of libraries that open a database; others make one way to it of another one.
var opening = []string{"Open", "OpenDB", "MustOpen", "Connect", "ConnectContext", "MustConnect", "ConnectConfig", "New", "NewWithConfig", "NewEngine"}

// opener reports whether a function opens the database by itself: it calls what does, or another function of the
// module that is an opener.
func (f *finder) opener(fn *ssa.Function) bool {
	if known, ok := f.openers[fn]; ok {
		return known
	}
	f.openers[fn] = false // for recursions
	yes := slices.ContainsFunc(fn.AnonFuncs, f.opener)
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			c, ok := i.(ssa.CallInstruction)
			if !ok || yes {
				continue
			}
			if callee := c.Common().StaticCallee(); callee != nil {
				yes = f.opensDatabase(callee) || callee.Blocks != nil && callee.Pkg != nil && f.own[callee.Pkg.Pkg.Path()] && f.opener(callee)
			}
		}
	}
	f.openers[fn] = yes
	return yes
}

// opensDatabase reports whether a function of a library opens a database.
func (f *finder) opensDatabase(fn *ssa.Function) bool {
	m, ok := fn.Object().(*types.Func)
	if !ok || m.Pkg() == nil || fn.Signature.Recv() != nil || fn.Signature.Results().Len() == 0 || !slices.Contains(opening, m.Name()) {
		return false
	}
	result := fn.Signature.Results().At(0).Type()
	pkg, name := ofLibrary(result)
	return pkg == m.Pkg().Path() && name != "" && !types.IsInterface(result)
}
