package load

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/packages"
)

// closure is all that a harness is built of and that a user may change. The Go that builds it
// is not in it, nor is the module cache, which the go command takes to be unchanging.
type closure struct {
	Dirs   []string // of packages: the files in them that the go command may compile
	Embeds []embed  // what packages embed
	Files  []string // go.mod, go.sum and their like, also where there is none yet
}

// embed is a pattern of files that the package in a directory embeds.
type embed struct{ Dir, Pattern string }

// closureBytes bounds what is read to see whether anything has changed.
const closureBytes = 256 << 20

// fileBytes is what a file counts besides its content.
const fileBytes = 4 << 10

var errLarge = errors.New("too large to be compared")

// closure returns what the harness of the package is built of, nil where that is not known
// for sure: C code may be built of anything on the machine.
func (p *Package) closure(ctx context.Context, root *packages.Package) *closure {
	t := p.tool
	if t.cache == "" || t.overlays || strings.Contains(strings.Join(t.flags, " ")+t.env.GOFLAGS, "-modfile=") {
		return nil
	}
	c := &closure{Files: []string{t.env.GOMOD, strings.TrimSuffix(t.env.GOMOD, ".mod") + ".sum"}}
	if work := t.env.GOWORK; work != "" && work != "off" {
		c.Files = append(c.Files, work, work+".sum", filepath.Join(filepath.Dir(work), "vendor", "modules.txt"))
	}
	known, local := true, false
	packages.Visit([]*packages.Package{root}, nil, func(q *packages.Package) {
		known = known && !usesC(t, q)
		if q.Dir != "" && t.changes(q.Dir) {
			c.add(q.Dir, relative(q.Dir, q.EmbedPatterns))
			local = local || q.PkgPath == programPath
		}
	})
	if !known || local && c.addHarness(ctx, t) != nil {
		return nil
	}
	for _, name := range slices.Clone(c.Files) {
		if !c.addReplaced(name) {
			return nil
		}
	}
	for _, list := range []*[]string{&c.Dirs, &c.Files} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return c
}

// relative makes patterns relative to the directory that they begin with.
func relative(dir string, patterns []string) (list []string) {
	for _, p := range patterns {
		list = append(list, strings.TrimPrefix(strings.TrimPrefix(p, dir), string(filepath.Separator)))
	}
	return list
}

// usesC reports whether a package that is not the standard library's has C code.
func usesC(t *tool, p *packages.Package) bool {
	return !inside(t.env.GOROOT, p.Dir) && !inside(t.root, p.Dir) &&
		slices.ContainsFunc(p.CompiledGoFiles, func(name string) bool { return filepath.Dir(name) != p.Dir })
}

// changes reports whether a user may change what is in a directory.
func (t *tool) changes(dir string) bool {
	return !inside(t.env.GOROOT, dir) && !inside(t.root, dir) && !inside(t.env.GOMODCACHE, dir)
}

// add adds the directory of a package, and the modules around it: a package belongs to the
// innermost one.
func (c *closure) add(dir string, embeds []string) {
	c.Dirs = append(c.Dirs, dir)
	for _, pattern := range embeds {
		if e := (embed{dir, strings.TrimPrefix(pattern, "all:")}); !slices.Contains(c.Embeds, e) {
			c.Embeds = append(c.Embeds, e)
		}
	}
	for ; ; dir = filepath.Dir(dir) {
		mod := filepath.Join(dir, "go.mod")
		c.Files = append(c.Files, mod)
		if _, err := os.Stat(mod); err == nil || dir == filepath.Dir(dir) {
			c.Files = append(c.Files, filepath.Join(dir, "go.sum"), filepath.Join(dir, "vendor", "modules.txt"))
			return
		}
	}
}

