package vet

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// directive begins a comment that silences checks, such as
//
//	//txmc:ignore clock,random they only go to the log
//
// at the end of the finding's line or on a line of its own before it. Without names it silences
// all of them.
const directive = "//txmc:ignore"

// all stands for every check.
const all = "*"

// ignores finds the directives, by file and line.
func ignores(fset *token.FileSet, files []*ast.File) map[string]map[int][]string {
	found := map[string]map[int][]string{}
	for _, file := range files {
		for _, group := range file.Comments {
			for _, c := range group.List {
				rest, ok := strings.CutPrefix(c.Text, directive)
				if !ok || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
					continue
				}
				names := []string{all}
				if words := strings.Fields(rest); len(words) > 0 {
					names = strings.Split(words[0], ",")
				}
				p := fset.Position(c.Pos())
				if found[p.Filename] == nil {
					found[p.Filename] = map[int][]string{}
				}
				line := p.Line
				if !code(fset, file, c) {
					line++
				}
				found[p.Filename][line] = append(found[p.Filename][line], names...)
			}
		}
	}
	return found
}

// ignores reports whether a check is silenced at a place.
func (x *inspection) ignores(check string, pos token.Pos) bool {
	p := x.Fset.Position(pos)
	names := x.ignored[p.Filename][p.Line]
	return slices.Contains(names, check) || slices.Contains(names, all)
}

// code reports whether there is code before a comment on its line.
func code(fset *token.FileSet, file *ast.File, c *ast.Comment) bool {
	line, found := fset.Position(c.Pos()).Line, false
	ast.Inspect(file, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.Comment, *ast.CommentGroup:
			return false
		}
		if n.Pos() < c.Pos() && (fset.Position(n.Pos()).Line == line || n.End() <= c.Pos() && fset.Position(n.End()).Line == line) {
			found = true
		}
		return !found && n.Pos() < c.Pos()
	})
	return found
}
