package source

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// What instructions make of their operands.

// memory is the value of an instruction that converts, or goes to a part of something.
func (f *frame) memory(v ssa.Value) *Value {
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return f.value(v.X).typed(v.X.Type())
	case *ssa.ChangeInterface:
		return f.value(v.X)
	case *ssa.ChangeType:
		return f.value(v.X).typed(v.Type())
	case *ssa.Convert:
		return converted(f.value(v.X), v.Type())
	case *ssa.TypeAssert:
		x := f.value(v.X)
		f.typedInput(x, v.AssertedType)
		if v.CommaOk {
			return &Value{Op: Tuple, Args: []*Value{x, apply("ok", x)}}
		}
		return x
	case *ssa.FieldAddr:
		field := v.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct).Field(v.Field)
		if x := f.value(v.X); x.Op == Handle && field.Embedded() && leads(field.Type()) {
			return x // such as the sql.Tx of a sqlx.Tx
		}
		return f.address(f.value(v.X), "."+field.Name(), v.Type())
	case *ssa.Field:
		field := v.X.Type().Underlying().(*types.Struct).Field(v.Field)
		return f.value(v.X).part("."+field.Name(), v.Type())
	case *ssa.IndexAddr:
		return f.address(f.value(v.X), index(f.value(v.Index)), v.Type())
	case *ssa.Index:
		return f.value(v.X).part(index(f.value(v.Index)), v.Type())
	case *ssa.Lookup:
		if part, ok := f.variable(v); ok {
			return part
		}
		return apply("lookup", f.value(v.X), f.value(v.Index))
	case *ssa.Slice:
		if x := f.value(v.X); v.Low == nil && v.High == nil {
			return x.typed(v.Type())
		}
		return apply("part", f.value(v.X))
	case *ssa.MakeSlice:
		return &Value{Op: Pointer, Type: v.Type(), cell: cell{newObject(nil), ""}}
	case *ssa.MakeMap:
		if rewrites(v.Type()) {
			return pointer(newObject(nil), v.Type())
		}
	case *ssa.Range:
		return f.value(v.X)
	case *ssa.Next:
		x := f.value(v.Iter)
		return &Value{Op: Tuple, Args: []*Value{apply("more", x), apply("key", x), apply("element", x)}}
	}
	return unknown
}

// index is the name of an element, [*] of one that is not known.
func index(v *Value) string {
	if v.Op == Const && v.Const.Kind() == constant.Int {
		return "[" + v.Const.String() + "]"
	}
	return every
}

func (f *frame) address(v *Value, path string, typ types.Type) *Value {
	c, ok := f.target(v)
	if !ok {
		return &Value{Op: Unknown, Type: typ, Args: data(v)}
	}
	return (&Value{Op: Pointer, Type: typ, cell: c.at(path)}).of(v)
}

// data keeps the flow through what is not understood.
func data(v *Value) []*Value {
	if len(v.From()) == 0 {
		return nil
	}
	return []*Value{v}
}

// typed is the value with another type.
func (v *Value) typed(t types.Type) *Value {
	if v.Op == Unknown && len(v.Args) == 0 {
		return &Value{Op: Unknown, Type: t}
	}
	w := *v
	w.Type = t
	return &w
}

// converted is a converted value: numbers stay themselves.
func converted(v *Value, t types.Type) *Value {
	if v.Op == Const {
		if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 && v.Const.Kind() != constant.String {
			return unknown
		}
	}
	return v.typed(t)
}

func binary(v *ssa.BinOp, x, y *Value) *Value {
	if v.Op == token.ADD {
		if b, ok := v.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
			return joined(x, y)
		}
	}
	return &Value{Op: Binary, Type: v.Type(), Token: v.Op, Args: []*Value{x, y}}
}

func (f *frame) unary(v *ssa.UnOp) *Value {
	x := f.value(v.X)
	switch v.Op {
	case token.MUL:
		if c, ok := f.target(x); ok {
			return c.load(v.Type()).of(x)
		}
		if x.Op == Handle && leads(v.Type()) {
			return x
		}
		return &Value{Op: Unknown, Type: v.Type(), Args: data(x)}
	case token.NOT:
		return &Value{Op: Not, Type: v.Type(), Args: []*Value{x}}
	case token.SUB:
		return &Value{Op: Binary, Type: v.Type(), Token: token.SUB, Args: []*Value{{Op: Const, Const: constant.MakeInt64(0)}, x}}
	}
	return apply(v.Op.String(), x)
}
