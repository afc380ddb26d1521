package vet

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// initialFunctions are the functions that stand in the initial values of
// package-level variables, such as tables of sessions.
func initialFunctions(in Input, prog *ssa.Program, funcs []*ssa.Function) map[types.Object][]*ssa.Function {
	literals := map[token.Pos]*ssa.Function{}
	for _, f := range funcs {
		if lit, ok := f.Syntax().(*ast.FuncLit); ok {
			literals[lit.Pos()] = f
		}
	}
	all := map[types.Object][]*ssa.Function{}
	for _, file := range in.Files {
		for _, d := range file.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.VAR {
				continue
			}
			for _, spec := range decl.Specs {
				spec := spec.(*ast.ValueSpec)
				list := functionsUnder(in, prog, literals, spec.Values)
				for _, name := range spec.Names {
					all[in.Info.Defs[name]] = list
				}
			}
		}
	}
	return all
}

func functionsUnder(in Input, prog *ssa.Program, literals map[token.Pos]*ssa.Function, values []ast.Expr) []*ssa.Function {
	var list []*ssa.Function
	called := map[ast.Expr]bool{}
	for _, v := range values {
		ast.Inspect(v, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				// It is called once, before anything is explored.
				fun := ast.Unparen(n.Fun)
				if sel, ok := fun.(*ast.SelectorExpr); ok {
					fun = sel.Sel
				}
				called[fun] = true
			case *ast.FuncLit:
				if f := literals[n.Pos()]; f != nil && !called[n] {
					list = append(list, f)
				}
				return false
			case *ast.Ident:
				if obj, ok := in.Info.Uses[n].(*types.Func); ok && obj.Pkg() == in.Pkg && !called[n] {
					if f := prog.FuncValue(obj); f != nil {
						list = append(list, f)
					}
				}
			}
			return true
		})
	}
	return list
}
