package load

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A package main cannot be imported. One of them, whose code speaks to a database, is seen by the go command under another name,
// in an overlay: that can be, and what is generated is a file of it, so that it may use what is not exported.

// speaking are what the paths of packages begin with that speak to databases.
var speaking = []string{
	"database/sql", "github.com/jackc/pgx", "github.com/jmoiron/sqlx", "gorm.io/gorm", "github.com/jinzhu/gorm", "github.com/uptrace/bun", "xorm.io/xorm",
	"github.com/go-xorm/xorm", "github.com/go-pg/pg", "github.com/lib/pq", "github.com/go-sql-driver/mysql",
}

// sending matches code that sends statements: texts of SQL, and methods of gorm and bun.
var sending = regexp.MustCompile("[\"`]\\s*(?i:SELECT|INSERT\\s+INTO|UPDATE|DELETE\\s+FROM)\\s|\\.(?:First|Create|Save|Updates|Find|NewSelect|NewInsert|NewUpdate)\\(")

// program is the largest package main of some that speaks to a database, and may be overlaid; nil if none does.
func (s *Source) program(listed []*packages.Package) (largest *packages.Package) {
	size := int64(0)
	for _, p := range listed {
		speaks := false
		for path := range p.Imports {
			speaks = speaks || slices.ContainsFunc(speaking, func(l string) bool { return path == l || strings.HasPrefix(path, l+"/") })
		}
		if p.Name != "main" || !speaks || !s.tool.mayOverlay(p) || firstError(p) != nil {
			continue
		}
		n, sends := int64(0), false
		for _, file := range p.GoFiles {
			text, err := os.ReadFile(file)
			if err == nil {
				n += int64(len(text))
				sends = sends || sending.Match(text)
			}
		}
		if sends && n > size {
			largest, size = p, n
		}
	}
	return largest
}

// renamed has the go command see the files of a package main as those of another one.
func (s *Source) renamed(p *packages.Package) error {
	name := "program" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(filepath.Base(p.Dir)))
	for _, file := range p.GoFiles {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		syntax, err := parser.ParseFile(fset, file, text, parser.PackageClauseOnly)
		if err != nil {
			return err
		}
		at := fset.Position(syntax.Name.Pos()).Offset
		changed := slices.Concat(text[:at], []byte(name), bytes.TrimPrefix(text[at:], []byte("main")))
		written, err := s.tool.write("program-*.go", changed)
		if err != nil {
			return err
		}
		s.tool.overlay[file] = written
	}
	s.Program, s.tool.renames = p.PkgPath, true
	return nil
}

// parsed parses a file as the go command sees it.
func (t *tool) parsed(fset *token.FileSet, name string, text []byte) (*ast.File, error) {
	if over := t.overlay[name]; t.renames && over != "" && filepath.Dir(over) == t.temp {
		if changed, err := os.ReadFile(over); err == nil {
			text = changed
		}
	}
	return parser.ParseFile(fset, name, text, parser.AllErrors|parser.ParseComments)
}
