package configure

import (
	"fmt"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// Qualifier names the package of a type in the generated file.
type Qualifier func(*types.Package) string

// Arguments are the arguments of a call as Go expressions: of types that given knows, what
// it says; given may be nil. The error says which of them cannot be made up.
func (c *Config) Arguments(call int, v Variant, q Qualifier, given func(types.Type) (text string, ok bool)) (list []string, err error) {
	return c.arguments(call, &maker{instance: c.instances[call], variant: v, number: call, qualify: q}, given)
}

func (c *Config) arguments(call int, m *maker, given func(types.Type) (string, bool)) (list []string, err error) {
	sig := c.Calls[call].Takes()
	if c.steps != nil {
		m.guards = c.guarded().args[call]
	}
	for i := range sig.Params().Len() {
		p := sig.Params().At(i)
		if c.Calls[call].Addresses[p.Name()] {
			list = append(list, "db.DSN(s)")
			continue
		}
		if given != nil {
			if text, ok := given(p.Type()); ok {
				list = append(list, text)
				continue
			}
		}
		text, err := m.expression(p.Type(), p.Name(), 0)
		variadic := sig.Variadic() && i == sig.Params().Len()-1
		switch {
		case err != nil && variadic: // such as options: none is given
			continue
		case err != nil:
			return nil, fmt.Errorf("the argument %s cannot be made up: %w", p.Name(), err)
		case variadic:
			text += "..."
		}
		list = append(list, text)
	}
	return list, nil
}

// maker makes the arguments of one call.
type maker struct {
	*instance
	variant Variant
	number  int // of the call
	qualify Qualifier
	guards  map[string][]string // what the code compares arguments with
	given   map[string]string   // basic arguments by their paths; nil: nobody asks
	count   int                 // of the numbers that no other argument has
	within  []types.Type        // what is being made
	form    form                // of the text that is made next; nil: any
}

// expression is a value of a type, of the part of the arguments at a path.
func (m *maker) expression(t types.Type, path string, depth int) (string, error) {
	if depth > 8 {
		return "", fmt.Errorf("%s is too deep", path)
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		if text, ok := m.known(n, path); ok {
			return text, nil
		}
	}
	if o := hidden(t); o != nil {
		return "", fmt.Errorf("the type %s is not exported", o.Name())
	}
	name := types.TypeString(t, types.Qualifier(m.qualify))
	if text, ok := m.taken(t, name, path); ok {
		return text, nil
	}
	if _, composed := t.Underlying().(*types.Struct); composed {
		if slices.ContainsFunc(m.within, func(o types.Type) bool { return types.Identical(o, t) }) {
			return "", fmt.Errorf("%s has values of its own type", name)
		}
		m.within = append(m.within, t)
		defer func() { m.within = m.within[:len(m.within)-1] }()
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		text, err := m.basic(u, path)
		if _, key := m.keys[path]; m.form != nil && !key && u.Info()&types.IsString != 0 && err == nil && len(m.guards[path]) == 0 {
			if plain, wrong := strconv.Unquote(text); wrong == nil && plain != "" {
				text = strconv.Quote(m.form(plain))
			}
		}
		m.give(path, text)
		if _, named := types.Unalias(t).(*types.Named); named && err == nil {
			text = name + "(" + text + ")"
		}
		return text, err
	case *types.Pointer:
		text, err := m.expression(u.Elem(), path, depth)
		if strings.HasPrefix(text, types.TypeString(u.Elem(), types.Qualifier(m.qualify))+"{") {
			return "&" + text, err
		}
		return fmt.Sprintf("ref[%s](%s)", types.TypeString(u.Elem(), types.Qualifier(m.qualify)), text), err
	case *types.Array:
		return name + "{}", nil
	case *types.Interface, *types.Chan:
		return "nil", nil
	case *types.Signature:
		if o := hidden(u); o != nil {
			return "", fmt.Errorf("the type %s is not exported", o.Name())
		}
		return m.stub(u), nil
	case *types.Struct:
		return m.fields(u, t, path, depth)
	case *types.Slice:
		return m.elements(u, name, path, depth)
	case *types.Map:
		return m.entries(u, name, path, depth), nil
	}
	return "", fmt.Errorf("no value of %s is known", name)
}

// known are values of types of the standard library, and of those that lead nowhere.
func (m *maker) known(n *types.Named, path string) (string, bool) {
	full := types.TypeString(n, nil)
	switch full {
	case "context.Context":
		return m.qualify(n.Obj().Pkg()) + ".Background()", true
	case "time.Time":
		return fmt.Sprintf("%s.Date(2024, 1, %d, 0, 0, 0, 0, %[1]s.UTC)", m.qualify(n.Obj().Pkg()), 1+m.number), true
	case "time.Duration":
		return m.qualify(n.Obj().Pkg()) + ".Second", true
	case "encoding/json.RawMessage":
		return m.qualify(n.Obj().Pkg()) + `.RawMessage("{}")`, true
	}
	return "", false
}

// basic is a number, text or truth.
func (m *maker) basic(b *types.Basic, path string) (string, error) {
	key, isKey := m.keys[path]
	if text, ok := m.guarded(b, path); ok && !isKey {
		return text, nil
	}
	switch info := b.Info(); {
	case info&types.IsString != 0 && isKey:
		return strconv.Quote(key), nil
	case info&types.IsString != 0:
		if d, ok := m.values[path]; ok {
			if c := d.table.Columns[d.column]; len(c.Labels) > 0 || base(c.Type) != "text" && !strings.HasPrefix(c.Type, "char") {
				return strconv.Quote(d.text(1 + m.number + stride*m.variant.Marked)), nil
			}
		}
		if m.variant.Marked > 0 {
			return strconv.Quote(fmt.Sprintf("t%d", m.marked())), nil
		}
		return strconv.Quote(string(rune('v' + m.number%5))), nil
	case info&types.IsBoolean != 0 && m.variant.Marked > 0 && !isKey:
		return strconv.FormatBool(m.variant.Marked == 2), nil
	case info&types.IsBoolean != 0:
		return strconv.FormatBool(isKey && key == "true"), nil
	case info&types.IsNumeric != 0 && isKey:
		if _, err := strconv.ParseFloat(key, 64); err != nil {
			return "", fmt.Errorf("%q is no number", key)
		}
		return key, nil
	case info&types.IsNumeric != 0:
		return strconv.Itoa(m.amount()), nil
	}
	return "", fmt.Errorf("no value of %s is known", b.Name())
}

// guarded is a value that the code compares the argument with.
func (m *maker) guarded(b *types.Basic, path string) (string, bool) {
	list := m.guards[path]
	if len(list) == 0 || m.variant.Marked > 0 || b.Info()&(types.IsString|types.IsNumeric) == 0 {
		return "", false
	}
	text := list[m.variant.State%len(list)]
	if b.Info()&types.IsString != 0 {
		text = strconv.Quote(text)
	}
	return text, true
}

// amount is a number of no key.
func (m *maker) amount() int {
	n := m.variant.Amount
	if m.variant.Marked > 0 {
		n = m.marked()
	}
	return max(n+m.variant.Step*m.number, min(n, 1))
}

// fields is a struct with its exported fields.
func (m *maker) fields(s *types.Struct, t types.Type, path string, depth int) (string, error) {
	if s.NumFields() > 0 && !slices.ContainsFunc(slices.Collect(s.Fields()), (*types.Var).Exported) {
		return "", fmt.Errorf("%s has no field that could be given a value", types.TypeString(t, types.Qualifier(m.qualify)))
	}
	var list []string
	for i := range s.NumFields() {
		f := s.Field(i)
		if !f.Exported() {
			continue
		}
		m.form = formOf(s.Tag(i))
		text, err := m.expression(f.Type(), path+"."+f.Name(), depth+1)
		m.form = nil
		if err != nil {
			if m.matters(path + "." + f.Name()) {
				return "", err
			}
			continue // its zero value
		}
		list = append(list, f.Name()+": "+text)
	}
	return types.TypeString(t, types.Qualifier(m.qualify)) + "{" + strings.Join(list, ", ") + "}", nil
}

// matters reports whether a part of an argument reaches a statement.
func (m *maker) matters(path string) bool {
	for _, set := range []map[string]domain{m.roles.keys, m.values} {
		for p := range set {
			if strings.HasPrefix(p, path) {
				return true
			}
		}
	}
	return false
}

// elements is a slice with the elements that statements speak of, one at least.
func (m *maker) elements(s *types.Slice, name, path string, depth int) (string, error) {
	if b, ok := s.Elem().Underlying().(*types.Basic); ok && b.Kind() == types.Byte {
		return name + `("v")`, nil
	}
	var list []string
	for i := range 4 {
		at := fmt.Sprintf("%s[%d]", path, i)
		if i > 0 && !m.matters(at) {
			break
		}
		text, err := m.expression(s.Elem(), at, depth+1)
		if err != nil {
			return "", err
		}
		list = append(list, text)
	}
	return name + "{" + strings.Join(list, ", ") + "}", nil
}
