package requests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// element matches a part of a path: .name or [number].
var element = regexp.MustCompile(`^(?:\.([^.\[\]]+)|\[(\d+)\])`)

// at is what a path such as $.items[0].id leads to in a JSON text: a text as it is, all else as JSON.
func at(body, path string) (string, error) {
	d := json.NewDecoder(bytes.NewReader([]byte(body)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return "", fmt.Errorf("the response is no JSON: %.80q", body)
	}
	rest, ok := strings.CutPrefix(path, "$")
	if !ok {
		return "", fmt.Errorf("%q is no path such as $.id", path)
	}
	for rest != "" {
		f := element.FindStringSubmatch(rest)
		if f == nil {
			return "", fmt.Errorf("%q is no path such as $.items[0].id", path)
		}
		rest = rest[len(f[0]):]
		if v, ok = below(v, f[1], f[2]); !ok {
			return "", fmt.Errorf("%s is not in the response: %.80q", path, body)
		}
	}
	if s, is := v.(string); is {
		return s, nil
	}
	b, err := json.Marshal(v)
	return string(b), err
}

// below is a member of an object, or an element of an array.
func below(v any, name, index string) (any, bool) {
	if name != "" {
		m, _ := v.(map[string]any)
		v, ok := m[name]
		return v, ok
	}
	list, _ := v.([]any)
	i, err := strconv.Atoi(index)
	if err != nil || i >= len(list) {
		return nil, false
	}
	return list[i], true
}
