package vet

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
)

// Where select repeats itself, nobody says that it chooses at random.
func TestSelectRepeats(t *testing.T) {
	t.Parallel()
	list, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, Dir: filepath.Join(clients(t), "concurrency")}, ".")
	if err != nil || len(list) != 1 || len(list[0].Errors) > 0 {
		t.Fatal(err, list)
	}
	for _, repeats := range []bool{false, true} {
		var said []string
		inspect := &analysis.Analyzer{Name: "inspect", Doc: "for tests", Run: func(pass *analysis.Pass) (any, error) {
			r, err := Inspect(Input{Fset: pass.Fset, Files: pass.Files, Pkg: pass.Pkg, Info: pass.TypesInfo, Repeats: repeats,
				Imported: func(string) *Facts { return nil }})
			if err != nil {
				return nil, err
			}
			for _, f := range r.Findings {
				if f.What == "this is a select" {
					said = append(said, f.Effect)
				}
			}
			return nil, nil
		}}
		g, err := checker.Analyze([]*analysis.Analyzer{inspect}, list, nil)
		if err != nil || g.Roots[0].Err != nil {
			t.Fatal(err, g.Roots[0].Err)
		}
		if len(said) != 1 || strings.Contains(said[0], "at random") == repeats {
			t.Errorf("repeats %v: %q", repeats, said)
		}
	}
}
