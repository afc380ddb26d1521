package txmc_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// named is a function, a type or a method in a line of the table of definitions: next,
// Engine.explore, semantics.History.So.
var named = regexp.MustCompile(`^\w+(\.\w+)*$`)

// inRooms are the packages whose names the table says.
var inRooms = map[string]string{"semantics": "semantics", "reference": "isolation/reference"}

// The table of the paper's definitions in the package comment of dpor/swap names what the code has.
func TestDefinitions(t *testing.T) {
	t.Parallel()
	f, err := parser.ParseFile(token.NewFileSet(), "dpor/swap/explore_ce.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	found := declared(t)
	var lines int
	for line := range strings.Lines(f.Doc.Text()) {
		definition, code, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !ok || !strings.HasPrefix(line, "\t") {
			continue
		}
		lines++
		words := strings.FieldsFunc(code, func(r rune) bool { return strings.ContainsRune(" ,;:", r) })
		if !slices.ContainsFunc(words, func(w string) bool { return found[w] }) && definition != "swapped" {
			t.Errorf("%s: nothing of %q is declared", definition, strings.TrimSpace(code))
		}
		for _, w := range words {
			if named.MatchString(w) && strings.Contains(w, ".") && !strings.HasSuffix(w, ".go") && !found[w] {
				t.Errorf("%s: %s is not declared", definition, w)
			}
		}
	}
	for _, definition := range []string{"so, wr", "causal past", "oracle order, Next", "ValidWrites", "ComputeReorderings", "Swap", "swapped", "readLatest", "Optimality", "explore-ce*", "axioms"} {
		if !strings.Contains(f.Doc.Text(), definition) {
			t.Errorf("the table has no %s", definition)
		}
	}
	if lines < 12 {
		t.Errorf("the table has %d lines", lines)
	}
}

// declared are the functions, types and methods of dpor/swap, and of the other packages of the table
// with the package's name.
func declared(t *testing.T) map[string]bool {
	found := map[string]bool{}
	for file, n := range declarations(t) {
		dir, prefix := directory(file), ""
		for name, of := range inRooms {
			if dir == of {
				prefix = name + "."
			}
		}
		if prefix == "" && dir != "dpor/swap" {
			continue
		}
		switch n := n.(type) {
		case *ast.TypeSpec:
			found[prefix+n.Name.Name] = true
		case *ast.FuncDecl:
			found[prefix+receiver(n)+n.Name.Name] = true
		}
	}
	return found
}

// receiver is the type of a method, and a dot; "" of a function.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	of := f.Recv.List[0].Type
	if p, ok := of.(*ast.StarExpr); ok {
		of = p.X
	}
	if id, ok := of.(*ast.Ident); ok {
		return id.Name + "."
	}
	return ""
}