// addHarness adds what the generated file imports of a txmc that is not in the module cache.
func (c *closure) addHarness(ctx context.Context, t *tool) error {
	args := append([]string{"list", "-deps"}, t.flags...)
	args = append(args, "-f", "{{if not .Standard}}{{.Dir}}\t{{len .CgoFiles}}{{range .EmbedPatterns}}\t{{.}}{{end}}{{end}}", rootPath+"/explore/harness")
	if t.server != "" {
		args = append(args, filepath.ToSlash(filepath.Join(rootPath, "server/proxy", t.server)))
	}
	out, err := t.run(ctx, args...)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		switch {
		case len(fields) < 2:
		case fields[1] != "0":
			return errors.New("there is C code")
		case t.changes(fields[0]):
			c.add(fields[0], fields[2:])
		}
	}
	return nil
}

// addReplaced adds the modules that a go.mod or go.work puts in the place of others, or uses:
// their requirements count also when none of their packages is imported. It is false when the
// file cannot be understood.
func (c *closure) addReplaced(name string) bool {
	data, err := os.ReadFile(name)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	var dirs []string
	switch filepath.Ext(name) {
	case ".mod":
		var file *modfile.File
		if file, err = modfile.Parse(name, data, nil); err == nil {
			dirs = replacements(file.Replace)
		}
	case ".work":
		var file *modfile.WorkFile
		if file, err = modfile.ParseWork(name, data, nil); err == nil {
			dirs = replacements(file.Replace)
			for _, u := range file.Use {
				dirs = append(dirs, u.Path)
			}
		}
	}
	for _, dir := range dirs {
		dir = filepath.FromSlash(dir)
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(filepath.Dir(name), dir)
		}
		c.Files = append(c.Files, filepath.Join(dir, "go.mod"), filepath.Join(dir, "go.sum"))
	}
	return err == nil
}

// replacements are the directories that replace modules.
func replacements(list []*modfile.Replace) (dirs []string) {
	for _, r := range list {
		if r.New.Version == "" {
			dirs = append(dirs, r.New.Path)
		}
	}
	return dirs
}

// sum is a hash of the names and contents of all that is in the closure.
func (c *closure) sum() (string, error) {
	s := &summing{Hash: sha256.New(), left: closureBytes}
	for _, dir := range c.Dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return "", err
		}
		for _, e := range entries {
			if compiled[filepath.Ext(e.Name())] {
				s.file(filepath.Join(dir, e.Name()))
			}
		}
	}
	for _, e := range c.Embeds {
		matches, err := fs.Glob(os.DirFS(e.Dir), e.Pattern)
		if err != nil {
			return "", err
		}
		for _, m := range matches {
			s.tree(filepath.Join(e.Dir, filepath.FromSlash(m)))
		}
	}
	for _, name := range c.Files {
		s.file(name)
	}
	return fmt.Sprintf("%x", s.Sum(nil)[:16]), s.err
}

// compiled are the extensions of what the go command compiles or links.
var compiled = map[string]bool{
	".go": true, ".c": true, ".cc": true, ".cpp": true, ".cxx": true, ".m": true, ".h": true, ".hh": true, ".hpp": true, ".hxx": true,
	".s": true, ".S": true, ".sx": true, ".f": true, ".F": true, ".for": true, ".f90": true, ".syso": true, ".swig": true, ".swigcxx": true,
}

// summing adds up files.
type summing struct {
	hash.Hash
	left int64 // bytes that may still be read
	err  error
}

// tree adds a file, or all below a directory.
func (s *summing) tree(root string) {
	err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			s.file(name)
		}
		return errors.Join(err, s.err)
	})
	if s.err == nil {
		s.err = err
	}
}

// file adds a file by its name and its content. A file that does not exist counts as
// another content.
func (s *summing) file(name string) {
	if s.err != nil {
		return
	}
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(s, "%q none\n", name)
		return
	}
	if err == nil && info.Size() > s.left {
		err = errLarge
	}
	var data []byte
	if err == nil && !info.IsDir() {
		data, err = os.ReadFile(name)
	}
	if s.err = err; err != nil {
		return
	}
	s.left -= int64(len(data)) + fileBytes
	content := sha256.Sum256(data)
	fmt.Fprintf(s, "%q %x\n", name, content)
}
