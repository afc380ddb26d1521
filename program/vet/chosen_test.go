package vet

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
)

// With one program chosen, only what that program calls is looked at, though all of them hand their
// functions to the same helper.
func TestChosen(t *testing.T) {
	t.Parallel()
	dir := clients(t)
	list, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, Dir: filepath.Join(dir, "chosen")}, ".")
	if err != nil || len(list) != 1 || len(list[0].Errors) > 0 {
		t.Fatal(err, list)
	}
	for name, want := range map[string][]string{
		"ExploreRead": {"os.ReadFile"}, "ExploreWrite": {"os.WriteFile"}, "ExploreHook": {"os.Remove"}, "ExploreNothing": nil,
	} {
		only := &analysis.Analyzer{Name: "only", Doc: "for tests", Run: func(pass *analysis.Pass) (any, error) {
			r, err := Inspect(Input{Fset: pass.Fset, Files: pass.Files, Pkg: pass.Pkg, Info: pass.TypesInfo, Only: []string{name},
				Imported: func(string) *Facts { return nil }})
			if err != nil {
				return nil, err
			}
			for _, f := range r.Findings {
				pass.Report(analysis.Diagnostic{Pos: f.Pos, Message: f.Text()})
			}
			return nil, nil
		}}
		g, err := checker.Analyze([]*analysis.Analyzer{only}, list, nil)
		if err != nil || g.Roots[0].Err != nil {
			t.Fatal(err, g.Roots[0].Err)
		}
		var got []string
		for _, d := range g.Roots[0].Diagnostics {
			if word, _, _ := strings.Cut(d.Message, " "); strings.HasPrefix(word, "os.") {
				got = append(got, word)
			}
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s: %s, want %s", name, strconv.Quote(strings.Join(got, " ")), want)
		}
	}
}
