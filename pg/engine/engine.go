// Opening the engine: the package, the compiled server, and its files.

package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/tetratelabs/wazero"

	"github.com/txmc/txmc/pg/engine/emscripten"
	"github.com/txmc/txmc/pg/engine/pglite"
	"github.com/txmc/txmc/pg/engine/vfs"
	"github.com/txmc/txmc/pg/engine/wasmbin"
)

// Options say where the package comes from and where things are kept.
type Options struct {
	Package  string    // the package's tarball; empty: TXMC_PGLITE, else npm gets it
	CacheDir string    // empty: txmc in the user's cache directory
	Progress io.Writer // is told what takes long; nil: nobody
}

// Engine is the server's program and files, ready to be run by instances. It is safe for use by several goroutines.
type Engine struct {
	cache wazero.CompilationCache
	prog  *emscripten.Program
	pkg   *pglite.Package
	files *vfs.Tree

	symbols symbols

	compiled string // where this version's compiled modules are
	sums     string // and their checksums

	booting sync.Mutex
	booted  *Snapshot // the state after the server's start
}

// Open gets the package if need be, compiles it and makes a data directory, or takes all of this from the cache.
func Open(ctx context.Context, o Options) (*Engine, error) {
	po, err := pglite.DefaultOptions()
	if err != nil && o.CacheDir == "" {
		return nil, err
	}
	po.Progress = o.Progress
	if o.Package != "" {
		po.File = o.Package
	}
	if o.CacheDir != "" {
		po.CacheDir = o.CacheDir
	}
	e, err := open(ctx, po)
	if errors.Is(err, pglite.ErrCacheDamaged) {
		e, err = openAgain(ctx, po, err)
	}
	if err != nil && unwritable(err) {
		return nil, fmt.Errorf("%w: the cache needs %d MB in %s: make room there, or let XDG_CACHE_HOME name a directory that has it", err, cacheSize, po.CacheDir)
	}
	return e, err
}

// EnvPackage is the variable that names the package where it is not in the cache. It names the
// package's tarball, or a directory with the same files as [Engine.PackageDir].
const EnvPackage = pglite.EnvFile

// PackageDir is the directory with the package's files.
func (e *Engine) PackageDir() string { return e.pkg.Dir() }

// cacheSize is the room that the cache takes, in MB: the package, compiled modules and the data directory.
const cacheSize = 110

// unwritable reports whether something could not be written, for want of room or of the right to it.
func unwritable(err error) bool {
	var failed *fs.PathError
	return errors.As(err, &failed) && (failed.Op == "write" || failed.Op == "mkdir" || failed.Op == "open" && !errors.Is(err, fs.ErrNotExist))
}

func openAgain(ctx context.Context, o pglite.Options, damage error) (*Engine, error) {
	progress(o.Progress, "%v: it is made again", damage)
	pkg, err := pglite.Open(ctx, o)
	if err == nil {
		err = pkg.Forget()
	}
	if err != nil {
		return nil, err
	}
	return open(ctx, o)
}

func progress(w io.Writer, format string, args ...any) {
	if w != nil {
		fmt.Fprintf(w, format+"\n", args...)
	}
}

func open(ctx context.Context, o pglite.Options) (*Engine, error) {
	pkg, err := pglite.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	e := &Engine{pkg: pkg, compiled: compiledDir(o), sums: compiledDir(o) + "-sums"}
	if version, err := emscripten.CacheVersion(); err == nil { // else the modules of all versions are checked
		e.compiled, e.sums = filepath.Join(e.compiled, version), filepath.Join(e.sums, version)
	}
	damaged, err := e.checkCompiled(true)
	if err != nil {
		return nil, fmt.Errorf("the cache of compiled modules: %w", err)
	}
	for _, name := range damaged {
		progress(o.Progress, "%s is damaged: it is made again", name)
	}
	if err := e.compileAgain(ctx, pkg, o); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	if e.files, err = e.loadFiles(ctx, pkg, o); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	_, err = e.checkCompiled(false)
	return e, err
}

