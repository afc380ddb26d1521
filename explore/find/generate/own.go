package generate

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
)

// Files that are a part of a package main of the application: they can name what it does not export, and have no name that it has.

// ownName stands for the package in code, until the end.
const ownName = "txmcown"

// within reports whether the file is a part of a package.
func (f *File) within(p *types.Package) bool {
	return f.Own != nil && p != nil && p.Path() == f.Own.Path()
}

// named reports whether the file can name what a package declares.
func (f *File) named(o types.Object) bool { return o.Exported() || f.within(o.Pkg()) }

// Within makes the file a part of a package.
func (f *File) Within(p *types.Package) {
	f.Own, f.Package = p, p.Name()
	for _, name := range p.Scope().Names() {
		f.used[name] = true
	}
}

// language has the compiler take the file for one of a newer language than the application's.
func (f *File) language() string {
	if f.Own == nil {
		return ""
	}
	return "//go:build go1.23\n\n"
}

// apart is code whose declarations have no name that the package has.
func (f *File) apart(code string) (string, error) {
	if f.Own == nil {
		return code, nil
	}
	const head = "package p\n"
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", head+code, parser.ParseComments)
	if err != nil {
		return "", err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if ok && id.Obj != nil && file.Scope.Lookup(id.Name) == id.Obj && f.Own.Scope().Lookup(id.Name) != nil {
			id.Name = "txmc_" + id.Name
			return true
		}
		return true
	})
	var b bytes.Buffer
	if err := format.Node(&b, fset, file); err != nil {
		return "", err
	}
	return strings.TrimPrefix(b.String(), head), nil
}
