package wire

import (
	"encoding/hex"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/dolthub/vitess/go/vt/proto/query"
)

// substitute puts arguments in place of question marks, outside of texts, names in
// quotes and comments. It is for people to read, not to be run.
func substitute(sql string, args map[string]*query.BindVariable) string {
	if len(args) == 0 {
		return sql
	}
	var b strings.Builder
	n := 0
	for i := 0; i < len(sql); i++ {
		rest := sql[i:]
		skip := 1
		switch {
		case rest[0] == '\'' || rest[0] == '"' || rest[0] == '`':
			skip = 2 + upTo(rest[1:], rest[:1])
		case strings.HasPrefix(rest, "/*"):
			skip = 4 + upTo(rest[2:], "*/")
		case strings.HasPrefix(rest, "-- ") || rest[0] == '#':
			skip = 1 + upTo(rest, "\n")
		case rest[0] == '?':
			n++
			b.WriteString(argument(args["v"+strconv.Itoa(n)]))
			continue
		}
		skip = min(skip, len(rest))
		b.WriteString(rest[:skip])
		i += skip - 1
	}
	return b.String()
}

// literals are arguments in the order of their parameters.
func literals(args map[string]*query.BindVariable) (list []string) {
	for range args {
		list = append(list, argument(args["v"+strconv.Itoa(len(list)+1)]))
	}
	return list
}

// upTo is the length of a text before the first end, or of all of it.
func upTo(text, end string) int {
	if i := strings.Index(text, end); i >= 0 {
		return i
	}
	return len(text)
}

// argument is a value as a literal, cut when it is long.
func argument(v *query.BindVariable) string {
	switch {
	case v == nil || v.Type == sqltypes.Null:
		return "NULL"
	case sqltypes.IsIntegral(v.Type) || sqltypes.IsFloat(v.Type) || v.Type == sqltypes.Decimal:
		return string(v.Value)
	}
	text := string(v.Value)
	if !utf8.ValidString(text) {
		text = `\x` + hex.EncodeToString(v.Value)
	}
	return "'" + strings.ReplaceAll(shorten(text), "'", "''") + "'"
}
