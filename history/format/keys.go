package format

import (
	"fmt"
	"strconv"
)

// Names of keys. A file may have the number 1 and the text "1" as keys, or the keyword :x
// and the text "x". These are different keys. The first of them in the file has its plain
// name, and others have one that says what they are.

// keyKind is what a key is in the file.
type keyKind uint8

const (
	textKey keyKind = iota
	numberKey
	wordKey    // a keyword or a symbol
	otherKey   // true, false and nil
	sessionKey // no key, but the name of a session

	keyKinds
)

// keyNames are the names of the keys of a file. Each text is in memory once.
type keyNames struct {
	names [keyKinds]map[string]string // by the text of a key: its name
	few   [keyKinds][]string          // the names of keys that are small numbers
	told  map[string]bool             // names that say what the key is
}

// key is a text without memory of its own for each time that it occurs.
func (s *source) key(b []byte) string { return s.keyOf(textKey, b) }

// keyOf is the name of a key of a kind.
func (k *keyNames) keyOf(kind keyKind, b []byte) string {
	n, ok := small(b)
	if !ok {
		if name, ok := k.names[kind][string(b)]; ok {
			return name
		}
		if k.names[kind] == nil {
			k.names[kind] = map[string]string{}
		}
		name := k.newName(kind, string(b))
		k.names[kind][string(b)] = name
		return name
	}
	if n >= len(k.few[kind]) {
		k.few[kind] = append(k.few[kind], make([]string, n+1-len(k.few[kind]))...)
	}
	if k.few[kind][n] == "" {
		k.few[kind][n] = k.newName(kind, string(b))
	}
	return k.few[kind][n]
}

// newName is a name that no other key has.
func (k *keyNames) newName(kind keyKind, text string) string {
	if kind == sessionKey || !k.taken(kind, text) {
		return text
	}
	name := text
	switch kind {
	case textKey:
		name = strconv.Quote(text)
	case numberKey:
		name += " (number)"
	case wordKey:
		name = ":" + text
	default:
		name += " (no text)"
	}
	for k.taken(keyKinds, name) {
		name += "'"
	}
	if k.told == nil {
		k.told = map[string]bool{}
	}
	k.told[name] = true
	return name
}

// taken reports whether a key of another kind has the name.
func (k *keyNames) taken(kind keyKind, name string) bool {
	n, isSmall := small([]byte(name))
	for other := range sessionKey {
		if other == kind {
			continue
		}
		if isSmall && n < len(k.few[other]) && k.few[other][n] != "" {
			return true
		}
		if _, ok := k.names[other][name]; ok {
			return true
		}
	}
	return k.told[name]
}

// small returns the number that a text of up to five digits is: looking that up in a
// list is much faster than in a map.
func small(b []byte) (n int, ok bool) {
	if len(b) == 0 || len(b) > 5 || b[0] == '0' && len(b) > 1 {
		return 0, false
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, true
}

// keyOfEDN is the name of a key in EDN.
func keyOfEDN(s *source, v any) string {
	switch v := v.(type) {
	case int64:
		return s.keyOf(numberKey, strconv.AppendInt(nil, v, 10))
	case ednNumber:
		if n, err := decimalOf(string(v)); err == nil {
			return s.keyOf(numberKey, []byte(n.String()))
		}
	case keyword:
		return s.keyOf(wordKey, []byte(v))
	case string:
		return s.key([]byte(v))
	}
	return s.keyOf(otherKey, []byte(word(v)))
}

// mapKey is the name of a key of a map. In JSON such a key is a text where a number is
// meant.
func mapKey(s *source, v any, isJSON bool) string {
	if k, ok := v.(keyword); ok && isJSON {
		if n, err := strconv.ParseInt(string(k), 10, 64); err == nil && fmt.Sprint(n) == string(k) {
			return s.keyOf(numberKey, []byte(k))
		}
		return s.key([]byte(k))
	}
	return keyOfEDN(s, v)
}
