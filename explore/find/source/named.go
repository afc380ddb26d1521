package source

import (
	"context"
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
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
	text, list, err := namedIn(args[i]).RewriteQuery(context.Background(), nil, sql, nil)
	for _, v := range list {
		v, known := v.(*Value)
		if !known {
			v = unknown
		}
		given = append(given, v)
	}
	return text, given, err == nil
}

// namedIn are the values of a map of arguments that are known.
func namedIn(v *Value) pgx.NamedArgs {
	named := pgx.NamedArgs{}
	if v.Op != Pointer || v.cell.object.cells[v.cell.path+anyKey] != nil {
		return named
	}
	for path, of := range v.cell.object.cells {
		if key, ok := strings.CutPrefix(path, v.cell.path+"."); ok {
			named[key] = of
		}
	}
	return named
}
