package mock

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/txmc/txmc/pg/wire"
	"github.com/txmc/txmc/program/rows"
)

// Encodings of clients. PostgreSQL in WebAssembly has the conversions of UTF-8 and LATIN1 only:
// with others all texts were empty, those of errors too.

// encoded are the names of the encodings that are served, without what is no letter or digit.
var encoded = map[string]bool{"": true, "default": true, "utf8": true, "unicode": true, "latin1": true, "iso88591": true, "sqlascii": true}

// unserved is the error of a client that asks for an encoding which is not served.
func unserved(encoding string) *Error {
	name := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, strings.ToLower(encoding))
	if encoded[name] {
		return nil
	}
	return &Error{"0A000", fmt.Sprintf("txmc serve does not have the client encoding %s: use UTF8", strings.Trim(encoding, "'\""))}
}

// settingEncoding matches a statement that sets the encoding, with a name.
var settingEncoding = regexp.MustCompile(`(?is)^set\s+(?:session\s+|local\s+)?(?:client_encoding\s*(?:=|\s+to\s)\s*|names\s+)('[^']*'|"[^"]*"|\w+)\s*;?\s*$`)

// encodes is what a message becomes that asks for an encoding which is not served; nil for all
// others.
func encodes(m []byte) []byte {
	text, ok := wire.Text(m)
	if !ok {
		return nil
	}
	words := settingEncoding.FindStringSubmatch(strings.TrimSpace(rows.WithoutComment(text)))
	if words == nil {
		return nil
	}
	err := unserved(words[1])
	switch {
	case err == nil:
		return nil
	case m[0] == 'Q':
		return wire.Query(instead(err))
	}
	return prepared(wire.Name(m), err)
}

// parameter is a parameter of a startup message.
func parameter(startup []byte, name string) string {
	words := strings.Split(string(startup[8:]), "\x00")
	for i := 0; i+1 < len(words) && words[i] != ""; i += 2 {
		if words[i] == name {
			return words[i+1]
		}
	}
	return ""
}
