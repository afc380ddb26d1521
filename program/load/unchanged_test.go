package load

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/txmc/txmc/program/deadlinetest"
)

// sources are a module of three packages, one of which is in another module's place.
var sources = map[string]string{
	"app.go": `package app

import (
	"embed"

	"example.com/app/inner"
	"example.com/helper"
	"github.com/txmc/txmc"
)

//go:embed *.sql all:more
var files embed.FS

func ExploreOne(p *txmc.Program) {
	x := txmc.NewVar(p, "x", inner.One+helper.One)
	p.Session("only", func(s *txmc.Session) {
		s.Txn("set", func(tx *txmc.Tx) error { x.Set(tx, 1); return nil })
	})
}
`,
	"a.sql":            "select 1",
	"more/deep/x":      "x",
	"inner/inner.go":   "package inner\n\nvar One = 1\n",
	"helper/helper.go": "package helper\n\nvar One = 1\n",
	"helper/go.mod":    "module example.com/helper\n\ngo 1.25.0\n",
	"unused/go.mod":    "module example.com/unused\n\ngo 1.25.0\n",
	"notes.txt":        "not compiled",
}

// app writes the module, and returns its directory.
func app(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	mod.AddModuleStmt("example.com/app")
	for path, at := range map[string]string{rootPath: root, "example.com/helper": "./helper", "example.com/unused": "./unused"} {
		mod.AddRequire(path, "v0.0.0")
		mod.AddReplace(path, "", at, "")
	}
	mod.Cleanup()
	written, err := mod.Format()
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "go.mod"), string(written))
	write(t, filepath.Join(dir, "go.sum"), string(sums))
	for name, text := range sources {
		write(t, filepath.Join(dir, name), text)
	}
	return dir
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Whatever a harness is built of counts, by its content alone; what the go command does not
// look at does not.
func TestState(t *testing.T) {
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOPROXY", "off")
	dir, cache := app(t), t.TempDir()
	load := func(c Config) *Package {
		t.Helper()
		c.Dir, c.Temp, c.Cache = dir, t.TempDir(), cache
		loaded, err := Load(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		return loaded.Packages[0]
	}
	p := load(Config{})
	if s, _ := p.state(p.kept()); s != "" {
		t.Fatal("there is a state before anything was listed")
	}
	if found, err := p.Vet(t.Context()); err != nil || len(found) > 0 {
		t.Fatal(found, err)
	}
	first, _ := p.state(p.kept())
	if first == "" {
		t.Fatal("no state is known")
	}
	for name, c := range map[string]struct {
		file, text string
		same       bool
	}{
		"the package":                        {"app.go", sources["app.go"] + "\n// more\n", false},
		"a file more":                        {"more.go", "package app\n", false},
		"a file of tests":                    {"app_test.go", "package app\n", false},
		"an embedded file":                   {"a.sql", "select 2", false},
		"an embedded file more":              {"b.sql", "select 2", false},
		"a file more in an embedded tree":    {"more/.hidden", "y", false},
		"a package that is imported":         {"inner/inner.go", "package inner\n\nvar One = 2\n", false},
		"a file more in it":                  {"inner/x.s", "", false},
		"a module of its own":                {"inner/go.mod", "module example.com/inner\n", false},
		"a module in the place of another":   {"helper/helper.go", "package helper\n\nvar One = 2\n", false},
		"its go.mod":                         {"helper/go.mod", sources["helper/go.mod"] + "// x\n", false},
		"the go.mod of one that is not used": {"unused/go.mod", sources["unused/go.mod"] + "// x\n", false},
		"vendored modules":                   {"vendor/modules.txt", "", false},
		"what is not compiled":               {"notes.txt", "other", true},
		"another directory":                  {"elsewhere/x.go", "package elsewhere\n", true},
	} {
		file := filepath.Join(dir, c.file)
		before, missing := os.ReadFile(file)
		write(t, file, c.text)
		if s, _ := p.state(p.kept()); (s == first) != c.same || s != "" && s != first {
			t.Errorf("%s: the state is the same: %v", name, s == first)
		}
		if os.Remove(file); missing == nil {
			write(t, file, string(before))
		}
		if s, _ := p.state(p.kept()); s != first {
			t.Errorf("%s was changed and put back, and the state is another", name)
		}
	}
	record, err := os.ReadFile(p.kept() + recorded)
	if err != nil {
		t.Fatal(err)
	}
	write(t, p.kept()+recorded, strings.Replace(string(record), `"Made":"`, `"Made":"another `, 1))
	if s, _ := p.state(p.kept()); s != "" {
		t.Error("the record of another txmc counts")
	}
	for name, q := range map[string]*Package{"tags": load(Config{Tags: "x"}), "determinism": load(Config{Determinism: true})} {
		if q.kept() == p.kept() {
			t.Errorf("%s: it counts as the same harness", name)
		}
	}
	t.Setenv("GODEBUG", "http2client=0")
	if q := load(Config{}); q.kept() == p.kept() {
		t.Error("variables of the go command do not count")
	}
}

// What changes while vet looks at it is not recorded.
func TestChangedMeanwhile(t *testing.T) {
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOPROXY", "off")
	dir := app(t)
	loaded, err := Load(t.Context(), Config{Dir: dir, Temp: t.TempDir(), Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	p := loaded.Packages[0]
	root, err := p.details(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	r := p.begin(t.Context(), root)
	if r == nil {
		t.Fatal("no state is known")
	}
	write(t, filepath.Join(dir, "inner/inner.go"), "package inner\n\nvar One = 2\n")
	p.note(r, nil)
	if s, _ := p.state(p.kept()); s != "" {
		t.Error("a state was recorded that never was")
	}
	write(t, filepath.Join(dir, "inner/inner.go"), sources["inner/inner.go"])
	p.note(r, nil)
	if s, _ := p.state(p.kept()); s != r.State {
		t.Error("the state is not recorded")
	}
}

// alone are a module, and a txmc that needs no other module. In a workspace the go command
// reads the go.mod files of all required modules, also of those that no build needs.
var alone = map[string]string{
	"go.mod":                          "module example.com/app\n\ngo 1.25.0\n\nrequire " + rootPath + " v0.0.0\n\nreplace " + rootPath + " => ./txmc\n",
	"app.go":                          "package app\n\nimport \"" + rootPath + "\"\n\nfunc ExploreOne(p *txmc.Program) {}\n",
	"txmc/go.mod":                     "module " + rootPath + "\n\ngo 1.25.0\n",
	"txmc/txmc.go":                    "package txmc\n\nimport \"" + programPath + "\"\n\ntype Program = program.Program\n",
	"txmc/program/program.go":         "package program\n\ntype Program struct{}\n",
	"txmc/explore/harness/harness.go": "package harness\n",
}

// In a workspace go.work counts, and whether there is a vendor directory beside it.
func TestStateOfWorkspace(t *testing.T) {
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOPROXY", "off")
	dir := t.TempDir()
	for name, text := range alone {
		write(t, filepath.Join(dir, name), text)
	}
	work := filepath.Join(dir, "go.work")
	const text = "go 1.25.0\n\nuse .\n"
	write(t, work, text)
	loaded, err := Load(t.Context(), Config{Dir: dir, Temp: t.TempDir(), Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	p := loaded.Packages[0]
	p.tool.work = "" // as where there is a vendor directory: then go.work is used as it is
	root, err := p.details(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := p.begin(t.Context(), root)
	if r == nil {
		t.Fatal("no state is known")
	}
	p.note(r, nil)
	for name, changed := range map[string]string{work: text + "// more\n", work + ".sum": "", filepath.Join(dir, "vendor", "modules.txt"): ""} {
		before, missing := os.ReadFile(name)
		write(t, name, changed)
		if s, _ := p.state(p.kept()); s != "" {
			t.Errorf("%s does not count", name)
		}
		if os.Remove(name); missing == nil {
			write(t, name, string(before))
		}
		if s, _ := p.state(p.kept()); s != r.State {
			t.Errorf("%s was put back, and the state is another", name)
		}
	}
}

// What changes while the go command builds is not kept as built in the state before.
func TestChangedWhileBuilding(t *testing.T) {
	deadlinetest.Long(t)
	if testing.Short() {
		t.Skip("it builds harnesses")
	}
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOPROXY", "off")
	dir, change := app(t), false
	loaded, err := Load(t.Context(), Config{Dir: dir, Temp: t.TempDir(), Cache: t.TempDir(), Log: func(format string, args ...any) {
		if change && strings.HasPrefix(fmt.Sprintf(format, args...), "go build") {
			write(t, filepath.Join(dir, "inner/inner.go"), "package inner\n\nvar One = 2\n")
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	p := loaded.Packages[0]
	if _, err := p.Vet(t.Context()); err != nil {
		t.Fatal(err)
	}
	state, _ := p.state(p.kept())
	for _, change = range []bool{true, false} {
		if _, err := p.Build(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(ofState(p.kept(), state)); (err == nil) == change {
			t.Errorf("changed meanwhile %v: kept as of the state before: %v", change, err == nil)
		}
		write(t, filepath.Join(dir, "inner/inner.go"), sources["inner/inner.go"])
	}
}
