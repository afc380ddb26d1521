package rows

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// String renders a content for people: {bal:100 id:1 owner:ann}. Texts with spaces
// or signs of this notation are quoted.
func (m Content) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		text := fmt.Sprint(m[name])
		switch v := m[name].(type) {
		case nil:
			text = "NULL"
		case string:
			if v == "" || strings.ContainsAny(v, " \t\n\"{}[]:'") {
				text = fmt.Sprintf("%q", v)
			}
		}
		parts = append(parts, name+":"+text)
	}
	return "{" + strings.Join(parts, " ") + "}"
}

// Columns are the texts of the columns in a rendered content, as they stand in it; of what is not
// understood, or was cut, those before it.
func Columns(shown string) map[string]string {
	columns := map[string]string{}
	rest, _ := strings.CutPrefix(shown, "{")
	for {
		name, text, found := strings.Cut(rest, ":")
		if !found {
			return columns
		}
		value := text
		if quoted, err := strconv.QuotedPrefix(text); strings.HasPrefix(text, `"`) && err == nil {
			value = quoted
		} else if end := strings.IndexAny(text, " }"); end >= 0 {
			value = text[:end]
		}
		columns[name] = value
		if rest, found = strings.CutPrefix(text[len(value):], " "); !found {
			return columns
		}
	}
}
