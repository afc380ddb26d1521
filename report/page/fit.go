package page

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/txmc/txmc/report"
)

// lengths are the lengths, in characters, to which long texts are cut one after
// the other until a violation fits.
var lengths = []int{4000, 400, 60}

// fit returns v with long texts cut, and the size of its JSON. The JSON has at most
// mostBytes. v is nil when even that is not enough. What names something is never cut.
func fit(v *report.Violation) (*report.Violation, int) {
	b, err := json.Marshal(v)
	if err != nil || len(b) <= mostBytes {
		return v, len(b) // an error shows in Write
	}
	for _, length := range lengths {
		var fields any
		if err := json.Unmarshal(b, &fields); err != nil {
			return nil, 0
		}
		cut(fields, length)
		short, err := json.Marshal(fields)
		if err != nil {
			return nil, 0
		}
		if len(short) > mostBytes {
			continue
		}
		smaller := &report.Violation{}
		if err := json.Unmarshal(short, smaller); err != nil {
			return nil, 0
		}
		return smaller, len(short)
	}
	return nil, 0
}

// texts are the fields that may be cut: what is only shown.
var texts = map[string]bool{"value": true, "text": true, "message": true, "error": true, "sentences": true, "stack": true}

// cut shortens the texts in a decoded JSON value.
func cut(fields any, length int) {
	switch fields := fields.(type) {
	case map[string]any:
		for name, v := range fields {
			if texts[name] {
				fields[name] = shortened(v, length)
			} else {
				cut(v, length)
			}
		}
	case []any:
		for _, v := range fields {
			cut(v, length)
		}
	}
}

func shortened(v any, length int) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = shortened(v[i], length)
		}
	case string:
		if n := utf8.RuneCountInString(v); n > length {
			return fmt.Sprintf("%s… (%d characters)", string([]rune(v)[:length]), n)
		}
	}
	return v
}
