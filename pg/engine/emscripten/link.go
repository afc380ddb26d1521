// Dynamic linking: side modules (plpgsql, pgcrypto, …) that the program opens with dlopen.
//
// A side module is compiled once per program. Each process links it into its own memory and
// table, as Emscripten's loader does. This gives the module memory for its data and a part of the
// table for its functions. The global offset table ("GOT.mem", "GOT.func") becomes mutable
// globals. Relocations and constructors are run. Its functions are then placed in the table,
// where dlsym finds them.

package emscripten

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"path"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/txmc/txmc/pg/engine/wasmbin"
)

// library is a side module, compiled.
type library struct {
	dylink   wasmbin.Dylink
	module   *wasmbin.Module
	compiled wazero.CompiledModule
	wanted   []string              // functions of the main program in its offset table
	want     wazero.CompiledModule // placers of these, of its exports, and of room for its elements
	exports  []string
	export   wazero.CompiledModule
	room     wazero.CompiledModule
}

// linkKey is what a linked module depends on in a process: a module that is opened again at the same
// address, after the process went back to a snapshot, is used again.
type linkKey struct {
	lib  *library
	base uint32
}

type linked struct {
	key    linkKey
	path   string
	handle uint32
	slot   uint32            // its first slot
	funcs  map[string]uint32 // slots of the exported functions
	mod    api.Module
	data   []byte // its memory before relocations
}

// linkCall is the host's function for an import of the loader, or nil.
func linkCall(name string) func(*Process, []uint64) {
	switch name {
	case "_dlopen_js":
		return func(p *Process, st []uint64) { st[0] = uint64(p.dlopen(uint32(st[0]))) }
	case "_dlsym_js":
		return func(p *Process, st []uint64) { st[0] = uint64(p.dlsym(uint32(st[0]), p.String(uint32(st[1])))) }
	}
	return nil
}

func (p *Process) dlsym(handle uint32, name string) uint32 {
	for _, l := range p.libs {
		if l.handle == handle {
			return l.funcs[name]
		}
	}
	return 0
}

// dlopen is given the loader's record of the library; the file's name stands in it.
func (p *Process) dlopen(handle uint32) uint32 {
	const nameAt = 36
	name := path.Clean(p.String(handle + nameAt))
	ino, name := p.FS.Lookup(name, true)
	if ino == 0 {
		return 0
	}
	lib, err := p.prog.library(p.FS.File(ino).Bytes())
	if err != nil {
		p.log(fmt.Sprintf("loading %s: %v\n", name, err))
		return 0
	}
	l, err := p.link(lib)
	if err != nil {
		p.log(fmt.Sprintf("linking %s: %v\n", name, err))
		return 0
	}
	l.path, l.handle = name, handle
	p.libs = append(p.libs, l)
	return handle
}

func (p *Process) log(s string) {
	if p.Log != nil {
		p.Log([]byte(s))
	}
}

// Preload compiles a side module, so that the first process that opens it need not.
func (prog *Program) Preload(w []byte) error {
	_, err := prog.library(w)
	return err
}

func (prog *Program) library(w []byte) (*library, error) {
	prog.mu.Lock()
	defer prog.mu.Unlock()
	sum := sha256.Sum256(w)
	key := string(sum[:])
	if l := prog.libs[key]; l != nil {
		return l, nil
	}
	l := &library{}
	var err error
	if l.module, err = wasmbin.Parse(w); err != nil {
		return nil, err
	}
	if l.dylink, err = l.module.Dylink(); err != nil {
		return nil, err
	}
	if err := prog.compileLibrary(l, fmt.Sprintf("host-%x", sum[:8])); err != nil {
		return nil, err
	}
	prog.libs[key] = l
	return l, nil
}

func (prog *Program) compileLibrary(l *library, host string) (err error) {
	ctx := context.Background()
	main := prog.compiled.ExportedFunctions()
	if err := prog.linkImports(l, main, host); err != nil {
		return err
	}
	if l.compiled, err = prog.wazero.CompileModule(ctx, l.module.Encode()); err != nil {
		return err
	}
	var types []wasmbin.FuncType
	for _, name := range l.wanted {
		types = append(types, wasmbin.FuncType{Params: main[name].ParamTypes(), Results: main[name].ResultTypes()})
	}
	if l.want, err = prog.wazero.CompileModule(ctx, wasmbin.Placer("main", l.wanted, types, 0)); err != nil {
		return err
	}
	if l.room, err = prog.wazero.CompileModule(ctx, wasmbin.Placer("", nil, nil, int(l.dylink.TableSize))); err != nil {
		return err
	}
	types = nil
	defs := l.compiled.ExportedFunctions()
	for _, e := range l.module.Exports {
		if e.Kind == wasmbin.KindFunc && !strings.HasPrefix(e.Name, "__wasm") {
			l.exports = append(l.exports, e.Name)
			types = append(types, wasmbin.FuncType{Params: defs[e.Name].ParamTypes(), Results: defs[e.Name].ResultTypes()})
		}
	}
	l.export, err = prog.wazero.CompileModule(ctx, wasmbin.Placer("lib", l.exports, types, 0))
	return err
}