// checkCompiled notes the checksums of new compiled modules; with verify it removes damaged ones.
func (e *Engine) checkCompiled(verify bool) ([]string, error) {
	return checkCompiled(e.compiled, e.sums, verify)
}

// compiledDir is where compiled modules are.
func compiledDir(o pglite.Options) string { return filepath.Join(o.CacheDir, "wazero") }

// compileAgain is compile; where the cache of compiled modules is damaged it is emptied first.
func (e *Engine) compileAgain(ctx context.Context, pkg *pglite.Package, o pglite.Options) error {
	err := e.compile(ctx, pkg, o)
	if err == nil || unwritable(err) || ctx.Err() != nil || errors.Is(err, emscripten.ErrPlatform) || errors.Is(err, pglite.ErrCacheDamaged) {
		return err
	}
	progress(o.Progress, "the cache of compiled modules is damaged: it is made again (%v)", err)
	if err := errors.Join(e.Close(), os.RemoveAll(compiledDir(o))); err != nil {
		return err
	}
	return e.compile(ctx, pkg, o)
}

// compile compiles the server, or finds it compiled.
func (e *Engine) compile(ctx context.Context, pkg *pglite.Package, o pglite.Options) error {
	wasm, err := pkg.Read("pglite.wasm")
	if err != nil {
		return err
	}
	m, err := wasmbin.Parse(wasm)
	if err != nil {
		return err
	}
	if err := rewrite(m); err != nil {
		return err
	}
	dir := compiledDir(o)
	if _, err := os.Stat(dir); err != nil {
		progress(o.Progress, "compiling PostgreSQL (once per machine, some seconds)")
	}
	if e.cache, err = emscripten.NewCache(dir); err != nil {
		return fmt.Errorf("the cache of compiled modules: %w", err)
	}
	e.prog, err = emscripten.NewProgram(ctx, e.cache, m, callbacks)
	return err
}

// loadFiles gives the server's files with a data directory.
func (e *Engine) loadFiles(ctx context.Context, pkg *pglite.Package, o pglite.Options) (*vfs.Tree, error) {
	name := filepath.Join(o.CacheDir, "pglite-"+pglite.Version+"-data")
	if b, err := os.ReadFile(name); err == nil {
		if t, err := vfs.Decode(b); err == nil {
			return t, nil
		}
		progress(o.Progress, "%s is damaged: it is made again", name)
	}
	progress(o.Progress, "making a data directory (once per machine)")
	files, err := pkg.Files()
	if err != nil {
		return nil, err
	}
	wasm, err := pkg.Read("initdb.wasm")
	if err != nil {
		return nil, err
	}
	t, err := e.makeData(ctx, files, wasm)
	if err != nil {
		return nil, err
	}
	if err := e.preload(t); err != nil {
		return nil, err
	}
	return t, pglite.WriteFile(name, t.Encode())
}

// often are the side modules that programs use most: they are compiled with the server.
var often = []string{"plpgsql", "dict_snowball", "pgcrypto"}

func (e *Engine) preload(files *vfs.Tree) error {
	for _, name := range often {
		f := files.File("/pglite/lib/postgresql/" + name + ".so")
		if f == nil {
			return fmt.Errorf("the package has no %s", name)
		}
		if err := e.prog.Preload(f.Bytes()); err != nil {
			return fmt.Errorf("compiling %s: %w", name, err)
		}
	}
	return nil
}

// Close frees the engine. Its instances must have been closed.
func (e *Engine) Close() error {
	_, err := e.checkCompiled(false) // notes what was compiled now
	if e.booted != nil {
		err = errors.Join(err, e.booted.Close())
	}
	if e.prog != nil {
		err = errors.Join(err, e.prog.Close())
	}
	if e.cache != nil {
		err = errors.Join(err, e.cache.Close(context.Background()))
	}
	return err
}
