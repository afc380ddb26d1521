package load

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
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
	mod, sum := t.env.GOMOD, ""
	for _, f := range strings.Fields(t.env.GOFLAGS) {
		if name, value, _ := strings.Cut(strings.TrimLeft(f, "-"), "="); name == "modfile" {
			mod = value
			if !filepath.IsAbs(mod) {
				mod = filepath.Join(t.dir, mod)
			}
		}
	}
	if !strings.HasSuffix(mod, ".mod") {
		return false
	}
	sum = strings.TrimSuffix(mod, ".mod") + ".sum"
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
	sums, ok := t.sums(ctx, sum, e)
	if !ok || os.WriteFile(filepath.Join(t.temp, "go.sum"), sums, 0o666) != nil {
		t.flags = flags
		return false
	}
	return true
}

// sums returns the user's go.sum together with that of the txmc module the user
// has, or false when the sums that are missing are not ours to give.
func (t *tool) sums(ctx context.Context, user string, e *ToolError) ([]byte, bool) {
	out, err := t.run(ctx, append(append([]string{"list"}, t.flags...), "-m", "-f", "{{.Dir}}", rootPath)...)
	if err != nil {
		return nil, false
	}
	theirs, _ := os.ReadFile(user) // there may be none yet
	ours, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "go.sum"))
	if err != nil {
		return nil, false
	}
	for _, m := range sumless.FindAllStringSubmatch(e.Output, -1) {
		if !provides(string(ours), m[1]+m[2]) {
			return nil, false
		}
	}
	return joinSums(theirs, ours), true
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
