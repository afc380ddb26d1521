package load

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/packages"
)

// Besides the module of a package, a user may have others at hand: those of the
// workspace, and directories that a go.mod or go.work puts in the place of modules.
// Their code can be changed like the package's own, and is looked at like that.

// localModules are the modules at hand and their directories, by path. Those of txmc
// itself are not among them.
func (t *tool) localModules() map[string]string {
	dirs := map[string]string{}
	use := func(mod string) {
		data, err := os.ReadFile(mod)
		if err != nil {
			return // the go command will say it better
		}
		if path := modfile.ModulePath(data); !ours(path) {
			dirs[path] = filepath.Dir(mod)
		}
		if file, err := modfile.Parse(mod, data, nil); err == nil {
			replaceBy(dirs, file.Replace, filepath.Dir(mod))
		}
	}
	if work := t.env.GOWORK; work == "" || work == "off" {
		use(t.env.GOMOD)
		return dirs
	}
	data, err := os.ReadFile(t.env.GOWORK)
	if err != nil {
		return dirs
	}
	file, err := modfile.ParseWork(t.env.GOWORK, data, nil)
	if err != nil {
		return dirs
	}
	root := filepath.Dir(t.env.GOWORK)
	for _, u := range file.Use {
		use(filepath.Join(from(root, u.Path), "go.mod"))
	}
	replaceBy(dirs, file.Replace, root)
	return dirs
}

// replaceBy adds the directories that stand for modules; paths are as seen from root.
func replaceBy(dirs map[string]string, list []*modfile.Replace, root string) {
	for _, r := range list {
		if r.New.Version == "" && !ours(r.Old.Path) {
			dirs[r.Old.Path] = from(root, r.New.Path)
		}
	}
}

// from is a path of a go.mod or go.work in the directory root.
func from(root, path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(root, path)
}

// ours reports whether a module, or a package, is txmc's.
func ours(path string) bool { return path == rootPath || strings.HasPrefix(path, rootPath+"/") }

// within is the directory of a package, and false when its module is not among those given.
func within(modules map[string]string, pkg string) (string, bool) {
	found := ""
	for path := range modules {
		if (pkg == path || strings.HasPrefix(pkg, path+"/")) && len(path) > len(found) {
			found = path
		}
	}
	if found == "" {
		return "", false
	}
	return filepath.Join(modules[found], filepath.FromSlash(strings.TrimPrefix(pkg, found))), true
}

// atHand reports whether q is code of a module that a directory stands for.
func atHand(q *packages.Package) bool {
	return q.Module != nil && q.Module.Replace != nil && q.Module.Replace.Version == "" && !ours(q.Module.Path)
}
