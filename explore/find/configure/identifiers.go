package configure

import (
	"go/types"

	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/explore/find/source"
	"github.com/txmc/txmc/explore/find/structure"
)

// Identifiers in columns of texts: the code has them in a type of 16 bytes, such as a UUID or a ULID, and the column is a
// text. Another text than one of theirs ends in an error when the code reads it.

// Identify notes the columns of texts of which arguments are such identifiers, or of another form.
func Identify(steps []*structure.Step) {
	for _, s := range steps {
		for _, a := range s.Accesses {
			for _, set := range []map[int]access.Operand{a.Bound, a.Sets} {
				for column, o := range set {
					if o.Param == 0 || o.Param > len(s.Args) {
						continue
					}
					d := domainOf(a.Table, column)
					if identifies(s.Args[o.Param-1]) {
						d.table.Columns[d.column].Identifier = true
					}
					formed(s, o, d)
				}
			}
		}
	}
}

// identifies reports whether a value is of 16 bytes, or one of several that are.
func identifies(v *source.Value) bool {
	if v.Op == source.Either && len(v.Args) > 0 {
		return identifies(v.Args[0])
	}
	if v.Type == nil {
		return false
	}
	a, ok := v.Type.Underlying().(*types.Array)
	if !ok || a.Len() != 16 {
		return false
	}
	b, ok := a.Elem().Underlying().(*types.Basic)
	return ok && b.Kind() == types.Byte
}
