package vet

import (
	"go/ast"
	"go/token"
	"slices"
)

// Ignored returns the lines of a file on which a comment silences the check of
// that name.
func Ignored(fset *token.FileSet, file *ast.File, check string) map[int]bool {
	lines := map[int]bool{}
	for _, byLine := range ignores(fset, []*ast.File{file}) {
		for line, names := range byLine {
			lines[line] = slices.Contains(names, check) || slices.Contains(names, all)
		}
	}
	return lines
}
