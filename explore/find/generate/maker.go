package generate

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/txmc/txmc/explore/find/source"
)

// What the function that makes a receiver is given.

// given are its arguments: what leads to the database, plain values by their names, what does nothing, and of what
// else there is the zero value. Options are left out. The error names the argument that
// cannot be made up. Within are the functions that these values are for.
func (f *File) given(sig *types.Signature, within ...*types.Func) (args []string, err error) {
	for i := range sig.Params().Len() {
		if sig.Variadic() && i == sig.Params().Len()-1 {
			break
		}
		p := sig.Params().At(i)
		text, ok := f.handle(p.Type())
		if !ok {
			text, ok = f.layer(p.Type(), within)
		}
		if !ok && isString(p.Type()) && !f.leadsBeside(sig, i, within) {
			text, ok = f.addressed(sig, p)
		}
		if !ok {
			text, ok = f.zeroOf(p.Type())
		}
		if !ok {
			text, ok = f.plain(p.Type(), p.Name(), p.Pkg(), 0)
		}
		if !ok {
			text, ok = f.stub(p.Type())
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

// fields are the exported fields of a struct that no function makes: what leads to the database, as it says whether there is,
// configurations, and what does nothing.
func (f *File) fields(s *types.Struct) (list []string, leads bool) {
	for v := range s.Fields() {
		if !f.named(v) {
			continue
		}
		text, ok := f.leading(v.Type())
		leads = leads || ok
		if !ok {
			text, ok = f.zeroOf(v.Type())
		}
		if _, basic := v.Type().Underlying().(*types.Basic); !ok && !basic {
			text, ok = f.plain(v.Type(), v.Name(), v.Pkg(), 0)
		}
		if !ok {
			text, ok = f.stub(v.Type())
		}
		if ok {
			list = append(list, v.Name()+": "+text)
		}
	}
	return list, leads
}

// leadsBeside reports whether an argument beside one leads to the database.
func (f *File) leadsBeside(sig *types.Signature, one int, within []*types.Func) bool {
	for i := range sig.Params().Len() {
		t := sig.Params().At(i).Type()
		_, ok := f.handle(t)
		if !ok {
			_, ok = f.layer(t, within)
		}
		if ok && i != one {
			return true
		}
	}
	return false
}

// addressed is a text of a function that is given no way to the database: the only one is its address.
func (f *File) addressed(sig *types.Signature, p *types.Var) (string, bool) {
	texts := 0
	for v := range sig.Params().Variables() {
		if isString(v.Type()) {
			texts++
		}
	}
	if _, plain := types.Unalias(p.Type()).(*types.Basic); texts > 1 || !plain && !visible(p.Type()) {
		return "", false // by its name, if it has one that can be used
	} else if !plain {
		return types.TypeString(p.Type(), types.Qualifier(f.qualify)) + "(db.DSN(s))", true
	}
	return "db.DSN(s)", true
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
		return f.took(sig, fmt.Sprintf("%s.%s(%s)", f.qualify(m.Pkg()), m.Name(), strings.Join(args, ", "))), true
	}
	return "", false
}

// took is the value of what a maker returns, beside which there may be an error, and what gives it back.
func (f *File) took(sig *types.Signature, text string) string {
	if taken := source.Taken(sig); taken != "only" {
		return taken + "(" + text + ")"
	}
	return text
}

// zeroOf is the value of a type of a library that says nothing; false of other types.
func (f *File) zeroOf(t types.Type) (string, bool) {
	switch types.TypeString(t, nil) {
	case "context.Context":
		return f.name("context", "context") + ".Background()", true
	case "time.Duration":
		return f.name("time", "time") + ".Second", true
	case "*log/slog.Logger":
		return fmt.Sprintf("%[1]s.New(%[1]s.DiscardHandler)", f.name("log/slog", "slog")), true
	case "*log.Logger":
		return fmt.Sprintf("%s.New(%s.Discard, \"\", 0)", f.name("log", "log"), f.name("io", "io")), true
	case "*go.uber.org/zap.Logger":
		return f.name("go.uber.org/zap", "zap") + ".NewNop()", true
	case "*go.uber.org/zap.SugaredLogger":
		return f.name("go.uber.org/zap", "zap") + ".NewNop().Sugar()", true
	case "*github.com/sirupsen/logrus.Entry":
		logrus := f.name("github.com/sirupsen/logrus", "logrus")
		return fmt.Sprintf("%s.NewEntry(%[1]s.New())", logrus), true
	case "*github.com/rs/zerolog.Logger":
		return fmt.Sprintf("new(%s.Logger)", f.name("github.com/rs/zerolog", "zerolog")), true
	}
	if text, ok := f.builder(t); ok {
		return text, true
	}
	return f.alone(t)
}

// alone is what a function New… of the type's own package makes of nothing, for a pointer to a type of a library.
func (f *File) alone(t types.Type) (string, bool) {
	p, ok := t.(*types.Pointer)
	if !ok {
		return "", false
	}
	n, ok := types.Unalias(p.Elem()).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || !strings.Contains(n.Obj().Pkg().Path(), ".") {
		return "", false
	}
	for _, name := range []string{"New", "New" + n.Obj().Name()} {
		fn, ok := n.Obj().Pkg().Scope().Lookup(name).(*types.Func)
		if !ok {
			continue
		}
		sig := fn.Type().(*types.Signature)
		nothing := sig.Params().Len() == 0 || sig.Variadic() && sig.Params().Len() == 1
		if nothing && sig.TypeParams().Len() == 0 && sig.Results().Len() == 1 && types.Identical(sig.Results().At(0).Type(), t) {
			return fmt.Sprintf("%s.%s()", f.qualify(fn.Pkg()), name), true
		}
	}
	return "", false
}

// zero is a value that says nothing.
func (f *File) zero(t types.Type) (string, bool) {
	switch t.Underlying().(type) {
	case *types.Interface, *types.Pointer, *types.Signature, *types.Map, *types.Slice, *types.Chan:
		return "nil", true
	case *types.Struct:
		n, ok := types.Unalias(t).(*types.Named)
		if ok && f.named(n.Obj()) {
			return types.TypeString(t, types.Qualifier(f.qualify)) + "{}", true
		}
	}
	return "", false
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.String
}
