// Package wasmbin reads WebAssembly modules and writes them again with changes.
//
// It knows the binary format of the WebAssembly core specification, chapter 5,
// as far as the engine needs it: sections, types, imports, the function section,
// the table's size, exports and code bodies, and the section "dylink.0" of the tool
// conventions for dynamic linking. Everything else is carried along as it is.
package wasmbin

import (
	"errors"
	"fmt"
	"slices"
)

// ErrMalformed is wrapped by every error about bytes that are no module.
var ErrMalformed = errors.New("malformed WebAssembly module")

// Section identifiers of the binary format.
const (
	SectionCustom   = 0
	SectionType     = 1
	SectionImport   = 2
	SectionFunction = 3
	SectionTable    = 4
	SectionMemory   = 5
	SectionGlobal   = 6
	SectionExport   = 7
	SectionElement  = 9
	SectionCode     = 10
)

// Kinds of imports and exports.
const (
	KindFunc   = 0
	KindTable  = 1
	KindMemory = 2
	KindGlobal = 3
)

// Value types.
const (
	I32     = 0x7f
	FuncRef = 0x70
)

// Section is one section of a module.
type Section struct {
	ID   byte
	Body []byte
}

// FuncType is a function's signature, a value type a byte.
type FuncType struct{ Params, Results []byte }

// Equal reports whether both signatures are the same.
func (t FuncType) Equal(u FuncType) bool {
	return slices.Equal(t.Params, u.Params) && slices.Equal(t.Results, u.Results)
}

// Import is one import; Desc is its descriptor in the binary format, without the kind.
type Import struct {
	Module, Name string
	Kind         byte
	Desc         []byte
	Type         uint32 // the type index of a function
}

// Export is one export.
type Export struct {
	Name  string
	Kind  byte
	Index uint32
}

// Module is a module taken apart.
type Module struct {
	Sections []Section // all of them, in order; the parsed ones are written from the fields below
	Types    []FuncType
	Imports  []Import
	Funcs    []uint32 // type indices of the functions that the module defines
	Exports  []Export
	Bodies   [][]byte // code of the functions that the module defines
	TableMin uint32   // smallest size of the table that the module defines

	imported int // functions among the imports
}

type reader struct {
	b   []byte
	p   int
	err error
}

func (r *reader) fail(what string) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s at byte %d", ErrMalformed, what, r.p)
	}
}

func (r *reader) byte() byte {
	if r.p >= len(r.b) {
		r.fail("end of data")
		return 0
	}
	r.p++
	return r.b[r.p-1]
}

// leb reads an unsigned number of 32 bits (section 5.2.2).
func (r *reader) leb() uint32 {
	var v uint64
	for shift := uint(0); shift < 35; shift += 7 {
		c := r.byte()
		v |= uint64(c&0x7f) << shift
		if c&0x80 == 0 {
			return uint32(v)
		}
	}
	r.fail("number too long")
	return 0
}

// count reads the length of a vector and refuses one that the data cannot hold.
func (r *reader) count() int {
	n := r.leb()
	if int64(n) > int64(len(r.b)-r.p) {
		r.fail("vector too long")
		return 0
	}
	return int(n)
}

func (r *reader) bytes(n int) []byte {
	if n < 0 || n > len(r.b)-r.p {
		r.fail("end of data")
		return nil
	}
	r.p += n
	return r.b[r.p-n : r.p : r.p]
}

func (r *reader) vec() []byte  { return r.bytes(r.count()) }
func (r *reader) name() string { return string(r.vec()) }

func (r *reader) limits() {
	flags := r.byte()
	r.leb()
	if flags&1 != 0 {
		r.leb()
	}
}

var header = []byte{0, 'a', 's', 'm', 1, 0, 0, 0}

