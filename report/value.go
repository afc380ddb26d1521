package report

import (
	"math"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/txmc/txmc/program/behaviour"
)

// value returns v as JSON says it, and the text that Go prints for it where the
// two differ.
func (s Source) value(v behaviour.ValueID) (value any, text string) {
	printed := s.Names.Format(v)
	value = native(s.Names.Value(v))
	if text, long := value.(string); long && behaviour.Cut(text) != text {
		value = nil // a long text is cut everywhere
	}
	if value == nil && printed != "nil" {
		value = printed
	}
	if literal(value) != printed {
		text = printed
	}
	return value, text
}

// native is v as a value that JSON knows, or nil.
func native(v any) any {
	if v == nil {
		return nil
	}
	switch r := reflect.ValueOf(v); {
	case r.Kind() == reflect.Bool:
		return r.Bool()
	case r.CanInt():
		return r.Int()
	case r.CanUint():
		return r.Uint()
	case r.CanFloat() && !math.IsNaN(r.Float()) && !math.IsInf(r.Float(), 0):
		if r.Kind() == reflect.Float32 {
			return float32(r.Float())
		}
		return r.Float()
	case r.Kind() == reflect.String && utf8.ValidString(r.String()):
		return r.String()
	}
	return nil
}

// literal is how Event.Value reads in a report that has no Event.Text.
func literal(v any) string {
	if v == nil {
		return "nil"
	}
	b, err := Line(v)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(b), "\n")
}

// shown is the text of a value in reports.
func shown(value any, text string) string {
	if text != "" {
		return text
	}
	return literal(value)
}
