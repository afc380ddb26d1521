package source

import (
	"fmt"
	"go/types"
	"maps"
	"strings"
)

// object is a variable, or what a pointer from outside points to. Its cells are named by
// paths such as .Items[0].ID.
type object struct {
	cells map[string]*Value
	base  *Value // what cells that nothing was stored in are part of; nil for zero values
}

func newObject(base *Value) *object { return &object{map[string]*Value{}, base} }

// cell is a part of an object.
type cell struct {
	object *object
	path   string
}

func (c cell) at(path string) cell { return cell{c.object, c.path + path} }

// every is the path of an element that is not known.
const every = "[*]"

// load is what is in a cell: of a type with parts a copy of them; of an element that is
// not known, one of all.
func (c cell) load(typ types.Type) *Value {
	if before, after, ok := strings.Cut(c.path, every); ok {
		list := &Value{Op: Pointer, cell: cell{c.object, before}}
		var all []*Value
		for i := range max(list.length(), 1) {
			all = append(all, cell{c.object, before + element(i) + after}.load(typ))
		}
		return either(all...)
	}
	if v := c.object.cells[c.path]; v != nil {
		return v
	}
	for path := range c.object.cells {
		if strings.HasPrefix(path, c.path) {
			return &Value{Op: Struct, Type: typ, cell: cell{c.object.copy(), c.path}}
		}
	}
	for at := c.path; ; { // a part of something whole
		i := strings.LastIndexAny(at, ".[")
		if i < 0 {
			break
		}
		at = at[:i]
		if v := c.object.cells[at]; v != nil {
			return v.part(c.path[len(at):], typ)
		}
	}
	if c.object.base == nil {
		return &Value{Op: Unknown, Type: typ}
	}
	return c.object.base.part(c.path, typ)
}

// part is a part of a value.
func (v *Value) part(path string, typ types.Type) *Value {
	if path == "" {
		return v
	}
	switch v.Op {
	case Param:
		return &Value{Op: Param, Type: typ, Index: v.Index, Path: v.Path + path}
	case Struct:
		return v.cell.at(path).load(typ).of(v)
	case Either:
		var list []*Value
		for _, a := range v.Args {
			list = append(list, a.part(path, typ))
		}
		return either(list...)
	case Result, Apply, Binary:
		return &Value{Op: Apply, Type: typ, Path: v.Path + path, Args: []*Value{v}}
	}
	return &Value{Op: Unknown, Type: typ}
}

// copy is the object as it is now.
func (o *object) copy() *object { return &object{maps.Clone(o.cells), o.base} }

// store puts a value into a cell. Unless it surely happens, what was there may stay.
func (c cell) store(v *Value, surely bool) {
	c.path = strings.ReplaceAll(c.path, every, element(0))
	if v.Op == Struct && v.cell.object != nil {
		for path, part := range v.cell.object.cells {
			if rest, ok := strings.CutPrefix(path, v.cell.path); ok {
				c.at(rest).store(part.of(v), surely)
			}
		}
		if v.cell.object.base != nil && len(v.cell.object.cells) == 0 {
			c.object.cells[c.path] = v.cell.object.base.part(v.cell.path, v.Type)
		}
		return
	}
	if old := c.object.cells[c.path]; old != nil && !surely {
		v = either(old, v)
	}
	c.object.cells[c.path] = v
}

// pointer is the address of a new object.
func pointer(o *object, typ types.Type) *Value {
	return &Value{Op: Pointer, Type: typ, cell: cell{o, ""}}
}

// target is the cell to which a value points. What a parameter points to is made up.
func (in *interpreter) target(v *Value) (cell, bool) {
	switch v.Op {
	case Pointer, Struct:
		return v.cell, true
	case Param:
		key := fmt.Sprint(v.Index, v.Path)
		if in.params[key] == nil {
			in.params[key] = newObject(v)
		}
		return cell{in.params[key], ""}, true
	case Either:
		for _, a := range v.Args {
			if c, ok := in.target(a); ok {
				return c, true
			}
		}
	}
	return cell{}, false
}
