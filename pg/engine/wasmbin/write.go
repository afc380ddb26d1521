// Writing modules: the encoding of the parsed fields, small modules from nothing,
// and the two changes that the engine makes to a module when it loads it.

package wasmbin

import (
	"fmt"
	"slices"
)

// AppendLEB appends an unsigned number.
func AppendLEB(b []byte, v uint64) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

// AppendSLEB appends a signed number.
func AppendSLEB(b []byte, v int64) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if (v == 0 && c&0x40 == 0) || (v == -1 && c&0x40 != 0) {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

// AppendVec appends bytes with their length in front.
func AppendVec(b, v []byte) []byte { return append(AppendLEB(b, uint64(len(v))), v...) }

// AppendName appends a name.
func AppendName(b []byte, s string) []byte { return append(AppendLEB(b, uint64(len(s))), s...) }

// Encode writes the module.
func (m *Module) Encode() []byte {
	out := slices.Clone(header)
	for _, s := range m.Sections {
		body := s.Body
		switch s.ID {
		case SectionType:
			body = m.typeSection()
		case SectionImport:
			body = m.importSection()
		case SectionFunction:
			body = AppendLEB(nil, uint64(len(m.Funcs)))
			for _, t := range m.Funcs {
				body = AppendLEB(body, uint64(t))
			}
		case SectionExport:
			body = m.exportSection()
		case SectionCode:
			body = AppendLEB(nil, uint64(len(m.Bodies)))
			for _, c := range m.Bodies {
				body = AppendVec(body, c)
			}
		}
		out = AppendVec(append(out, s.ID), body)
	}
	return out
}

func (m *Module) typeSection() []byte {
	b := AppendLEB(nil, uint64(len(m.Types)))
	for _, t := range m.Types {
		b = AppendVec(AppendVec(append(b, 0x60), t.Params), t.Results)
	}
	return b
}

func (m *Module) importSection() []byte {
	b := AppendLEB(nil, uint64(len(m.Imports)))
	for _, im := range m.Imports {
		b = append(AppendName(AppendName(b, im.Module), im.Name), im.Kind)
		if im.Kind == KindFunc {
			b = AppendLEB(b, uint64(im.Type))
		} else {
			b = append(b, im.Desc...)
		}
	}
	return b
}

func (m *Module) exportSection() []byte {
	b := AppendLEB(nil, uint64(len(m.Exports)))
	for _, e := range m.Exports {
		b = AppendLEB(append(AppendName(b, e.Name), e.Kind), uint64(e.Index))
	}
	return b
}

// New is a module with the sections that Encode writes from the fields, and no others.
func New() *Module {
	m := &Module{}
	for _, id := range []byte{SectionType, SectionImport, SectionFunction, SectionExport, SectionCode} {
		m.Sections = append(m.Sections, Section{ID: id})
	}
	return m
}

// SetSection gives the module a section that is carried as it is, at its place in the order.
func (m *Module) SetSection(id byte, body []byte) {
	i := slices.IndexFunc(m.Sections, func(s Section) bool { return s.ID != SectionCustom && s.ID >= id })
	if i < 0 {
		i = len(m.Sections)
	}
	m.Sections = slices.Insert(m.Sections, i, Section{ID: id, Body: body})
}

// TypeIndex is the index of a signature; it is added when it is not there.
func (m *Module) TypeIndex(t FuncType) uint32 {
	i := slices.IndexFunc(m.Types, t.Equal)
	if i < 0 {
		i = len(m.Types)
		m.Types = append(m.Types, t)
	}
	return uint32(i)
}

// ImportFunc adds an import of a function.
// It must come before AddFunc, because imported functions are numbered first.
func (m *Module) ImportFunc(module, name string, t FuncType) uint32 {
	m.Imports = append(m.Imports, Import{Module: module, Name: name, Kind: KindFunc, Type: m.TypeIndex(t)})
	m.imported++
	return uint32(m.imported - 1)
}

// ImportTable adds an import of a table of functions.
func (m *Module) ImportTable(module, name string) {
	m.Imports = append(m.Imports, Import{Module: module, Name: name, Kind: KindTable, Desc: []byte{FuncRef, 0, 0}})
}

// AddFunc adds a function and gives its index. The body holds local declarations and code with its end.
func (m *Module) AddFunc(t FuncType, body []byte) uint32 {
	m.Funcs = append(m.Funcs, m.TypeIndex(t))
	m.Bodies = append(m.Bodies, body)
	return uint32(m.ImportedFuncs() + len(m.Bodies) - 1)
}

// ExportFunc exports a function.
func (m *Module) ExportFunc(name string, index uint32) {
	m.Exports = append(m.Exports, Export{name, KindFunc, index})
}

// DefineMemory replaces the import of a memory by a memory of the module's own. It is exported as
// "memory". It is as large as the import asks for, and has at most max pages. A module that
// defines its memory is left as it is.
func (m *Module) DefineMemory(max uint32) error {
	i := slices.IndexFunc(m.Imports, func(im Import) bool { return im.Kind == KindMemory })
	if i < 0 {
		return nil
	}
	r := &reader{b: m.Imports[i].Desc, p: 1}
	min := r.leb()
	if r.err != nil || min > max {
		return fmt.Errorf("%w: memory of %d pages", ErrMalformed, min)
	}
	m.Imports = slices.Delete(m.Imports, i, i+1)
	m.SetSection(SectionMemory, AppendLEB(AppendLEB([]byte{1, 1}, uint64(min)), uint64(max)))
	m.Exports = append(m.Exports, Export{"memory", KindMemory, 0})
	return nil
}

// Args is code that pushes all arguments of a function of type t.
func Args(t FuncType) []byte {
	var b []byte
	for i := range t.Params {
		b = AppendLEB(append(b, 0x20), uint64(i))
	}
	return b
}

// Placer is a module that appends functions to a table, and leaves extra slots. It imports the
// functions from a module, and the table "__indirect_function_table" from module "main". It
// exports "place", which grows the table and returns the first new index. Each function gets a
// wrapper of its own, because wazero resolves references to imported functions wrongly.
func Placer(from string, names []string, types []FuncType, extra int) []byte {
	m := New()
	imported := make([]uint32, len(names))
	for i, n := range names {
		imported[i] = m.ImportFunc(from, n, types[i])
	}
	m.ImportTable("main", "__indirect_function_table")
	wrappers := make([]uint32, len(names))
	for i, t := range types {
		code := AppendLEB(append(append([]byte{0}, Args(t)...), 0x10), uint64(imported[i]))
		wrappers[i] = m.AddFunc(t, append(code, 0x0b))
	}
	m.ExportFunc("place", m.AddFunc(FuncType{Results: []byte{I32}}, placeBody(wrappers, extra)))
	if len(wrappers) > 0 {
		seg := AppendLEB([]byte{1, 3, 0}, uint64(len(wrappers))) // declarative, for ref.func
		for _, w := range wrappers {
			seg = AppendLEB(seg, uint64(w))
		}
		m.SetSection(SectionElement, seg)
	}
	return m.Encode()
}

// placeBody is: local 0 = table.grow(null, n); for each wrapper table[local 0 + i] = it; local 0.
func placeBody(wrappers []uint32, extra int) []byte {
	b := []byte{1, 1, I32, 0xd0, FuncRef, 0x41}
	b = append(AppendSLEB(b, int64(len(wrappers)+extra)), 0xfc, 15, 0, 0x21, 0)
	for i, w := range wrappers {
		b = AppendSLEB(append(b, 0x20, 0, 0x41), int64(i))
		b = append(AppendLEB(append(b, 0x6a, 0xd2), uint64(w)), 0x26, 0)
	}
	return append(b, 0x20, 0, 0x0b)
}
