package load

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/modfile"
)

func TestIsExplore(t *testing.T) {
	for name, want := range map[string]bool{
		"Explore": true, "ExploreTransfer": true, "Explore_x": true, "Explore2": true, "ExploreÄnderung": true,
		"Explored": false, "Exploreähnlich": false, "exploreX": false, "DoExplore": false, "": false,
	} {
		if got := isExplore(name); got != want {
			t.Errorf("isExplore(%q) = %v", name, got)
		}
	}
}

// What the syntax alone says of a signature.
func TestScan(t *testing.T) {
	const source = `package app

import (
	"github.com/txmc/txmc"
	under "github.com/txmc/txmc/program"
	"example.com/program"
	. "example.com/dot"
)

func ExploreA(p *txmc.Program) {}
func ExploreB(p *under.Program) {}
func ExploreC(*txmc.Program) {}
func ExploreD(p *program.Program) {}
func ExploreE(p *Program) {}
func ExploreF(p P) {}
func ExploreG(p *txmc.Session) {}
func ExploreH(p, q *txmc.Program) {}
func ExploreI(p *txmc.Program) error { return nil }
func ExploreJ[T any](p *txmc.Program) {}
func ExploreK(p ...*txmc.Program) {}
func ExploreL() {}
func (T) ExploreM(p *txmc.Program) {}
func Explored(p *txmc.Program) {}
func TestMain(m int) {}
func ExploreN(p *txmc.Program) { not go
`
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	s := (&tool{dir: dir}).scan([]string{filepath.Join(dir, "a.go"), filepath.Join(dir, "missing.go")})
	got := map[string]verdict{}
	for _, c := range s.candidates {
		got[c.name] = c.verdict
	}
	want := map[string]verdict{
		"ExploreA": yes, "ExploreB": yes, "ExploreC": yes, "ExploreD": ask, "ExploreE": ask, "ExploreF": ask, "ExploreG": ask,
		"ExploreM": method,
		"ExploreH": no, "ExploreI": no, "ExploreJ": no, "ExploreK": no, "ExploreL": no, "ExploreN": yes,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if !s.imports || s.testMain != "a.go:24" {
		t.Errorf("imports %v, TestMain at %q", s.imports, s.testMain)
	}
	if c := s.candidates[7]; c.at != "a.go:17" || c.signature != "func ExploreH(p, q *txmc.Program)" {
		t.Errorf("%s: %s", c.at, c.signature)
	}
}

// The user's GOFLAGS stay, but for what would let the go command write.
func TestHeedFlags(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "o.json"), []byte(`{"Replace":{"a.go":"b.go","/abs.go":""}}`), 0o666); err != nil {
		t.Fatal(err)
	}
	for flags, want := range map[string]string{
		"":                          "-buildvcs=false",
		"-mod=mod -race":            "-buildvcs=false -mod=readonly -race",
		"--mod=mod":                 "-buildvcs=false -mod=readonly",
		"-mod=vendor -modfile=x.mo": "-buildvcs=false -mod=vendor -modfile=x.mo",
		"-buildvcs=true":            "-buildvcs=false",
		"-overlay=o.json":           "-buildvcs=false -overlay=o.json",
	} {
		tool := &tool{dir: dir, replaced: replaced{overlay: map[string]string{}}, env: goEnv{GOFLAGS: flags}}
		if err := tool.heedFlags(); err != nil {
			t.Fatal(err)
		}
		if tool.env.GOFLAGS != want {
			t.Errorf("%q becomes %q, want %q", flags, tool.env.GOFLAGS, want)
		}
		if strings.Contains(flags, "overlay") {
			want := map[string]string{filepath.Join(dir, "a.go"): filepath.Join(dir, "b.go"), "/abs.go": ""}
			if diff := cmp.Diff(want, tool.overlay); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		}
	}
	bad := &tool{dir: dir, replaced: replaced{overlay: map[string]string{}}, env: goEnv{GOFLAGS: "-overlay=missing.json"}}
	if err := bad.heedFlags(); err == nil {
		t.Error("a missing overlay is no error")
	}
}

