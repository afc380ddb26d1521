package source

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Package-level variables that lead to the database: a program sets them before it makes a call.

// mentions notes that the call uses a variable, where that leads to the database.
func (f *frame) mentions(g *ssa.Global) {
	v, ok := g.Object().(*types.Var)
	if !ok || !f.own[g.Pkg.Pkg.Path()] || !leads(v.Type()) {
		return
	}
	switch _, name := ofLibrary(v.Type()); name {
	case "Tx", "Stmt", "Rows", "Row", "Result":
		return
	}
	if f.call.Variables == nil {
		f.call.Variables = map[*types.Var]bool{}
	}
	f.call.Variables[v] = true
}

// Sets are the variables of a call in the order of their packages and names.
func (c *Call) Sets() []*types.Var {
	return slices.SortedFunc(maps.Keys(c.Variables), func(a, b *types.Var) int { return strings.Compare(VariableName(a), VariableName(b)) })
}

// VariableName is the name of a variable with its package's path.
func VariableName(v *types.Var) string { return v.Pkg().Path() + "." + v.Name() }
