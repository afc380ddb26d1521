package source

import (
	"fmt"
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Arguments by name: pgx.NamedArgs puts $1 in the place of the first @name, and so on. Maps of such types are
// followed where their keys are constants.

// anyKey is the cell of a map that has keys which are not known.
const anyKey = ".?"

// rewrites reports whether values of a type make the statement anew to which they are given.
func rewrites(t types.Type) bool {
	return t != nil && types.NewMethodSet(t).Lookup(nil, "RewriteQuery") != nil
}

// mapped stores an element of a map of arguments.
func (f *frame) mapped(i *ssa.MapUpdate) {
	m := f.value(i.Map)
	if m.Op != Pointer || !rewrites(m.Type) {
		return
	}
	key := anyKey
	if k := f.value(i.Key); k.Op == Const && k.Const.Kind() == constant.String {
		key = "." + constant.StringVal(k.Const)
	}
	m.cell.at(key).store(f.value(i.Value), len(f.guards()) == 0)
}

// byName is a statement with $1 and so on in the place of names, and the values of these; false where an argument
// makes the statement in another way.
func byName(sql string, args []*Value) (text string, given []*Value, ok bool) {
	i := slices.IndexFunc(args, func(v *Value) bool { return rewrites(v.Type) })
	if i < 0 {
		return sql, args, true
	}
	switch types.TypeString(args[i].Type, nil) {
	case "github.com/jackc/pgx/v5.NamedArgs", "github.com/jackc/pgx/v5.StrictNamedArgs":
	default:
		return "", nil, false
	}
	text, names := numbered(sql)
	for _, name := range names {
		given = append(given, args[i].element("."+name))
	}
	return text, given, true
}

// element is the value of a key of a map of arguments.
func (v *Value) element(path string) *Value {
	if v.Op != Pointer || v.cell.object.cells[v.cell.path+anyKey] != nil {
		return unknown
	}
	if e := v.cell.object.cells[v.cell.path+path]; e != nil {
		return e
	}
	return unknown
}

// numbered puts $1, $2, … in the place of @name outside of quotes and comments, and lists the names.
func numbered(sql string) (text string, names []string) {
	var b strings.Builder
	for len(sql) > 0 {
		n := quotedOrComment(sql)
		if n > 0 {
			b.WriteString(sql[:n])
			sql = sql[n:]
			continue
		}
		name := ""
		if sql[0] == '@' {
			name = sql[1 : len(sql)-len(strings.TrimLeft(sql[1:], letters+"0123456789"))]
		}
		if name == "" || !strings.ContainsRune(letters, rune(name[0])) {
			b.WriteByte(sql[0])
			sql = sql[1:]
			continue
		}
		at := slices.Index(names, name)
		if at < 0 {
			at, names = len(names), append(names, name)
		}
		fmt.Fprintf(&b, "$%d", at+1)
		sql = sql[1+len(name):]
	}
	return b.String(), names
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

// quotedOrComment is the length of the quoted text or comment with which a text begins; 0 where none does.
func quotedOrComment(sql string) int {
	for _, of := range []struct{ begin, end string }{{"'", "'"}, {`"`, `"`}, {"--", "\n"}, {"/*", "*/"}} {
		if rest, ok := strings.CutPrefix(sql, of.begin); ok {
			if i := strings.Index(rest, of.end); i >= 0 {
				return len(of.begin) + i + len(of.end)
			}
			return len(sql)
		}
	}
	return 0
}