func TestAbsolute(t *testing.T) {
	const work = "go 1.26.0\n\nuse (\n\t./a\n\t/abs\n)\n\nuse .\n\nreplace example.com/x => ../x\n\nreplace example.com/y v1.0.0 => example.com/z v1.2.0\n"
	file, err := modfile.ParseWork("go.work", []byte(work), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := absolute(file, "/home/u/w"); err != nil {
		t.Fatal(err)
	}
	again, err := modfile.ParseWork("go.work", modfile.Format(file.Syntax), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, u := range again.Use {
		if got[u.Path] {
			t.Errorf("%s stands there twice", u.Path)
		}
		got[u.Path] = true
	}
	for _, r := range again.Replace {
		got[r.New.Path] = true
	}
	want := map[string]bool{"/home/u/w/a": true, "/abs": true, "/home/u/w": true, "/home/u/x": true, "example.com/z": true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// Which complaints of the go command are about what txmc brings along.
func TestMissingSums(t *testing.T) {
	const ours = "golang.org/x/sync v0.24.0 h1:a\ngolang.org/x/sync v0.24.0/go.mod h1:b\n"
	for said, want := range map[string]bool{
		"a.go:16:2: missing go.sum entry for module providing package golang.org/x/sync/errgroup (imported by x); to add:\n\tgo get x":  true,
		"go: golang.org/x/sync@v0.24.0: missing go.sum entry for go.mod file; to add it:\n\tgo mod download golang.org/x/sync":          true,
		"missing go.sum entry for module providing package github.com/txmc/txmc; to add:":                                               true,
		"a.go:16:2: missing go.sum entry for module providing package example.com/x; to add:":                                           false,
		"go: golang.org/x/syncs@v0.24.0: missing go.sum entry for go.mod file; to add it:":                                              false,
		"missing go.sum entry for module providing package golang.org/x/sync; missing go.sum entry for module providing package a.b/c;": false,
	} {
		all := true
		for _, m := range sumless.FindAllStringSubmatch(said, -1) {
			all = all && provides(ours, m[1]+m[2])
		}
		if all != want || !stale(&ToolError{said}) {
			t.Errorf("%v for %s", all, said)
		}
	}
	if stale(&ToolError{"a.go:1:2: undefined: x"}) {
		t.Error("an error of the code counts as one of go.mod")
	}
}

func TestGenerated(t *testing.T) {
	p := &Package{Path: "example.com/a", Name: "a", virtual: "example.com/a/txmcharness", Functions: []Function{{Name: "ExploreA"}, {Name: "ExploreB"}}}
	const main = `// Code generated by txmc explore. DO NOT EDIT.

package main

import (
	txmcharness "github.com/txmc/txmc/explore/harness"
	txmctarget "example.com/a"
)

func main() {
	txmcharness.Main(
		txmcharness.Program{Name: "ExploreA", Explore: txmctarget.ExploreA},
		txmcharness.Program{Name: "ExploreB", Explore: txmctarget.ExploreB},
	)
}
`
	if diff := cmp.Diff(main, string(p.source())); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	p.virtual = ""
	if got := string(p.source()); !strings.Contains(got, "package a\n") || !strings.Contains(got, "func TestMain(*txmctesting.M)") ||
		!strings.Contains(got, "Explore: ExploreB}") {
		t.Error(got)
	}
}

// A context that has ended is not an error of the go command.
func TestLoadEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	loaded, err := Load(ctx, Config{Temp: t.TempDir()})
	if !errors.Is(err, context.Canceled) || loaded == nil {
		t.Errorf("%v, %v", loaded, err)
	}
}

// To complaints about a directory is added what to do, also about all below it.
func TestElsewhere(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "here", "go.mod"), "module example.com/here\n")
	write(t, filepath.Join(dir, "here", "irr", "irr.go"), "package irr\n")
	write(t, filepath.Join(dir, "other", "go.mod"), "module example.com/other\n")
	write(t, filepath.Join(dir, "bare", "x.go"), "package bare\n")
	tool := &tool{dir: filepath.Join(dir, "here"), env: goEnv{GOMOD: filepath.Join(dir, "here", "go.mod")}}
	other := "to explore what is there, run txmc in that module: cd " + filepath.Join(dir, "other") + " && txmc explore"
	for pattern, want := range map[string]string{
		"../other": other, "../other/...": other + " ./...", filepath.Join(dir, "other"): other,
		"../bare/...": "bare is in no module; this makes one",
		"irr":         "package irr is not in std (/go/src/irr)\na package in a directory begins with a dot: ./irr",
		"nowhere":     "package nowhere is not in std (/go/src/nowhere)",
	} {
		got := tool.elsewhere(&ToolError{"package " + pattern + " is not in std (/go/src/" + strings.TrimPrefix(pattern, "./") + ")"}, []string{pattern}, explore).Error()
		if !strings.Contains(got, want) || pattern == "nowhere" && got != want {
			t.Errorf("%s: %s", pattern, got)
		}
	}
}

// What is said of a directory in no module, or in another one, is of the command.
func TestElsewhereFind(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "other", "go.mod"), "module example.com/other\n")
	said := &ToolError{"go: go.mod file not found in current directory or any parent directory; see 'go help modules'"}
	for pattern, want := range map[string]string{
		".":       dir + " is in no Go module: run txmc find in the directory of the application's go.mod, or below it",
		"./other": said.Output + "\nto find what is there, run txmc in that module: cd " + filepath.Join(dir, "other") + " && txmc find",
	} {
		if got := (&tool{dir: dir}).elsewhere(said, []string{pattern}, find).Error(); got != want {
			t.Errorf("%s: %s", pattern, got)
		}
	}
}

// Complaints about the generated main are left out where the user's files have the same.
func TestWithoutOurs(t *testing.T) {
	const theirs = "nm.go:5:2: no required module provides package github.com/txmc/txmc; to add it:\n\tgo get github.com/txmc/txmc\n"
	const own = "txmcharness/main.go:6:2: no required module provides package github.com/txmc/txmc/explore/harness; to add it:\n\tgo get github.com/txmc/txmc/explore/harness\n"
	for said, want := range map[string]string{theirs + own: theirs, own: own, own + theirs: theirs, "other": "other"} {
		if got := withoutOurs(&ToolError{said}).(*ToolError).Output; got != want {
			t.Errorf("%q becomes %q", said, got)
		}
	}
	if err := withoutOurs(nil); err != nil {
		t.Error(err)
	}
}
