package vet

import (
	"go/types"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/tools/go/ssa"
)

// writes are the addresses, maps and slices that an instruction changes.
func (x *inspection) writes(in ssa.Instruction) []ssa.Value {
	switch in := in.(type) {
	case *ssa.Store:
		return []ssa.Value{in.Addr}
	case *ssa.MapUpdate:
		return []ssa.Value{in.Map}
	case ssa.CallInstruction:
		return x.writtenBy(in.Common())
	}
	return nil
}

// writtenBy are the arguments that a call changes.
func (x *inspection) writtenBy(c *ssa.CallCommon) []ssa.Value {
	if b, ok := c.Value.(*ssa.Builtin); ok {
		switch b.Name() {
		case "delete", "clear", "copy":
			return c.Args[:1]
		}
		return nil
	}
	if kind, _ := kindOf(c); kind != foreign {
		return nil
	}
	var list []ssa.Value
	for _, f := range x.callees(c) {
		args := c.Args
		if isMethodValue(f) && c.StaticCallee() == f {
			f, args = f.Prog.FuncValue(object(f)), arguments(c)
		}
		s := x.summaries[f]
		if s == nil {
			continue
		}
		if c.IsInvoke() {
			args = append([]ssa.Value{c.Value}, c.Args...)
		}
		for i, p := range f.Params {
			if s.writes[p] && i < len(args) {
				list = append(list, args[i])
			}
		}
	}
	f := callee(c)
	if f == nil || f.Pkg() == nil || f.Pkg() == x.pkg || c.IsInvoke() {
		return list
	}
	if known := x.factsOf(f.Pkg()).find(f.FullName()); known != nil {
		args := arguments(c)
		for _, i := range known.Writes {
			if i < len(args) {
				list = append(list, args[i])
			}
		}
		return list
	}
	if args := arguments(c); len(args) > 0 && x.factsOf(f.Pkg()) == nil && changes(f) {
		list = append(list, args[0])
	}
	return list
}

// changes judges by the name whether a function of the standard library or of
// another module changes what its first argument points to.
func changes(f *types.Func) bool {
	if recv := f.Signature().Recv(); recv != nil {
		if _, ptr := recv.Type().Underlying().(*types.Pointer); !ptr {
			return false
		}
	} else if f.Pkg().Path() != "sync/atomic" {
		return false
	}
	for _, verb := range []string{"Write", "Add", "Set", "Store", "Swap", "CompareAndSwap", "And", "Or", "Reset", "Push", "Pop", "Insert",
		"Delete", "Remove", "Put", "Append", "LoadOrStore", "LoadAndDelete", "Seek", "Read", "Next", "Advance"} {
		rest, ok := strings.CutPrefix(f.Name(), verb)
		r, _ := utf8.DecodeRuneInString(rest)
		if ok && (rest == "" || !unicode.IsLower(r)) {
			return true
		}
	}
	return false
}
