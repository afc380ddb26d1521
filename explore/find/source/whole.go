package source

import (
	"go/types"
	"slices"
)

// Whole reports whether a value, as a statement is given it, is surely a whole number. Then its
// type is one of integers, and does not itself say what the database is sent.
func (v *Value) Whole() bool {
	if v.Op == Either {
		return !slices.ContainsFunc(v.Args, func(a *Value) bool { return !a.Whole() })
	}
	if v.Type == nil {
		return false
	}
	b, ok := v.Type.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0 && types.NewMethodSet(v.Type).Lookup(nil, "Value") == nil
}
