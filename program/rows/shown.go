package rows

import (
	"fmt"
	"maps"
	"slices"
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
