package generate

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/txmc/txmc/explore/find/source"
)

// What the function that makes a receiver is given.

// given are its arguments: what leads to the database, and of what else there is the zero
// value, where code can be expected to make do with it. Options are left out. The error
// names the argument that cannot be made up. Within are the functions that these values are for.
func (f *File) given(sig *types.Signature, within ...*types.Func) (args []string, err error) {
	leads := false
	for p := range sig.Params().Variables() {
		_, ok := f.handle(p.Type())
		_, layered := f.layer(p.Type(), within)
		leads = leads || ok || layered
	}
	for i := range sig.Params().Len() {
		if sig.Variadic() && i == sig.Params().Len()-1 {
			break
		}
		p := sig.Params().At(i)
		text, ok := f.handle(p.Type())
		if !ok && isString(p.Type()) && !leads {
			text, ok = "db.DSN(s)", true
		}
		if !ok {
			text, ok = f.layer(p.Type(), within)
		}
		if !ok {
			text, ok = f.zero(p.Type())
		}
		if !ok {
			return nil, fmt.Errorf("the argument %s", p.Name())
		}
		args = append(args, text)
	}
	return args, nil
}

// mostLayers bounds the layers of values that are made of others.
const mostLayers = 4

// layer is a value of a type that another function makes of the database.
// Within are the functions that such a value is for.
func (f *File) layer(t types.Type, within []*types.Func) (string, bool) {
	if len(within) >= mostLayers {
		return "", false
	}
	for _, m := range f.Makers {
		sig := m.Type().(*types.Signature)
		if !source.Makes(m, t) || slices.Contains(within, m) {
			continue
		}
		args, err := f.given(sig, append(slices.Clip(within), m)...)
		if err != nil {
			continue
		}
		text := fmt.Sprintf("%s.%s(%s)", f.qualify(m.Pkg()), m.Name(), strings.Join(args, ", "))
		if sig.Results().Len() == 2 {
			text = "must(" + text + ")"
		}
		return text, true
	}
	return "", false
}

// zero is a value that says nothing: of numbers and texts none is known that does.
func (f *File) zero(t types.Type) (string, bool) {
	switch types.TypeString(t, nil) {
	case "context.Context":
		return f.name("context", "context") + ".Background()", true
	case "time.Duration":
		return f.name("time", "time") + ".Second", true
	case "*log/slog.Logger":
		return fmt.Sprintf("%[1]s.New(%[1]s.DiscardHandler)", f.name("log/slog", "slog")), true
	case "*log.Logger":
		return fmt.Sprintf("%s.New(%s.Discard, \"\", 0)", f.name("log", "log"), f.name("io", "io")), true
	}
	switch u := t.Underlying().(type) {
	case *types.Interface, *types.Pointer, *types.Signature, *types.Map, *types.Slice, *types.Chan:
		return "nil", true
	case *types.Struct:
		n, ok := types.Unalias(t).(*types.Named)
		if ok && n.Obj().Exported() {
			return types.TypeString(t, types.Qualifier(f.qualify)) + "{}", true
		}
	case *types.Basic:
		if u.Info()&types.IsBoolean != 0 {
			return "false", true
		}
	}
	return "", false
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.String
}
