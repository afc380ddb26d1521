package load

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// A go.mod that lacks what txmc requires is completed without a network. No modules are
// at hand but those that txmc's own go.mod names. The go command by itself would ask for
// the go.mod files of all modules that these require.
func TestCompleteOffline(t *testing.T) {
	t.Setenv("GOMODCACHE", requiredOnly(t))
	t.Setenv("GOFLAGS", "-modcacherw")
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOWORK", "off")
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/app\n\ngo 1.25.0\n\nrequire "+rootPath+" v0.0.0\n\nreplace "+rootPath+" => "+root+"\n")
	write(t, filepath.Join(dir, "app.go"), `package app

import (
	"`+rootPath+`"
	"`+rootPath+`/pg"
)

func ExploreNothing(p *txmc.Program) { pg.New(p) }
`)
	before, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(t.Context(), Config{Dir: dir, Temp: t.TempDir(), Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	p := loaded.Packages[0]
	deps := func() error {
		_, err := p.tool.run(t.Context(), append(append([]string{"list"}, p.tool.flags...), "-deps", p.Path)...)
		return err
	}
	missing := deps()
	if !p.tool.repair(t.Context(), missing) {
		t.Fatalf("nothing is done about: %v", missing)
	}
	if err := deps(); err != nil {
		t.Error(err)
	}
	if after, _ := os.ReadFile(filepath.Join(dir, "go.mod")); string(after) != string(before) {
		t.Errorf("go.mod has been changed:\n%s", after)
	}
}

// requiredOnly makes a module cache with the modules that txmc's go.mod names, as far as
// the machine has them, and no other.
func requiredOnly(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	from, to := strings.TrimSpace(string(out)), t.TempDir()
	data, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.ParseLax("go.mod", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range mod.Require {
		path, err := module.EscapePath(r.Mod.Path)
		if err != nil {
			t.Fatal(err)
		}
		link(t, filepath.Join(from, path+"@"+r.Mod.Version), filepath.Join(to, path+"@"+r.Mod.Version))
		for _, kind := range []string{"info", "mod", "zip", "ziphash"} {
			name := filepath.Join("cache", "download", path, "@v", r.Mod.Version+"."+kind)
			link(t, filepath.Join(from, name), filepath.Join(to, name))
		}
	}
	return to
}

func link(t *testing.T, from, to string) {
	t.Helper()
	if _, err := os.Stat(from); os.IsNotExist(err) {
		return
	}
	err := os.MkdirAll(filepath.Dir(to), 0o777)
	if err == nil {
		err = os.Symlink(from, to)
	}
	if err != nil && !os.IsExist(err) {
		t.Fatal(err)
	}
}

// Requirements of txmc are added to those of the user's, and raise older ones.
func TestWithRequirements(t *testing.T) {
	of := filepath.Join(t.TempDir(), "go.mod")
	write(t, of, "module m\n\ngo 1.25.0\n\nrequire (\n\ta.example/new v1.0.0\n\ta.example/older v1.2.0 // indirect\n\ta.example/newer v1.0.0\n)\n")
	got := string(withRequirements([]byte("module app\n\ngo 1.25.0\n\nrequire (\n\ta.example/older v1.1.0\n\ta.example/newer v1.1.0\n)\n"), of))
	want := "module app\n\ngo 1.25.0\n\nrequire (\n\ta.example/older v1.2.0\n\ta.example/newer v1.1.0\n\ta.example/new v1.0.0 // indirect\n)\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
