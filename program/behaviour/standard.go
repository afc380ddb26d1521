package behaviour

import (
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// libraryFiles returns what tells source files of the standard library from
// others. They lie in one directory, unless the binary was built with -trimpath:
// then each file's name starts with the path of its module, and the standard
// library has none.
func libraryFiles() func(file string) bool {
	none := func(string) bool { return false }
	f := runtime.FuncForPC(reflect.ValueOf(strings.Cut).Pointer())
	if f == nil {
		return none
	}
	file, _ := f.FileLine(f.Entry())
	root, ok := strings.CutSuffix(file, "strings/strings.go")
	if !ok {
		return none
	}
	if root != "" {
		return func(file string) bool { return strings.HasPrefix(file, root) }
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return none
	}
	others := []string{".", "/", "command-line-arguments/"}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path != "" {
			others = append(others, m.Path+"/", m.Path+"@")
		}
	}
	return func(file string) bool {
		return !slices.ContainsFunc(others, func(prefix string) bool { return strings.HasPrefix(file, prefix) })
	}
}
