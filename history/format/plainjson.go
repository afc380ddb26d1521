package format

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// What Go's decoder of JSON passes over without a word: characters that are not UTF-8 and halves
// of surrogate pairs, which all become the same character, so that two keys would be one; and a
// field that an object has twice, of which the last one counts.

// plainJSON says what of that a JSON text has. A text that is no JSON may be found plain.
func plainJSON(text []byte) error {
	if !utf8.Valid(text) {
		return fmt.Errorf("expected UTF-8, got a byte that is none: two names would be taken for one")
	}
	if bytes.Contains(text, []byte(`\u`)) {
		if err := paired(text); err != nil {
			return err
		}
	}
	f := fields{text: text}
	return f.value(0)
}

// paired says whether an escape is half of a surrogate pair.
func paired(text []byte) error {
	for i := 0; i+6 <= len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		var code rune
		if n, _ := fmt.Sscanf(string(text[i:i+6]), `\u%4x`, &code); n != 1 {
			i++ // what is escaped
			continue
		}
		var low rune
		switch {
		case code >= 0xd800 && code < 0xdc00 && i+12 <= len(text):
			if n, _ := fmt.Sscanf(string(text[i+6:i+12]), `\u%4x`, &low); n == 1 && low >= 0xdc00 && low < 0xe000 {
				i += 11
				continue
			}
			fallthrough
		case code >= 0xd800 && code < 0xe000:
			return fmt.Errorf("expected a character, got %s, half of one: two names would be taken for one", text[i:i+6])
		}
		i += 5
	}
	return nil
}

// fields looks for fields that an object has twice.
type fields struct {
	text []byte
	at   int
}

func (f *fields) space() {
	for f.at < len(f.text) && strings.IndexByte(" \t\r\n,:", f.text[f.at]) >= 0 {
		f.at++
	}
}

// quoted passes over a text and returns it with its quotes.
func (f *fields) quoted() []byte {
	from := f.at
	for f.at++; f.at < len(f.text); f.at++ {
		switch f.text[f.at] {
		case '\\':
			f.at++
		case '"':
			f.at++
			return f.text[from:f.at]
		}
	}
	return f.text[from:min(f.at, len(f.text))]
}

// value passes over a value.
func (f *fields) value(depth int) error {
	f.space()
	if f.at >= len(f.text) || depth > 10*deepest {
		f.at = len(f.text)
		return nil
	}
	switch f.text[f.at] {
	case '{':
		return f.object(depth)
	case '[':
		for f.at++; ; {
			f.space()
			if f.at >= len(f.text) || f.text[f.at] == ']' {
				f.at++
				return nil
			}
			if err := f.value(depth + 1); err != nil {
				return err
			}
		}
	case '"':
		f.quoted()
		return nil
	}
	from := f.at
	for f.at < len(f.text) && strings.IndexByte(" \t\r\n,:]}{[\"", f.text[f.at]) < 0 {
		f.at++
	}
	if f.at == from {
		f.at++
	}
	return nil
}

func (f *fields) object(depth int) error {
	var names []string
	var many map[string]bool
	for f.at++; ; {
		f.space()
		if f.at >= len(f.text) || f.text[f.at] != '"' {
			f.at++
			return nil
		}
		name := string(f.quoted())
		if strings.Contains(name, `\`) {
			var plain string
			if json.Unmarshal([]byte(name), &plain) == nil {
				name = `"` + plain + `"`
			}
		}
		twice := many[name]
		for i := 0; many == nil && i < len(names); i++ {
			twice = twice || names[i] == name
		}
		if twice {
			return fmt.Errorf("the field %s stands twice in an object", clip([]byte(name)))
		}
		if names = append(names, name); many != nil {
			many[name] = true
		} else if len(names) > 16 {
			many = map[string]bool{}
			for _, n := range names {
				many[n] = true
			}
		}
		if err := f.value(depth + 1); err != nil {
			return err
		}
	}
}

// utf8Reader fails where what it reads is not UTF-8, for what is decoded as it is read.
type utf8Reader struct {
	from io.Reader
	rest []byte // the beginning of a character
}

func (r *utf8Reader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	text := append(r.rest, p[:n]...)
	for len(text) > 0 {
		c, size := utf8.DecodeRune(text)
		if c == utf8.RuneError && size <= 1 {
			if utf8.FullRune(text) || err == io.EOF {
				return 0, fmt.Errorf("expected UTF-8, got a byte that is none: two names would be taken for one")
			}
			break
		}
		text = text[size:]
	}
	r.rest = append(r.rest[:0], text...)
	return n, err
}
