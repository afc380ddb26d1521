package configure

import (
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/explore/find/source"
	"github.com/txmc/txmc/explore/find/structure"
)

// What validators ask of texts by the tags of fields: an argument that is refused sends nothing. A column whose values are such
// arguments has texts of this form in its rows, too.

// form makes a text that a tag asks for of another one.
type form func(text string) string

// formOf is the form that a field's tag asks for; nil if it asks for none that is known.
func formOf(tag string) form {
	var rules []string
	for _, name := range []string{"binding", "validate", "valid"} {
		rules = append(rules, strings.Split(reflect.StructTag(tag).Get(name), ",")...)
	}
	var forms []form
	for _, rule := range rules {
		name, value, _ := strings.Cut(strings.TrimSpace(rule), "=")
		if name == "dive" {
			break // the rest is of elements
		}
		if f := formOfRule(name, value); f != nil {
			forms = append(forms, f)
		}
	}
	if len(forms) == 0 {
		return nil
	}
	return func(text string) string {
		for _, f := range forms {
			text = f(text)
		}
		return text
	}
}

// formOfRule is the form that one rule asks for, as go-playground's validator has them.
func formOfRule(name, value string) form {
	switch name {
	case "email":
		return func(text string) string { return text + "@example.com" }
	case "url", "uri", "http_url":
		return func(text string) string { return "http://example.com/" + text }
	case "uuid", "uuid4":
		return func(text string) string {
			return "00000000-0000-4000-8000-0000000000" + strconv.FormatInt(0x10+int64(text[0])%0xe0, 16)
		}
	case "e164":
		return func(text string) string { return "+1555000" + strconv.Itoa(1000+int(text[0])) }
	case "numeric", "number":
		return func(text string) string { return strconv.Itoa(1000 + int(text[0])) }
	case "oneof":
		if options := strings.Fields(value); len(options) > 0 {
			return func(string) string { return strings.Trim(options[0], "'") }
		}
	case "min", "gte", "len":
		if n, err := strconv.Atoi(value); err == nil && n > 1 && n < 100 {
			return func(text string) string { return text + strings.Repeat("0", max(n-len(text), 0)) }
		}
	}
	return nil
}

// tagOf is the tag of the field at a path of a call's arguments, such as body.Email; "" without one.
func tagOf(call *source.Call, path string) string {
	parts := strings.Split(path, ".")
	for v := range call.Takes().Params().Variables() {
		if v.Name() != parts[0] {
			continue
		}
		t, tag := v.Type(), ""
		for _, name := range parts[1:] {
			if p, ok := t.Underlying().(*types.Pointer); ok {
				t = p.Elem()
			}
			s, ok := t.Underlying().(*types.Struct)
			if !ok {
				return ""
			}
			i := slices.IndexFunc(slices.Collect(s.Fields()), func(f *types.Var) bool { return f.Name() == name })
			if i < 0 {
				return ""
			}
			t, tag = s.Field(i).Type(), s.Tag(i)
		}
		return tag
	}
	return ""
}

// formed notes the columns whose values are arguments of some form.
func formed(s *structure.Step, o access.Operand, d domain) {
	if v := s.Args[o.Param-1]; v.Op == source.Param && s.Transaction.Call != nil && s.Transaction.Call.Func != nil {
		if f := formOf(tagOf(s.Transaction.Call, v.Path)); f != nil {
			d.table.Columns[d.column].Form = f
		}
	}
}
