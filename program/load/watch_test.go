package load

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Of the variables of a package those are watched that functions mention other than
// by counting up, setting or telling them something.
func TestMentions(t *testing.T) {
	for code, want := range map[string]string{
		"var v int; func f() { v++ }":                                               "",
		"var v int; func f() { v += 2; v = 3 }":                                     "",
		"var v int; func f() int { v++; return v }":                                 "v",
		"var v []int; func f() { v = append(v, 1) }":                                "",
		"var v []int; func f() { v = append(v, len(v)) }":                           "v",
		"var v map[int]int; func f() { v[1] = 2 }":                                  "v",
		"var v T; func f() { v.Add(1) }; type T int":                                "",
		"var v T; func f() int { return v.Add(1) }; type T int":                     "v",
		"var v int64; func f() { atomic.AddInt64(&v, 1) }":                          "",
		"var v int64; func f() { g(&v) }":                                           "v",
		"var v int; func f() { v := 1; g(v) }":                                      "",
		"var v int; func f(t T) { g(t.v, T{v: 1}) }":                                "",
		"var v int //txmc:ignore global\nfunc f() { g(v) }":                         "",
		"var v int; func f() {\n\tv = 1 //txmc:ignore\n\tg(v) }":                    "",
		"var o sync.Once; var v int; func f() { o.Do(func() { v = 1 }); g(v) }":     "once v",
		"var o sync.Once; var v int; func f() { o.Do(func() { v = 1 }); v = g(v) }": "v",
		"var v int; func init() { g(v) }":                                           "",
	} {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "p.go", "package p\nimport (\"sync\"; \"sync/atomic\")\n"+code, parser.ParseComments)
		if err != nil {
			t.Fatal(code, err)
		}
		m := &mentions{fset: fset, vars: map[string]*variable{}, specs: map[*ast.ValueSpec]bool{}, selected: map[string]bool{}, settings: map[string]*setting{}}
		m.declared(file)
		m.file(file)
		var got []string
		for _, name := range slices.Sorted(maps.Keys(m.vars)) {
			if v := m.vars[name]; v.read && !v.ignored {
				if v.once {
					name = "once " + name
				}
				got = append(got, name)
			}
		}
		if list := strings.Join(got, ", "); list != want {
			t.Errorf("%s\nwatched: %q, want %q", code, list, want)
		}
	}
}

// Variables of other modules are watched where their code is at hand: replaced by a
// directory, or used by the workspace.
func TestWatchModulesAtHand(t *testing.T) {
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOPROXY", "off")
	for name, more := range map[string]map[string]string{
		"replaced":            {"go.mod": alone["go.mod"] + "\nrequire example.com/other v0.0.0\n\nreplace example.com/other => ./other\n"},
		"used":                {"go.work": "go 1.25.0\n\nuse (\n\t.\n\t./other\n)\n"},
		"replaced by go.work": {"go.mod": alone["go.mod"] + "\nrequire example.com/other v0.0.0\n", "go.work": "go 1.25.0\n\nuse .\n\nreplace example.com/other => ./other\n"},
	} {
		dir := t.TempDir()
		for _, files := range []map[string]string{alone, {
			"app.go":             "package app\n\nimport (\n\t\"example.com/other/cache\"\n\t\"" + rootPath + "\"\n)\n\nfunc ExploreOne(p *txmc.Program) { cache.Put(1) }\n",
			"other/go.mod":       "module example.com/other\n\ngo 1.25.0\n",
			"other/cache/one.go": "package cache\n\nvar last int\n\nfunc Put(n int) int { was := last; last = n; return was }\n",
		}, more} {
			for file, text := range files {
				write(t, filepath.Join(dir, file), text)
			}
		}
		loaded, err := Load(t.Context(), Config{Dir: dir, Temp: t.TempDir()})
		if err != nil {
			t.Fatal(name, err)
		}
		files := loaded.Packages[0].watch()
		if len(files) != 1 {
			t.Errorf("%s: %d packages are watched, want one", name, len(files))
		}
		for file, text := range files {
			if filepath.Dir(file) != filepath.Join(dir, "other", "cache") || !strings.Contains(string(text), `"cache.last"`) {
				t.Errorf("%s: %s is generated:\n%s", name, file, text)
			}
		}
	}
}
