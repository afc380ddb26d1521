package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/txmc/txmc/history"
)

// stream reads a JSON text piece by piece, so that a large one is never in memory.
type stream struct {
	s *source
	d *json.Decoder
}

func newStream(s *source) *stream {
	b := &bounded{from: &utf8Reader{from: s}}
	b.d = json.NewDecoder(b)
	b.d.UseNumber()
	return &stream{s, b.d}
}

// bounded fails when a value is longer than [longest], as a decoder keeps the whole
// of it.
type bounded struct {
	from io.Reader
	d    *json.Decoder
	read int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.read-b.d.InputOffset() > longest {
		return 0, fmt.Errorf("a value is longer than %d bytes", longest)
	}
	n, err := b.from.Read(p)
	b.read += int64(n)
	return n, err
}

// fail says where the text is not what it should be.
func (j *stream) fail(err error, want string) error {
	at := j.d.InputOffset()
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return j.s.errorByte(syntax.Offset, "%s: %v", want, syntax)
	}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return j.s.errorByte(at, "%s, got a %s for %s", want, wrong.Value, wrong.Field)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return j.s.errorByte(at, "%s, and the file ends early", want)
	}
	if err != nil {
		return j.s.errorByte(at, "%s: %v", want, err)
	}
	return j.s.errorByte(at, "%s", want)
}

// delim passes over a bracket.
func (j *stream) delim(r json.Delim, want string) error {
	token, err := j.d.Token()
	if err != nil || token != r {
		return j.fail(err, want)
	}
	return nil
}

// list calls each for every element of a list, which each has to consume.
func (j *stream) list(want string, each func(at int64) error) error {
	if err := j.delim('[', want); err != nil {
		return err
	}
	for j.d.More() {
		if err := each(j.d.InputOffset()); err != nil {
			return err
		}
	}
	return j.delim(']', want)
}

// value decodes the next value into v.
func (j *stream) value(v any, want string) error {
	at := j.d.InputOffset()
	var text json.RawMessage
	if err := j.d.Decode(&text); err != nil {
		return j.fail(err, want)
	}
	if err := plainJSON(text); err != nil {
		return j.s.errorByte(at, "%v", err)
	}
	if err := unmarshalNumbers(text, v); err != nil {
		return j.fail(err, want)
	}
	return nil
}

// unmarshalNumbers decodes a JSON text whose numbers stay as they are written.
func unmarshalNumbers(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(v)
}

// valueOf is a JSON scalar as a value; null is the initial one.
func valueOf(v any) (history.Value, error) {
	switch v := v.(type) {
	case nil:
		return history.Value{Kind: history.Initial}, nil
	case json.Number:
		return decimalOf(v.String())
	case string:
		return history.Value{Text: v, Kind: history.Text}, nil
	case bool:
		return history.Value{Text: fmt.Sprint(v), Kind: history.Literal}, nil
	}
	return history.Value{}, fmt.Errorf("expected a number, a text or null as a value, got %s", short(v))
}

// keyOf is a JSON scalar as a key.
func keyOf(s *source, v any) (string, error) {
	switch v := v.(type) {
	case json.Number:
		n, err := decimalOf(v.String())
		return s.keyOf(numberKey, []byte(n.String())), err
	case string:
		return s.key([]byte(v)), nil
	}
	return "", fmt.Errorf("expected a number or a text as a key, got %s", short(v))
}
