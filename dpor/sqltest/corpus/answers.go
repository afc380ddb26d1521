// How an answer is compared with a recorded one. Recorded are JSON values; a time,
// a UUID or another value that differs from run to run is "<time>", "<uuid>" or
// "<volatile>". The order of rows counts where the statement has ORDER BY.

package corpus

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Arg is an argument of a statement.
type Arg struct {
	Type, Elem string
	V          json.RawMessage
}

// value is the argument as an application passes it.
func (a Arg) value(t *testing.T) any {
	switch a.Type {
	case "null":
		return nil
	case "array":
		return a.array(t)
	case "int":
		return decoded[int64](t, a.V)
	case "float":
		return decoded[float64](t, a.V)
	case "bool":
		return decoded[bool](t, a.V)
	case "bytes":
		return unhex(t, decoded[string](t, a.V))
	case "time":
		return decoded[time.Time](t, a.V)
	}
	return decoded[string](t, a.V)
}

func (a Arg) array(t *testing.T) any {
	switch a.Elem {
	case "int":
		return decoded[[]int64](t, a.V)
	case "float":
		return decoded[[]float64](t, a.V)
	case "bool":
		return decoded[[]bool](t, a.V)
	case "nulltext":
		return decoded[[]*string](t, a.V)
	case "nullint":
		return decoded[[]*int64](t, a.V)
	case "time":
		return decoded[[]time.Time](t, a.V)
	case "bytes":
		var list [][]byte
		for _, s := range decoded[[]string](t, a.V) {
			list = append(list, unhex(t, s))
		}
		return list
	}
	return decoded[[]string](t, a.V)
}

func decoded[T any](t *testing.T, b []byte) (v T) {
	t.Helper()
	decode(t, b, &v)
	return v
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Recorded is a value of a driver as it is recorded, of a server whose columns of bytes
// have these types.
func Recorded(v any, typ string, bytes ...string) any {
	switch v := v.(type) {
	case time.Time:
		if typ == "DATE" {
			return v.UTC().Format(time.DateOnly)
		}
		return v.UTC().Format(time.RFC3339Nano)
	case []byte:
		if slices.Contains(bytes, typ) {
			return `\x` + hex.EncodeToString(v)
		}
		return string(v)
	}
	return v
}

// Differs says how an answer to a statement differs; "" when it does not.
func Differs(sql string, want, got Answer) string {
	switch {
	case want.OK != got.OK || want.Code != got.Code:
		return fmt.Sprintf("got %v %s %s, want %v %s %s", got.OK, got.Code, got.Message, want.OK, want.Code, want.Message)
	case !want.OK:
		return ""
	case want.Affected != nil && (got.Affected == nil || *want.Affected != *got.Affected):
		return fmt.Sprintf("rows affected: got %s, want %d", number(got.Affected), *want.Affected)
	case want.LastID != nil && (got.LastID == nil || *want.LastID != *got.LastID):
		return fmt.Sprintf("LastInsertId: got %s, want %d", number(got.LastID), *want.LastID)
	case !slices.Equal(want.Columns, got.Columns):
		return fmt.Sprintf("columns: got %q, want %q", got.Columns, want.Columns)
	case len(want.Rows) != len(got.Rows):
		return fmt.Sprintf("got %d rows, want %d", len(got.Rows), len(want.Rows))
	}
	left := slices.Clone(got.Rows)
	ordered := ordering.MatchString(sql)
	for i, row := range want.Rows {
		k := slices.IndexFunc(left, func(r []any) bool { return slices.EqualFunc(row, r, same) })
		if k < 0 || ordered && k > 0 {
			return fmt.Sprintf("row %d: got %v, want %v", i+1, got.Rows, want.Rows)
		}
		left = slices.Delete(left, k, k+1)
	}
	return ""
}

func number(n *int64) string {
	if n == nil {
		return "none"
	}
	return strconv.FormatInt(*n, 10)
}

var ordering = regexp.MustCompile(`(?i)\border\s+by\b`)

// same reports whether got is what was recorded.
func same(want, got any) bool {
	if want == nil || got == nil {
		return want == nil && got == nil
	}
	g := canonical(got)
	if want == "<volatile>" {
		return true
	}
	if w, ok := want.(string); ok && placeholder.MatchString(w) {
		pattern := regexp.QuoteMeta(canonical(want))
		pattern = strings.ReplaceAll(pattern, "<time>", instant)
		pattern = strings.ReplaceAll(pattern, "<uuid>", `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
		return regexp.MustCompile("^" + pattern + "$").MatchString(g)
	}
	return canonical(want) == g
}

var placeholder = regexp.MustCompile(`<time>|<uuid>`)

const instant = `\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?)?`

// canonical writes equal values in one way: numbers, times, and JSON, whatever
// their spaces.
func canonical(v any) string {
	switch v := v.(type) {
	case float64:
		return strconv.FormatFloat(v, 'g', 12, 64)
	case int64:
		return strconv.FormatFloat(float64(v), 'g', 12, 64)
	case string:
		if f, err := strconv.ParseFloat(v, 64); err == nil && strings.ContainsAny(v, ".eE") {
			return strconv.FormatFloat(f, 'g', 12, 64)
		}
		if at, err := time.Parse(time.RFC3339Nano, v); err == nil {
			return at.UTC().Format(time.RFC3339Nano)
		}
		var x any
		if strings.HasPrefix(v, "{") || strings.HasPrefix(v, "[") {
			if json.Unmarshal([]byte(v), &x) == nil {
				return fmt.Sprint(x)
			}
		}
		return v
	}
	return fmt.Sprint(v)
}
