// Package emscripten runs programs that Emscripten compiled to WebAssembly, under wazero.
//
// A Program is a compiled module; a Process is one run of it, with its own memory and files.
// The package implements what Emscripten's JavaScript does for such a program: the imports of
// "env" and "wasi_snapshot_preview1" (files, memory, time, exit), long jumps (invoke_*), and
// dynamic linking of side modules. Nothing of the host is reachable from inside: files are those
// of a vfs.FS, time and random bytes come from the caller, and there is no network.
package emscripten

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/txmc/txmc/pg/engine/vfs"
	"github.com/txmc/txmc/pg/engine/wasmbin"
)

// Callback is a Go function that the program reaches through its table. All parameters and results are i32.
type Callback struct {
	Params, Results int
	Func            func(p *Process, stack []uint64)
	Silent          bool // a call does not mean that the program does something else than waiting
}

func (c Callback) funcType() wasmbin.FuncType {
	i32s := strings.Repeat(string(rune(wasmbin.I32)), c.Params+c.Results)
	return wasmbin.FuncType{Params: []byte(i32s[:c.Params]), Results: []byte(i32s[c.Params:])}
}

// ErrPlatform says that wazero has no compiler for this machine.
var ErrPlatform = errors.New("PostgreSQL in the process needs an amd64 or arm64 machine: WebAssembly is not compiled on " + runtime.GOARCH)

// Limits of a process's memory, in pages of 64 KiB.
const (
	pageSize = 65536
	maxPages = 32768
)

// Program is a compiled main module.
type Program struct {
	wazero   wazero.Runtime
	compiled wazero.CompiledModule
	placer   wazero.CompiledModule // puts the callbacks into the table
	slots    uint32                // first slot of the callbacks

	mu   sync.Mutex
	libs map[string]*library
}

// SlotOf is the table's slot in which a module's callback i will be.
func SlotOf(m *wasmbin.Module, i int) uint32 { return m.TableMin + uint32(i) }

// NewCache is a cache of compiled modules in a directory.
func NewCache(dir string) (wazero.CompilationCache, error) {
	return wazero.NewCompilationCacheWithDir(dir)
}

// CacheVersion names the directory below a cache that has the modules of this process. wazero
// names the directory by its own version. This version differs between builds, and wazero does
// not tell it. So wazero makes a directory in an empty cache, and we read the name there.
func CacheVersion() (string, error) {
	dir, err := os.MkdirTemp("", "txmc-wazero-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	c, err := NewCache(dir)
	if err != nil {
		return "", err
	}
	if err := c.Close(context.Background()); err != nil {
		return "", err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	if len(entries) != 1 {
		return "", fmt.Errorf("an empty cache of wazero has %d entries, not the directory of its version", len(entries))
	}
	return entries[0].Name(), nil
}

// NewProgram compiles a module.
func NewProgram(ctx context.Context, cache wazero.CompilationCache, m *wasmbin.Module, callbacks []Callback) (*Program, error) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		return nil, ErrPlatform
	}
	if err := m.DefineMemory(maxPages); err != nil {
		return nil, err
	}
	ctx = experimental.WithCompilationWorkers(ctx, runtime.GOMAXPROCS(0))
	config := wazero.NewRuntimeConfigCompiler().WithCompilationCache(cache).
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesThreads | experimental.CoreFeaturesTailCall)
	p := &Program{wazero: wazero.NewRuntimeWithConfig(ctx, config), libs: map[string]*library{}, slots: m.TableMin}
	err := p.compile(ctx, m, callbacks)
	if err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

func (p *Program) compile(ctx context.Context, m *wasmbin.Module, callbacks []Callback) (err error) {
	if p.compiled, err = p.wazero.CompileModule(ctx, m.Encode()); err != nil {
		return fmt.Errorf("compiling the server: %w", err)
	}
	imports := map[string]wazero.HostModuleBuilder{}
	for _, f := range p.compiled.ImportedFunctions() {
		module, name, _ := f.Import()
		if imports[module] == nil {
			imports[module] = p.wazero.NewHostModuleBuilder(module)
		}
		export(imports[module], name, implementation(name, f.ParamTypes(), f.ResultTypes()), f.ParamTypes(), f.ResultTypes(), name == "clock_time_get")
	}
	for _, b := range imports {
		if _, err := b.Instantiate(ctx); err != nil {
			return err
		}
	}
	return p.compileCallbacks(ctx, callbacks)
}

func (p *Program) compileCallbacks(ctx context.Context, callbacks []Callback) (err error) {
	b := p.wazero.NewHostModuleBuilder("callbacks")
	var names []string
	var types []wasmbin.FuncType
	for i, c := range callbacks {
		t := c.funcType()
		names, types = append(names, fmt.Sprint("f", i)), append(types, t)
		export(b, names[i], c.Func, t.Params, t.Results, c.Silent)
	}
	if _, err = b.Instantiate(ctx); err != nil {
		return err
	}
	p.placer, err = p.wazero.CompileModule(ctx, wasmbin.Placer("callbacks", names, types, 0))
	return err
}

func export(b wazero.HostModuleBuilder, name string, f func(*Process, []uint64), params, results []api.ValueType, silent bool) {
	b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(ctx context.Context, _ api.Module, stack []uint64) {
		p := processOf(ctx)
		for i, t := range params {
			if t == api.ValueTypeI32 {
				stack[i] = uint64(uint32(stack[i])) // the upper half may hold anything
			}
		}
		if !silent {
			p.readings = 0
		}
		f(p, stack)
	}), params, results).Export(name)
}

// Close frees the compiled code. No process of the program may run any more.
func (p *Program) Close() error { return p.wazero.Close(context.Background()) }

// implementation is the host's function for an import.
// Those that are not known answer that there is no such system call.
func implementation(name string, params, results []api.ValueType) func(*Process, []uint64) {
	if strings.HasPrefix(name, "invoke_") {
		return invoke(params[1:], results)
	}
	if f := linkCall(name); f != nil {
		return f
	}
	for _, group := range []map[string]func(*Process, []uint64){processCalls, memoryCalls, fileCalls, pathCalls} {
		if f := group[name]; f != nil {
			return f
		}
	}
	if len(results) == 0 {
		return func(*Process, []uint64) {}
	}
	return func(_ *Process, st []uint64) { st[0] = negative(vfs.ENOSYS) }
}

// negative is an error number as system calls return it.
func negative(e vfs.Errno) uint64 { return uint64(uint32(-int32(e))) }

// Slot is the table's slot of callback i.
func (p *Program) Slot(i int) uint32 { return p.slots + uint32(i) }
