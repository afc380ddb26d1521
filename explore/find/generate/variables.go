package generate

import (
	"fmt"
	"strings"

	"github.com/txmc/txmc/explore/find/source"
	"github.com/txmc/txmc/program/load"
)

// variables sets the package-level variables from which a call takes its database, whenever its session goes on.
func (f *File) variables(call *source.Call) (string, error) {
	var b strings.Builder
	for i, v := range call.Sets() {
		text, ok := f.handle(v.Type())
		if !ok {
			return "", fmt.Errorf("nothing makes a %s for the variable %s", v.Type(), v.Name())
		}
		if f.Sets == nil {
			f.Sets = load.Variables{}
		}
		f.Sets[source.VariableName(v)] = v
		fmt.Fprintf(&b, "\t\tv%d := %s\n\t\ts.Always(func() { *%s.%s = v%[1]d })\n", i, text, f.qualify(v.Pkg()), load.Pointer(v))
	}
	return b.String(), nil
}
