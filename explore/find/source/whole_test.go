package source

import (
	"go/token"
	"go/types"
	"testing"
)

// Whole numbers are those of types of integers that have no Value method; one of several values is when all are.
func TestWhole(t *testing.T) {
	pkg := types.NewPackage("p", "p")
	named := func(name string, valuer bool) types.Type {
		n := types.NewNamed(types.NewTypeName(token.NoPos, pkg, name, nil), types.Typ[types.Int64], nil)
		if valuer {
			recv := types.NewVar(token.NoPos, pkg, "x", n)
			n.AddMethod(types.NewFunc(token.NoPos, pkg, "Value", types.NewSignatureType(recv, nil, nil, nil, nil, false)))
		}
		return n
	}
	of := func(typ types.Type) *Value { return &Value{Op: Param, Type: typ} }
	for _, c := range []struct {
		name string
		v    *Value
		want bool
	}{
		{"int", of(types.Typ[types.Int]), true},
		{"uint8", of(types.Typ[types.Uint8]), true},
		{"a name of int64", of(named("Cents", false)), true},
		{"one that says what it is", of(named("Price", true)), false},
		{"float64", of(types.Typ[types.Float64]), false},
		{"string", of(types.Typ[types.String]), false},
		{"*int", of(types.NewPointer(types.Typ[types.Int])), false},
		{"no type", of(nil), false},
		{"int or int64", &Value{Op: Either, Type: types.Typ[types.Int], Args: []*Value{of(types.Typ[types.Int]), of(types.Typ[types.Int64])}}, true},
		{"int or float64", &Value{Op: Either, Type: types.Typ[types.Int], Args: []*Value{of(types.Typ[types.Int]), of(types.Typ[types.Float64])}}, false},
	} {
		if got := c.v.Whole(); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