// Sections splits a module into its sections.
func Sections(w []byte) ([]Section, error) {
	if len(w) < len(header) || !slices.Equal(w[:len(header)], header) {
		return nil, fmt.Errorf("%w: no header", ErrMalformed)
	}
	r := &reader{b: w, p: len(header)}
	var out []Section
	for r.p < len(w) && r.err == nil {
		id := r.byte()
		out = append(out, Section{ID: id, Body: r.vec()})
	}
	return out, r.err
}

// Parse takes a module apart.
func Parse(w []byte) (*Module, error) {
	sections, err := Sections(w)
	if err != nil {
		return nil, err
	}
	m := &Module{Sections: sections}
	for _, s := range sections {
		r := &reader{b: s.Body}
		switch s.ID {
		case SectionType:
			m.readTypes(r)
		case SectionImport:
			m.readImports(r)
		case SectionFunction:
			m.readFuncs(r)
		case SectionTable:
			m.readTable(r)
		case SectionExport:
			m.readExports(r)
		case SectionCode:
			for n := r.count(); n > 0 && r.err == nil; n-- {
				m.Bodies = append(m.Bodies, r.vec())
			}
		}
		if r.err != nil {
			return nil, fmt.Errorf("section %d: %w", s.ID, r.err)
		}
	}
	if len(m.Bodies) != len(m.Funcs) {
		return nil, fmt.Errorf("%w: %d functions, %d bodies", ErrMalformed, len(m.Funcs), len(m.Bodies))
	}
	return m, nil
}

func (m *Module) readTypes(r *reader) {
	for n := r.count(); n > 0 && r.err == nil; n-- {
		if r.byte() != 0x60 {
			r.fail("no function type")
		}
		params := r.vec()
		m.Types = append(m.Types, FuncType{params, r.vec()})
	}
}

func (m *Module) readImports(r *reader) {
	for n := r.count(); n > 0 && r.err == nil; n-- {
		im := Import{Module: r.name(), Name: r.name(), Kind: r.byte()}
		from := r.p
		switch im.Kind {
		case KindFunc:
			im.Type = r.leb()
			m.imported++
		case KindTable:
			r.byte()
			r.limits()
		case KindMemory:
			r.limits()
		case KindGlobal:
			r.bytes(2)
		default:
			r.fail("unknown kind of import")
		}
		im.Desc = r.b[from:r.p]
		m.Imports = append(m.Imports, im)
	}
}

func (m *Module) readFuncs(r *reader) {
	for n := r.count(); n > 0 && r.err == nil; n-- {
		t := r.leb()
		if int(t) >= len(m.Types) {
			r.fail("no such type")
		}
		m.Funcs = append(m.Funcs, t)
	}
}

func (m *Module) readTable(r *reader) {
	if r.count() == 0 {
		return
	}
	r.bytes(2)
	m.TableMin = r.leb()
}

func (m *Module) readExports(r *reader) {
	for n := r.count(); n > 0 && r.err == nil; n-- {
		m.Exports = append(m.Exports, Export{r.name(), r.byte(), r.leb()})
	}
}

// ImportedFuncs counts the functions that the module imports; its own come after them.
func (m *Module) ImportedFuncs() int { return m.imported }

// Dylink is what a module of dynamic linking asks for ("dylink.0", subsection 1).
type Dylink struct {
	MemorySize, MemoryAlign uint32 // bytes, and the logarithm of the alignment
	TableSize               uint32
}

// Dylink reads the module's section "dylink.0".
func (m *Module) Dylink() (Dylink, error) {
	for _, s := range m.Sections {
		r := &reader{b: s.Body}
		if s.ID != SectionCustom || r.name() != "dylink.0" {
			continue
		}
		for r.p < len(r.b) && r.err == nil {
			id, body := r.byte(), r.vec()
			if id == 1 {
				q := &reader{b: body}
				d := Dylink{q.leb(), q.leb(), q.leb()}
				return d, q.err
			}
		}
		return Dylink{}, r.err
	}
	return Dylink{}, fmt.Errorf("%w: no section dylink.0", ErrMalformed)
}
