package source

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	scripts "github.com/txmc/txmc/program/rows"
)

// Files that variables embed, as texts or as an embed.FS: statements and schemas are in them.

// embedded reads the files that a package embeds.
func (f *finder) embedded(p *packages.Package) {
	for _, file := range p.Syntax {
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, spec := range g.Specs {
				v := spec.(*ast.ValueSpec)
				doc := v.Doc
				if doc == nil {
					doc = g.Doc
				}
				dir := filepath.Dir(f.source.Fset.Position(file.Pos()).Filename)
				if texts := embeddedTexts(dir, embeds(doc)); len(texts) > 0 && len(v.Names) == 1 {
					f.embeds[p.TypesInfo.Defs[v.Names[0]]] = texts
				}
			}
		}
	}
}

// embeds are the patterns of files that a comment embeds.
func embeds(doc *ast.CommentGroup) (patterns []string) {
	if doc == nil {
		return nil
	}
	for _, c := range doc.List {
		rest, ok := strings.CutPrefix(c.Text, "//go:embed ")
		for _, word := range strings.Fields(rest) {
			if name, err := strconv.Unquote(word); err == nil {
				word = name
			}
			if ok {
				patterns = append(patterns, strings.TrimPrefix(word, "all:"))
			}
		}
	}
	return patterns
}

// embeddedTexts are the texts of the files in a directory that patterns name: of directories and patterns those of
// SQL, without the ways back.
func embeddedTexts(dir string, patterns []string) (texts []string) {
	for _, p := range patterns {
		list, err := scripts.Migrations(filepath.Join(dir, filepath.FromSlash(p)))
		if err != nil {
			continue // the compiler says what is wrong, or there is no SQL
		}
		for _, s := range list {
			texts = append(texts, s.Text)
		}
	}
	return texts
}
