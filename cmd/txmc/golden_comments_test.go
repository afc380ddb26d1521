package main_test

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What the example programs say of themselves in their comments.

// TestExampleComments compares the levels in each package's comment with the
// table, and the table with the functions that there are.
func TestExampleComments(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "testdata", "*", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]map[string]int{}
	for _, name := range files {
		pkg := filepath.Base(filepath.Dir(name))
		switch inSQL := strings.HasPrefix(pkg, "sql"); {
		case pkg == "databases": // TestDatabases has its own table
			continue
		case filepath.Base(name) == source(pkg):
		case inSQL: // an application has several files
			continue
		default:
			t.Errorf("%s: an example is one file, named after its package", name)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		said[pkg] = map[string]int{}
		comment := levelLine.FindAllStringSubmatch(file.Doc.Text(), -1)
		for _, m := range comment {
			broken, held := levelList(m[2]), levelList(m[3])
			if !slices.Equal(slices.Concat(broken, held), allLevels) {
				t.Errorf("%s: the comment on %s does not split %v in two", name, m[1], allLevels)
			}
			said[pkg][m[1]] = len(broken)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(f.Name.Name, "Explore") {
				continue
			}
			if _, ok := said[pkg][f.Name.Name]; !ok {
				t.Errorf("%s: the package comment does not list the levels of %s", name, f.Name.Name)
			}
		}
	}
	if diff := cmp.Diff(examples, said); diff != "" {
		t.Errorf("package comments and the table of examples differ (-table +comments):\n%s", diff)
	}
}

var levelLine = regexp.MustCompile(`(?m)^\t(Explore\w+): (?:breaks at ([a-z, ]+))?(?:; )?(?:holds at ([a-z, ]+))?$`)

func levelList(s string) []string {
	switch s {
	case "":
		return nil
	case "all":
		return allLevels
	}
	return strings.Split(s, ", ")
}

// TestExampleCode formats and vets the examples: "go vet ./..." passes over
// directories named testdata.
func TestExampleCode(t *testing.T) {
	t.Parallel()
	for pkg := range examples {
		name := filepath.Join(root, "testdata", pkg, source(pkg))
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		formatted, err := format.Source(src)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(src, formatted) {
			t.Errorf("%s is not formatted", name)
		}
	}
	vet := exec.Command("go", "vet", "./...")
	vet.Dir = filepath.Join(root, "testdata")
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
}
