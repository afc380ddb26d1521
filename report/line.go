package report

import (
	"bytes"
	"encoding/json"
)

// Line encodes a value as one line of JSON, newline included. The characters <,
// > and & stand for themselves.
func Line(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Parse decodes one line into v, which points to a struct of this package.
// Numbers in values keep all their digits.
func Parse(line []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if err := d.Decode(v); err != nil {
		return &LineError{err}
	}
	return nil
}

// LineError is met where a line is not what its type says.
type LineError struct{ Err error }

// Error is the error of the line.
func (e *LineError) Error() string { return e.Err.Error() }

// Unwrap returns the error of the line.
func (e *LineError) Unwrap() error { return e.Err }

// Type returns the field "type" of a line that [Line] made, or "" when it has
// none. It does not look at the rest: listings are long.
func Type(line []byte) string {
	rest, ok := bytes.CutPrefix(line, []byte(`{"type":"`))
	if !ok {
		return ""
	}
	name, _, _ := bytes.Cut(rest, []byte(`"`))
	return string(name)
}
