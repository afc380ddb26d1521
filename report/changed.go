package report

import (
	"strings"
	"unicode"
)

// A struct or map that a transaction changes is shown by the fields that differ
// from what the transaction knew of it: the others would hide these. The texts are
// compared, for recorded histories and reports in JSON have nothing else.

// longFields is how wide a text is that is shown by its changes, in columns.
const longFields = 40

// changes shortens the text is, if it is wider than long columns, to the fields that
// differ from was, and those again where the text stays wider. It returns is itself when it
// is no wider, or when the two texts differ in shape.
func changes(was, is string, long int) string {
	if was == is || cells(is) <= long {
		return is
	}
	if s := differing(was, is, func(_, value string) string { return value }); cells(s) <= long {
		return s
	}
	return differing(was, is, func(before, value string) string { return changes(before, value, shortField) })
}

// shortField is how wide a field is that is not shown by its changes in turn, in columns.
const shortField = 12

// differing lists the fields of a text that differ from those of another one, with values
// as show makes them.
func differing(was, is string, show func(before, value string) string) string {
	open, old := fields(was)
	openToo, now := fields(is)
	if open == "" || open != openToo {
		return is
	}
	known := map[string]string{}
	for _, f := range old {
		known[f.name] = f.value
	}
	var parts []string
	for _, f := range now {
		if before, ok := known[f.name]; !ok || before != f.value {
			parts = append(parts, f.name+":"+show(before, f.value))
		}
		delete(known, f.name)
	}
	if open[len(open)-1] == '{' && len(known) > 0 {
		return is
	}
	for _, f := range old {
		if _, gone := known[f.name]; gone {
			parts = append(parts, "no "+f.name)
		}
	}
	omitted := "… "
	if len(parts) == len(now) {
		omitted = ""
	}
	if s := open + omitted + strings.Join(parts, " ") + is[len(is)-1:]; cells(s) < cells(is) {
		return s
	}
	return is
}

// field is a field of a struct or an entry of a map.
type field struct{ name, value string }

// fields splits the text of a struct or map as Go prints it; open is how it begins,
// "" when it is neither.
func fields(text string) (open string, list []field) {
	for _, o := range []string{"{", "&{", "map["} {
		if strings.HasPrefix(text, o) {
			open = o
		}
	}
	if open == "" || len(text) <= len(open) || !strings.ContainsRune("}]", rune(text[len(text)-1])) {
		return "", nil
	}
	for _, word := range outer(text[len(open) : len(text)-1]) {
		name, value, ok := strings.Cut(word, ":")
		switch {
		case ok && name != "" && (name[0] == '"' || !strings.ContainsFunc(name, unicode.IsSpace)):
			list = append(list, field{name, value})
		case len(list) == 0:
			return "", nil
		default: // a text with spaces goes on
			list[len(list)-1].value += " " + word
		}
	}
	return open, list
}

// outer splits a text at spaces that no bracket and no quotes enclose.
func outer(text string) (words []string) {
	depth, start, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		case c == ' ' && depth == 0:
			words = append(words, text[start:i])
			start = i + 1
		}
	}
	return append(words, text[start:])
}
