package load

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

// mainModule returns path and directory of the main module around the user's
// directory; in a workspace there are several.
func (t *tool) mainModule(ctx context.Context) (path, dir string, err error) {
	out, err := t.run(ctx, append(append([]string{"list"}, t.flags...), "-m", "-f", "{{.Path}}\t{{.Dir}}")...)
	if err != nil {
		return "", "", err
	}
	for line := range strings.Lines(string(out)) {
		p, d, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if rel, err := filepath.Rel(d, t.dir); err == nil && filepath.IsLocal(rel) {
			return p, d, nil
		}
		if path == "" {
			path, dir = p, d
		}
	}
	if dir == "" {
		return "", "", errors.New("there is no main module to build in: run txmc inside a module (go mod init makes one)")
	}
	return path, dir, nil
}

var (
	staleMod = regexp.MustCompile(`updates to go\.mod needed|updates to go\.sum needed`)
	noSum    = regexp.MustCompile(`missing go\.sum entry for`)
	// sumless matches the modules and packages whose sums are missing.
	sumless = regexp.MustCompile(`([^\s@]+)@\S+: missing go\.sum entry|missing go\.sum entry for module providing package ([^\s;]+)`)
)

// repair answers an error that says that go.mod or go.sum must be changed. Where
// that is because of txmc and its dependencies, the tool goes on with copies in
// the temporary directory: what the user's go command would do if it were allowed
// to write. It reports whether to try again.
func (t *tool) repair(ctx context.Context, err error) bool {
	var e *ToolError
	if !errors.As(err, &e) || t.repaired || !stale(e) {
		return false
	}
	t.repaired = true
	if t.env.GOWORK != "" && t.env.GOWORK != "off" {
		return false // the copy of go.work has our sums from the beginning
	}
	return t.repairModule(ctx, e)
}

// stale reports whether the go command wants to change go.mod or go.sum.
func stale(e *ToolError) bool {
	return staleMod.MatchString(e.Output) || noSum.MatchString(e.Output)
}

// repairModule goes on with a copy of go.mod and go.sum that the go command may
// change.
func (t *tool) repairModule(ctx context.Context, e *ToolError) bool {
	mod := t.modFile()
	if !strings.HasSuffix(mod, ".mod") {
		return false
	}
	sum := strings.TrimSuffix(mod, ".mod") + ".sum"
	content, err := os.ReadFile(mod)
	if err != nil {
		return false
	}
	copied := filepath.Join(t.temp, "go.mod")
	if os.WriteFile(copied, content, 0o666) != nil {
		return false
	}
	flags := t.flags
	t.flags = append(t.flags[:len(flags):len(flags)], "-modfile="+copied, "-mod=mod")
	if !t.complete(ctx, copied, content, sum, e) {
		t.flags = flags
		return false
	}
	return true
}

// complete writes into the copies of go.mod and go.sum what the txmc module that the
// user has requires. It reports whether that may help: not where the sums that are
// missing are not ours to give.
func (t *tool) complete(ctx context.Context, copied string, mod []byte, sum string, e *ToolError) bool {
	out, err := t.run(ctx, append(append([]string{"list"}, t.flags...), "-m", "-f", "{{.Dir}}", rootPath)...)
	if err != nil {
		return false
	}
	dir := strings.TrimSpace(string(out))
	theirs, _ := os.ReadFile(sum) // there may be none yet
	ours, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if err != nil {
		return false
	}
	for _, m := range sumless.FindAllStringSubmatch(e.Output, -1) {
		if !provides(string(ours), m[1]+m[2]) {
			return false
		}
	}
	mod = withRequirements(mod, filepath.Join(dir, "go.mod"))
	return os.WriteFile(copied, mod, 0o666) == nil &&
		os.WriteFile(strings.TrimSuffix(copied, ".mod")+".sum", joinSums(theirs, ours), 0o666) == nil
}

// withRequirements returns a go.mod to which the requirements of another module's are added;
// what both require is there at the higher version. Then the go command need not look for
// them in the go.mod files of all modules that are required anywhere. A machine without a
// network may not have these.
func withRequirements(mod []byte, of string) []byte {
	user, err := modfile.Parse("go.mod", mod, nil)
	if err != nil {
		return mod // the go command will say it better
	}
	data, err := os.ReadFile(of)
	if err != nil {
		return mod
	}
	ours, err := modfile.ParseLax(of, data, nil)
	if err != nil {
		return mod
	}
	has := map[string]string{}
	for _, r := range user.Require {
		has[r.Mod.Path] = r.Mod.Version
	}
	for _, r := range ours.Require {
		version, there := has[r.Mod.Path]
		switch {
		case !there:
			user.AddNewRequire(r.Mod.Path, r.Mod.Version, true)
		case semver.Compare(version, r.Mod.Version) < 0:
			if err := user.AddRequire(r.Mod.Path, r.Mod.Version); err != nil {
				return mod
			}
		}
	}
	return modfile.Format(user.Syntax)
}

// joinSums puts one go.sum behind another.
func joinSums(a, b []byte) []byte {
	if n := len(a); n > 0 && a[n-1] != '\n' {
		a = append(a, '\n')
	}
	return append(a, b...)
}

// provides reports whether a go.sum speaks of the module of the given module or
// package path.
func provides(sums, path string) bool {
	for line := range strings.Lines(sums) {
		if m, _, _ := strings.Cut(line, " "); m == path || strings.HasPrefix(path, m+"/") {
			return true
		}
	}
	return path == rootPath || strings.HasPrefix(path, rootPath+"/")
}
