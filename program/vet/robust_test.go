package vet

import (
	"testing"
	"time"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"

	"github.com/txmc/txmc/program/deadlinetest"
)

// Code that was not written for txmc is inspected in full, as if all of it were
// explored, without a panic. It has more of the language than client programs.
func TestRobust(t *testing.T) {
	deadlinetest.Long(t)
	list, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax}, robustOn...)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		if len(p.Errors) > 0 {
			t.Fatal(p.Errors)
		}
		began := time.Now()
		res, err := inspectFrom(Input{Fset: p.Fset, Files: p.Syntax, Pkg: p.Types, Info: p.TypesInfo}, func(g *graph) []*ssa.Function { return g.funcs })
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Facts.Functions) == 0 {
			t.Errorf("%s: there is nothing to know of any of its functions", p.PkgPath)
		}
		t.Logf("%s: %d findings, %d facts, %v", p.PkgPath, len(res.Findings), len(res.Facts.Functions), time.Since(began))
	}
}

var robustOn = []string{"net/http", "go/types", "encoding/json", "database/sql", "reflect", "sync", "text/template"}
