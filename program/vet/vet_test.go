package vet

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // nearly all that is read is kept
	m.Run()
}

// everything is all analyzers in one: packages are loaded once.
var everything = &analysis.Analyzer{
	Name: "everything", Doc: "for tests", Requires: append(Analyzers(), inspector),
	Run: func(pass *analysis.Pass) (any, error) {
		for _, f := range pass.ResultOf[inspector].([]Finding) {
			pass.Report(analysis.Diagnostic{Pos: f.Pos, Message: fmt.Sprintf("%s (%s)", f.Text(), f.Check)})
		}
		return nil, nil
	},
}

// clients makes a module of the packages below testdata that uses txmc from this
// repository, and returns its directory.
func clients(t *testing.T) string {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	ours, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	mod := fmt.Sprintf("module example.com/clients\n\ngo 1.25.0\n\nrequire github.com/txmc/txmc v0.0.0\n\nreplace github.com/txmc/txmc => %s\n\n%s\n",
		root, strings.Join(regexp.MustCompile(`(?ms)^require \(.*?^\)$`).FindAllString(string(ours), -1), "\n"))
	for name, data := range map[string]string{"go.mod": mod, "go.sum": string(sums)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Every "// want" below testdata is found, and nothing else is.
func TestWants(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it type-checks all that the packages import")
	}
	analysistest.Run(t, clients(t), everything, "./...")
}
