package source

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Op says what a [Value] is.
type Op uint8

// Kinds of values. Those after Apply are no data: they lead to the database or to memory.
const (
	Unknown Op = iota
	Const      // Const
	Param      // the parameter Index of the call, or the part of it that Path names
	Result     // the column Index of a row that Statement has found
	Count      // the number of rows that Statement has changed
	Failed     // the error of Statement
	Exists     // whether Statement has found another row
	Binary     // Token between two Args
	Not        // of Args[0]
	Either     // one of Args
	Apply      // a function of Args

	Nil     // the nil of Go
	Pointer // to a cell of memory
	Struct  // a copy of the memory from a cell on
	Closure
	Tuple
	Handle // of the database
	Global // an exported variable such as sql.ErrNoRows
)

// Value is what is known of a value of the program.
type Value struct {
	Op        Op
	Type      types.Type // nil when nobody needs it
	Const     constant.Value
	Index     int
	Path      string // such as .Items[0].ID; of a Global its name; of an Apply the function's
	Statement *Statement
	Token     token.Token
	Args      []*Value

	cell   cell
	fn     *ssa.Function
	handle *handle
	ways
}

// ways is on which ways through a function a value is there.
type ways struct {
	maybe bool      // not on every one
	when  [][]Guard // of an Either that a function has returned: what holds where it returns each
}

var unknown = &Value{Op: Unknown}

// String is the value as the table prints it.
func (v *Value) String() string {
	switch v.Op {
	case Const:
		return v.Const.String()
	case Param:
		return strings.TrimPrefix(v.Path, ".")
	case Result:
		return fmt.Sprintf("column %d of %d", v.Index+1, v.Statement.Number+1)
	case Count:
		return fmt.Sprintf("rows of %d", v.Statement.Number+1)
	case Failed:
		return fmt.Sprintf("error of %d", v.Statement.Number+1)
	case Exists:
		return fmt.Sprintf("a row of %d", v.Statement.Number+1)
	case Binary:
		return fmt.Sprintf("%v %v %v", v.Args[0], v.Token, v.Args[1])
	case Not:
		return fmt.Sprintf("!(%v)", v.Args[0])
	case Nil:
		return "nil"
	case Global:
		return v.Path
	case Either, Apply:
		return v.Path + v.list()
	}
	return "?"
}

func (v *Value) list() string {
	var list []string
	for _, a := range v.Args {
		list = append(list, a.String())
	}
	separator := ", "
	if v.Op == Either {
		separator = " or "
	}
	return "(" + strings.Join(list, separator) + ")"
}

// Walk calls f with the value and all that it is made of.
func (v *Value) Walk(f func(*Value)) {
	f(v)
	for _, a := range v.Args {
		a.Walk(f)
	}
}

// From lists the statements whose results or errors decide the value.
func (v *Value) From() (list []*Statement) {
	v.Walk(func(p *Value) {
		if p.Statement != nil {
			list = append(list, p.Statement)
		}
	})
	return list
}

// mostAlternatives bounds what is known of a value that is one of several.
const mostAlternatives = 6

// either is one of some values.
func either(list ...*Value) *Value {
	var all []*Value
	add := func(v *Value) {
		for i, other := range all {
			if other == v || same(other, v) {
				if v.maybe {
					all[i] = other.perhaps()
				}
				return
			}
		}
		all = append(all, v)
	}
	for _, v := range list {
		switch {
		case v == nil:
		case v.Op == Either:
			for _, a := range v.Args {
				add(a)
			}
		default:
			add(v)
		}
	}
	switch {
	case len(all) == 0:
		return unknown
	case len(all) == 1:
		return all[0]
	case len(all) > mostAlternatives:
		return &Value{Op: Apply, Args: all[:mostAlternatives]}
	}
	return &Value{Op: Either, Type: all[0].Type, Args: all}
}

// same reports whether two values are surely the same.
func same(a, b *Value) bool {
	switch {
	case a.Op != b.Op:
		return false
	case a.Op == Const:
		return a.Const.Kind() == b.Const.Kind() && constant.Compare(a.Const, token.EQL, b.Const)
	case a.Op == Param, a.Op == Result, a.Op == Failed, a.Op == Count, a.Op == Exists:
		return a.Index == b.Index && a.Path == b.Path && a.Statement == b.Statement
	case a.Op == Nil, a.Op == Unknown && len(a.Args)+len(b.Args) == 0:
		return true
	case a.Op == Pointer:
		return a.cell == b.cell
	case a.Op == Handle:
		return a.handle == b.handle
	case a.Op == Global:
		return a.Path == b.Path
	}
	return false
}

// apply is an unknown function of some values: the flow is kept.
func apply(name string, args ...*Value) *Value { return &Value{Op: Apply, Path: name, Args: args} }

// Strings lists the texts that a value may be; nil when that is not known.
func (v *Value) Strings() (list []string) {
	switch {
	case v.Op == Const && v.Const.Kind() == constant.String:
		return []string{constant.StringVal(v.Const)}
	case v.Op == Either:
		for _, a := range v.Args {
			more := a.Strings()
			if more == nil {
				return nil
			}
			list = append(list, more...)
		}
	}
	return list
}

func text(s string) *Value { return &Value{Op: Const, Const: constant.MakeString(s)} }

// joined is the concatenation of two texts.
func joined(a, b *Value) *Value {
	as, bs := a.Strings(), b.Strings()
	if as == nil || bs == nil || len(as)*len(bs) > mostAlternatives {
		return &Value{Op: Binary, Token: token.ADD, Args: []*Value{a, b}}
	}
	var all []*Value
	for _, x := range as {
		for _, y := range bs {
			all = append(all, text(x+y))
		}
	}
	return either(all...)
}
