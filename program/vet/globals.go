package vet

import (
	"fmt"

	"golang.org/x/tools/go/ssa"
)

// globals finds writes to package-level variables.
func (x *inspection) globals(in ssa.Instruction) []Source {
	var list []Source
	for _, w := range x.writes(in) {
		for _, r := range x.roots(w) {
			g, ok := r.Value.(*ssa.Global)
			if !ok || g.Object() == nil { // guards of initialisation have none
				continue
			}
			name := g.Name()
			if g.Pkg != nil && g.Pkg.Pkg != x.pkg {
				name = g.Pkg.Pkg.Name() + "." + name
			}
			list = append(list, Source{Check: global, Problem: Problem{
				fmt.Sprintf("this changes the package-level variable %s", name),
				"it keeps its value from run to run, and exploration stops with an error where an operation of the session depends on it",
				"declare it in the Explore function or in the session, or make it a txmc.Var",
			}})
		}
	}
	return list
}
