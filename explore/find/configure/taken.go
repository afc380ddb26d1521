package configure

import (
	"cmp"
	"fmt"
	"go/constant"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// Values of types that are made of others by methods of their own, such as identifiers, decimals and columns that may be
// NULL, and of types with constants.

// taken is a value of a type with constants, or with a method that takes one.
func (m *maker) taken(t types.Type, name, path string) (string, bool) {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || types.IsInterface(n) {
		return "", false
	}
	if b, basic := n.Underlying().(*types.Basic); basic {
		list := m.constants(n)
		_, key := m.keys[path]
		_, value := m.values[path]
		if len(list) == 0 || key || value || b.Info()&(types.IsString|types.IsInteger) == 0 {
			return "", false
		}
		return list[m.number%len(list)], true
	}
	if !takes(n, "Scan") && !takes(n, "UnmarshalText") {
		return "", false
	}
	var list []string
	amount := m.amount()
	id, day := fmt.Sprintf("00000000-0000-4000-8000-%012d", max(amount, -amount)), fmt.Sprintf("2024-01-%02dT00:00:00Z", 1+amount%28)
	if key, ok := m.keys[path]; ok {
		list = append(list, key)
	} else if d, ok := m.values[path]; ok && !number(base(d.table.Columns[d.column].Type)) {
		list = append(list, d.text(1+m.number+stride*m.variant.Marked))
	}
	if _, array := n.Underlying().(*types.Array); array {
		list = append(list, id)
	}
	list = append(list, strconv.Itoa(amount), id, day, "true", "{}", fmt.Sprintf("192.0.2.%d", 1+max(amount, -amount)%250))
	m.give(path, strconv.Quote(list[0]))
	for i := range list {
		list[i] = strconv.Quote(list[i])
	}
	return fmt.Sprintf("value[%s](%s)", name, strings.Join(list, ", ")), true
}

// takes reports whether a pointer to a type has a method that takes a value and returns an error.
func takes(n *types.Named, method string) bool {
	o, _, _ := types.LookupFieldOrMethod(types.NewPointer(n), true, n.Obj().Pkg(), method)
	fn, ok := o.(*types.Func)
	if !ok || types.TypeString(n, nil) == "time.Time" {
		return false
	}
	sig := fn.Type().(*types.Signature)
	return sig.Params().Len() == 1 && sig.Results().Len() == 1 && !sig.Variadic() && types.TypeString(sig.Results().At(0).Type(), nil) == "error"
}

// constants are the exported constants of a type, in their package's order of names, without the zero value.
func (m *maker) constants(n *types.Named) (list []string) {
	if n.Obj().Pkg() == nil {
		return nil
	}
	scope := n.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		c, ok := scope.Lookup(name).(*types.Const)
		if ok && c.Exported() && types.Identical(c.Type(), n) && !slices.Contains([]string{"0", `""`}, exact(c)) {
			list = append(list, m.qualify(n.Obj().Pkg())+"."+name)
		}
	}
	return list
}

func exact(c *types.Const) string {
	if c.Val().Kind() == constant.String || c.Val().Kind() == constant.Int {
		return c.Val().ExactString()
	}
	return ""
}

// hidden is a type that is named in the text of another one, and cannot be named in another package; nil where there
// is none.
func hidden(t types.Type) *types.TypeName {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if o := t.Obj(); o.Pkg() != nil && !o.Exported() {
			return o
		}
		for arg := range t.TypeArgs().Types() {
			if o := hidden(arg); o != nil {
				return o
			}
		}
	case *types.Map:
		return cmp.Or(hidden(t.Key()), hidden(t.Elem()))
	case interface{ Elem() types.Type }: // a pointer, an array, a slice or a channel
		return hidden(t.Elem())
	case *types.Signature:
		for _, list := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range list.Variables() {
				if o := hidden(v.Type()); o != nil {
					return o
				}
			}
		}
	}
	return nil
}

// stub is a function that does nothing.
func (m *maker) stub(sig *types.Signature) string {
	var params, results []string
	for i := range sig.Params().Len() {
		t := types.TypeString(sig.Params().At(i).Type(), types.Qualifier(m.qualify))
		if sig.Variadic() && i == sig.Params().Len()-1 {
			t = "..." + strings.TrimPrefix(t, "[]")
		}
		params = append(params, "_ "+t)
	}
	for i := range sig.Results().Len() {
		results = append(results, fmt.Sprintf("r%d %s", i, types.TypeString(sig.Results().At(i).Type(), types.Qualifier(m.qualify))))
	}
	return fmt.Sprintf("func(%s) (%s) { return }", strings.Join(params, ", "), strings.Join(results, ", "))
}

// entries is a map with some entries, or without any where none can be made up.
func (m *maker) entries(t *types.Map, name, path string, depth int) string {
	b, ok := t.Key().Underlying().(*types.Basic)
	if !ok || b.Info()&(types.IsString|types.IsInteger) == 0 {
		return name + "{}"
	}
	var list []string
	for k := 1; k <= most; k++ {
		key := strconv.Itoa(k)
		if d, ok := m.maps[path]; ok {
			key = d.text(k)
		} else if b.Info()&types.IsString != 0 {
			key = string(rune('a' + k - 1))
		}
		if b.Info()&types.IsString != 0 {
			key = strconv.Quote(key)
		}
		value, err := m.expression(t.Elem(), path+"["+key+"]", depth+1)
		if err != nil {
			return name + "{}"
		}
		list = append(list, key+": "+value)
	}
	return name + "{" + strings.Join(list, ", ") + "}"
}
