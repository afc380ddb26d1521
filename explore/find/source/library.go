package source

import (
	"fmt"
	"go/constant"
	"go/types"
	"strings"
)

// What the standard library does to texts and errors.

// element is the path of an element.
func element(i int) string { return fmt.Sprintf("[%d]", i) }

// length counts the elements of a slice that the code lists; -1 when it is not known.
func (v *Value) length() int {
	if v.Op == Nil {
		return 0
	}
	if v.Op != Pointer && v.Op != Struct {
		return -1
	}
	n := 0
	for path := range v.cell.object.cells {
		rest, ok := strings.CutPrefix(path, v.cell.path+"[")
		var i int
		if _, err := fmt.Sscanf(rest, "%d]", &i); ok && err == nil {
			n = max(n, i+1)
		}
	}
	return n
}

// elements lists the elements of a slice that the code lists.
func (v *Value) elements() (list []*Value) {
	for i := range v.length() {
		list = append(list, v.cell.at(element(i)).load(nil))
	}
	return list
}

// library is the result of a known function of the standard library.
func (f *frame) library(m *types.Func, args []*Value) (*Value, bool) {
	switch m.FullName() {
	case "os.Getenv", "os.LookupEnv":
		for _, name := range args[0].Strings() {
			f.found.Environment[name] = true
		}
	case "fmt.Sprintf":
		if s, ok := formatted(args[0], args[1].elements()); ok {
			return s, true
		}
		return apply("fmt.Sprintf", append([]*Value{args[0]}, args[1].elements()...)...), true
	case "fmt.Errorf":
		return apply("fmt.Errorf", args[1].elements()...), true
	case "errors.Is":
		return &Value{Op: Apply, Path: "errors.Is", Args: args}, true
	case "strings.TrimSpace", "strings.ToLower", "strings.ToUpper":
		if list := args[0].Strings(); list != nil {
			var all []*Value
			for _, s := range list {
				all = append(all, text(changed(m.Name(), s)))
			}
			return either(all...), true
		}
	case "strings.Join":
		var parts []string
		for _, e := range args[0].elements() {
			s := e.Strings()
			if len(s) != 1 {
				return nil, false
			}
			parts = append(parts, s[0])
		}
		if sep := args[1].Strings(); len(sep) == 1 && len(parts) > 0 {
			return text(strings.Join(parts, sep[0])), true
		}
	}
	return nil, false
}

func changed(name, s string) string {
	switch name {
	case "ToLower":
		return strings.ToLower(s)
	case "ToUpper":
		return strings.ToUpper(s)
	}
	return strings.TrimSpace(s)
}

// formatted is fmt.Sprintf of known texts and numbers.
func formatted(format *Value, args []*Value) (*Value, bool) {
	formats := format.Strings()
	if len(formats) != 1 {
		return nil, false
	}
	alternatives := [][]any{{}}
	for _, a := range args {
		var values []any
		for _, s := range a.Strings() {
			values = append(values, s)
		}
		if a.Op == Const && a.Const.Kind() == constant.Int {
			if n, exact := constant.Int64Val(a.Const); exact {
				values = append(values, n)
			}
		}
		if len(values) == 0 || len(values)*len(alternatives) > mostAlternatives {
			return nil, false
		}
		var next [][]any
		for _, before := range alternatives {
			for _, v := range values {
				next = append(next, append(before[:len(before):len(before)], v))
			}
		}
		alternatives = next
	}
	var all []*Value
	for _, values := range alternatives {
		all = append(all, text(fmt.Sprintf(formats[0], values...)))
	}
	return either(all...), true
}
