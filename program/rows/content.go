package rows

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// Content is what a variable of a row holds: the values of its columns, as SQL
// writes them; whole numbers and booleans as such, nil for NULL.
type Content map[string]any

// Key is equal for equal contents only.
func (m Content) Key() string {
	b := make([]byte, 0, 16*len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		b = append(binary.AppendUvarint(b, uint64(len(name))), name...)
		switch v := m[name].(type) {
		case nil:
			b = append(b, 'n')
		case bool:
			b = strconv.AppendBool(append(b, 'b'), v)
		case int64:
			b = append(strconv.AppendInt(append(b, 'i'), v, 10), ';')
		case string:
			b = append(binary.AppendUvarint(append(b, 's'), uint64(len(v))), v...)
		default:
			b = fmt.Appendf(append(b, '?'), "%#v;", v)
		}
	}
	return string(b)
}

// KeyOf is the key of what a variable of a row holds: "" where there is no row.
func KeyOf(v any) string {
	if m, ok := v.(Content); ok {
		return m.Key()
	}
	return ""
}
