package load

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Users name what they look at: a file in their editor, a directory of another
// module. A file stands for the functions in it; the go command knows packages
// only. For another module the go command has to run there.

// sourceFiles puts directories in the place of .go files, and lists those files,
// with absolute names, by directory.
func (t *tool) sourceFiles(patterns []string) (packages []string, files map[string][]string, err error) {
	for _, p := range patterns {
		if !strings.HasSuffix(p, ".go") {
			packages = append(packages, p)
			continue
		}
		full := p
		if !filepath.IsAbs(full) {
			full = filepath.Join(t.dir, full)
		}
		if _, err := os.Stat(full); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", p, errors.Unwrap(err))
		}
		dir := filepath.Dir(p)
		if !filepath.IsAbs(dir) {
			dir = "./" + filepath.ToSlash(dir)
		}
		if files == nil {
			files = map[string][]string{}
		}
		files[filepath.Dir(full)] = append(files[filepath.Dir(full)], full)
		packages = append(packages, dir)
	}
	return packages, files, nil
}

// keepFiles drops the functions that are in other files of the directories.
func (f *finder) keepFiles(files map[string][]string) error {
	var kept []*Package
	for _, p := range f.Packages {
		if only := files[p.Dir]; only != nil {
			p.narrow(func(fn Function) bool {
				file, _, _ := cutLast(fn.At, ":")
				if !filepath.IsAbs(file) {
					file = filepath.Join(f.tool.dir, file)
				}
				return slices.Contains(only, file)
			})
		}
		if len(p.Functions) > 0 {
			kept = append(kept, p)
		}
	}
	f.Packages = kept
	if len(kept) == 0 {
		return f.none()
	}
	return nil
}

// What users ask txmc for, where messages differ.
const (
	explore = "explore"
	find    = "find"
)

// elsewhere adds to the go command's complaint what to do instead, if a directory
// among the patterns is in no module or in another one, or was taken for an import
// path. In a workspace the go command knows several modules, and its complaint about
// them stands alone. Command is what the user has asked txmc for.
func (t *tool) elsewhere(err error, patterns []string, command string) error {
	var e *ToolError
	if !errors.As(err, &e) {
		return err
	}
	for _, pattern := range patterns {
		dir := strings.TrimSuffix(strings.TrimSuffix(filepath.FromSlash(pattern), "..."), string(filepath.Separator))
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(t.dir, dir)
		}
		if stat, err := os.Stat(dir); err != nil || !stat.IsDir() {
			continue
		}
		switch mod := goMod(dir); {
		case t.work == "" && same(mod, t.env.GOMOD) || t.work != "" && mod != "":
			// The complaint is about something else, or the directory has no dot before it.
			if strings.Contains(e.Output, "package "+pattern+" is not in std") {
				return &ToolError{fmt.Sprintf("%v\na package in a directory begins with a dot: ./%s", e, pattern)}
			}
		case mod == "" && command == find:
			return &ToolError{fmt.Sprintf("%s is in no Go module: run txmc find in the directory of the application's go.mod, or below it", dir)}
		case mod == "":
			return &ToolError{fmt.Sprintf("%v\n%s is in no module; this makes one, with txmc in it:\n    cd %[2]s && go mod init example.com/%[3]s && go get %[4]s", e, dir, filepath.Base(dir), rootPath)}
		default:
			all := ""
			if strings.HasSuffix(pattern, "...") {
				all = " ./..."
			}
			return &ToolError{fmt.Sprintf("%v\nto %[3]s what is there, run txmc in that module: cd %[2]s && txmc %[3]s%[4]s", e, dir, command, all)}
		}
	}
	return err
}

// same reports whether two names are of one file.
func same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// goMod is the go.mod in the directory or above it, "" when there is none.
func goMod(dir string) string {
	for {
		file := filepath.Join(dir, "go.mod")
		if _, err := os.Stat(file); err == nil {
			return file
		}
		above := filepath.Dir(dir)
		if above == dir {
			return ""
		}
		dir = above
	}
}