// linkImports renames the library's imports after where they are found, and makes the functions that the
// host provides. The names are "main", "got" and the given one of the host.
func (prog *Program) linkImports(l *library, main map[string]api.FunctionDefinition, host string) error {
	b := prog.wazero.NewHostModuleBuilder(host)
	for i := range l.module.Imports {
		im := &l.module.Imports[i]
		switch {
		case im.Kind == wasmbin.KindGlobal && im.Name == "__stack_pointer" && im.Module == "env",
			im.Kind == wasmbin.KindMemory, im.Kind == wasmbin.KindTable:
			im.Module = "main"
		case im.Kind == wasmbin.KindGlobal:
			if im.Module == "GOT.func" && main[im.Name] != nil {
				l.wanted = append(l.wanted, im.Name)
			}
			im.Module, im.Name = "got", im.Module+" "+im.Name
		case main[im.Name] != nil:
			im.Module = "main"
		default:
			im.Module = host
			t := l.module.Types[im.Type]
			f := implementation(im.Name, t.Params, t.Results)
			export(b, im.Name, f, t.Params, t.Results, false)
		}
	}
	_, err := b.Instantiate(context.Background())
	return err
}

// link links a library into the process.
func (p *Process) link(lib *library) (*linked, error) {
	size := lib.dylink.MemorySize
	base := uint32(p.Must("emscripten_builtin_memalign", uint64(max(16, uint32(1)<<lib.dylink.MemoryAlign)), uint64(max(size, 1))))
	if base == 0 {
		return nil, fmt.Errorf("no memory for its data")
	}
	key := linkKey{lib, base}
	if l := p.byBase[key]; l != nil {
		copy(p.Bytes(base, size), l.data)
		return l, l.construct(p)
	}
	clear(p.Bytes(base, size))
	l := &linked{key: key, funcs: map[string]uint32{}}
	if err := p.linkModule(l); err != nil {
		return nil, err
	}
	l.data = bytes.Clone(p.Bytes(base, size))
	p.byBase[key] = l
	return l, l.construct(p)
}

func (p *Process) linkModule(l *linked) error {
	lib := l.key.lib
	tableBase, err := p.layOut(lib.room, nil)
	if err != nil {
		return err
	}
	l.slot = tableBase
	want, err := p.layOut(lib.want, nil)
	if err != nil {
		return err
	}
	slots := map[string]uint32{}
	for i, name := range lib.wanted {
		slots[name] = want + uint32(i)
	}
	got, err := p.offsets(lib, l.key.base, tableBase, slots)
	if err != nil {
		return err
	}
	if l.mod, err = p.instantiate(lib.compiled, map[string]api.Module{"main": p.mod, "got": got}); err != nil {
		return err
	}
	first, err := p.layOut(lib.export, l.mod)
	if err != nil {
		return err
	}
	for i, name := range lib.exports {
		l.funcs[name] = first + uint32(i)
	}
	lib.resolveOwn(l, got)
	return nil
}

// resolveOwn fills the entries of the offset table that the library itself defines.
func (lib *library) resolveOwn(l *linked, got api.Module) {
	for _, im := range lib.module.Imports {
		if im.Kind != wasmbin.KindGlobal || im.Module != "got" {
			continue
		}
		kind, name, _ := strings.Cut(im.Name, " ")
		g, ok := got.ExportedGlobal(im.Name).(api.MutableGlobal)
		if !ok {
			continue
		}
		if slot := l.funcs[name]; kind == "GOT.func" && slot != 0 {
			g.Set(uint64(slot))
		}
		if own := l.mod.ExportedGlobal(name); kind == "GOT.mem" && own != nil {
			g.Set(uint64(uint32(own.Get()) + l.key.base))
		}
	}
}

// offsets is a module of globals: the library's bases and the entries of its offset table.
func (p *Process) offsets(lib *library, base, tableBase uint32, slots map[string]uint32) (api.Module, error) {
	m := &wasmbin.Module{}
	var globals []byte
	n := 0
	for _, im := range lib.module.Imports {
		if im.Kind != wasmbin.KindGlobal || im.Module != "got" {
			continue
		}
		kind, name, _ := strings.Cut(im.Name, " ")
		v, mutable := slots[name], byte(1)
		switch {
		case kind == "GOT.mem":
			v, _ = p.Global(name)
		case name == "__memory_base":
			v, mutable = base, 0
		case name == "__table_base":
			v, mutable = tableBase, 0
		}
		globals = append(wasmbin.AppendSLEB(append(globals, wasmbin.I32, mutable, 0x41), int64(int32(v))), 0x0b)
		m.Exports = append(m.Exports, wasmbin.Export{Name: im.Name, Kind: wasmbin.KindGlobal, Index: uint32(n)})
		n++
	}
	m.SetSection(wasmbin.SectionGlobal, append(wasmbin.AppendLEB(nil, uint64(n)), globals...))
	m.SetSection(wasmbin.SectionExport, nil)
	got, err := p.prog.wazero.InstantiateWithConfig(p.ctx, m.Encode(), anonymous())
	if err == nil {
		p.others = append(p.others, got)
	}
	return got, err
}

// construct applies the library's relocations and runs its constructors.
func (l *linked) construct(p *Process) error {
	for _, name := range []string{"__wasm_apply_data_relocs", "__wasm_call_ctors"} {
		if f := l.mod.ExportedFunction(name); f != nil {
			if _, err := f.Call(p.ctx); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}
