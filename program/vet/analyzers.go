package vet

import (
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// page explains all checks.
const page = "https://github.com/txmc/txmc/blob/main/docs/vet.md"

// inspector inspects a package once, for all analyzers.
var inspector = &analysis.Analyzer{
	Name:       "txmc",
	Doc:        "inspect client programs of txmc",
	URL:        page,
	Run:        inspect,
	ResultType: reflect.TypeFor[[]Finding](),
	FactTypes:  []analysis.Fact{new(Facts)},
}

// Analyzers returns an analyzer for each of [Checks].
func Analyzers() []*analysis.Analyzer {
	var list []*analysis.Analyzer
	for _, c := range Checks() {
		list = append(list, &analysis.Analyzer{
			Name: c.Name, Doc: c.Doc, URL: page + "#" + c.Name,
			Requires: []*analysis.Analyzer{inspector},
			Run: func(pass *analysis.Pass) (any, error) {
				for _, f := range pass.ResultOf[inspector].([]Finding) {
					if f.Check == c.Name {
						pass.Report(analysis.Diagnostic{Pos: f.Pos, Category: c.Name, Message: f.Text() + " (" + c.Name + ")"})
					}
				}
				return nil, nil
			},
		})
	}
	return list
}

// inspect runs on every package that is imported as well. Those of the standard
// library, and of other modules unless they use the API, have no facts.
func inspect(pass *analysis.Pass) (any, error) {
	own := pass.Module != nil && pass.Module.Path != "" && pass.Module.Version == ""
	if isAPI(pass.Pkg) || !own && !slices.ContainsFunc(pass.Pkg.Imports(), isAPI) {
		return []Finding(nil), nil
	}
	res, err := Inspect(Input{
		Fset: pass.Fset, Files: pass.Files, Pkg: pass.Pkg, Info: pass.TypesInfo,
		Imported: func(path string) *Facts {
			for _, p := range pass.AllPackageFacts() {
				if f, ok := p.Fact.(*Facts); ok && p.Package.Path() == path {
					return f
				}
			}
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	pass.ExportPackageFact(res.Facts)
	return res.Findings, nil
}
