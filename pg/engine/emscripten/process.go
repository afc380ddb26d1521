// A process: one run of a program, its calls in and out, exit, environment and time.

package emscripten

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/txmc/txmc/pg/engine/vfs"
)

// Clock is a process's time.
type Clock interface {
	Now() time.Time       // the wall clock
	Wait(d time.Duration) // lets time pass
}

// Config is what a process gets from outside.
type Config struct {
	FS         *vfs.FS
	Clock      Clock
	Random     io.Reader
	Executable string // the name that the program runs under
	Env        []string
	Log        func([]byte) // what it writes to its standard output and error; nil: dropped
	Owner      any          // for callbacks
}

// Process is one run of a program. It is used by one goroutine at a time.
type Process struct {
	Config
	prog *Program
	ctx  context.Context
	mod  api.Module
	libraries
	memory *memory
	calls  map[string]*pool
	jumps  map[uint32]*pool
	clocks

	tempRet uint64
}

// libraries are the modules that are linked with the process's own.
type libraries struct {
	others []api.Module // that are linked with it
	libs   []*linked
	byBase map[linkKey]*linked
}

// clocks is what a process has read of the time.
type clocks struct {
	ticks    uint64 // readings of the monotonic clock
	readings int    // of the wall clock since anything else was called
	pause    time.Duration
}

// Exit is the panic and the error of a process that called exit.
type Exit struct{ Code int32 }

// Error tells the exit code.
func (e Exit) Error() string { return fmt.Sprintf("the server process ended with code %d", e.Code) }

// Abort is the panic and the error of a process that found itself broken.
type Abort struct{ Text string }

// Error tells why the process has aborted.
func (e Abort) Error() string { return "the server process aborted: " + e.Text }

type callContext struct {
	context.Context
	p *Process
}

type processKey struct{}

func (c *callContext) Value(key any) any {
	if key == (processKey{}) {
		return c.p
	}
	return nil
}

func processOf(ctx context.Context) *Process {
	if c, ok := ctx.(*callContext); ok {
		return c.p
	}
	return ctx.Value(processKey{}).(*Process)
}

// Start makes a process: memory as the module says and callbacks in the table. No code has run in it.
func (prog *Program) Start(config Config) (*Process, error) {
	memory, err := newMemory()
	if err != nil {
		return nil, err
	}
	p := &Process{Config: config, prog: prog, memory: memory, calls: map[string]*pool{}, jumps: map[uint32]*pool{}, libraries: libraries{byBase: map[linkKey]*linked{}}}
	p.ctx = &callContext{context.Background(), p}
	ctx := experimental.WithMemoryAllocator(context.Background(), memory)
	if p.mod, err = prog.wazero.InstantiateModule(ctx, prog.compiled, anonymous()); err != nil {
		memory.Free()
		return nil, err
	}
	first, err := p.layOut(prog.placer, nil)
	if err == nil && first != prog.slots {
		err = fmt.Errorf("callbacks are at slot %d of the table, not at %d", first, prog.slots)
	}
	if err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

func anonymous() wazero.ModuleConfig {
	return wazero.NewModuleConfig().WithName("").WithStartFunctions()
}

// layOut runs a module of wasmbin.Placer and gives the first index. Library is the side module "lib" of its imports.
func (p *Process) layOut(placer wazero.CompiledModule, library api.Module) (uint32, error) {
	m, err := p.instantiate(placer, map[string]api.Module{"lib": library, "main": p.mod})
	if err != nil {
		return 0, err
	}
	r, err := m.ExportedFunction("place").Call(p.ctx)
	if err != nil {
		return 0, err
	}
	if int32(r[0]) == -1 {
		return 0, fmt.Errorf("the table of functions is full")
	}
	return uint32(r[0]), nil
}

// instantiate links a module with others by the names of its imports. The host's modules are known to
// the runtime by their names.
func (p *Process) instantiate(c wazero.CompiledModule, imports map[string]api.Module) (api.Module, error) {
	ctx := experimental.WithImportResolver(p.ctx, func(name string) api.Module { return imports[name] })
	m, err := p.prog.wazero.InstantiateModule(ctx, c, anonymous())
	if err == nil {
		p.others = append(p.others, m)
	}
	return m, err
}

// Close ends the process and frees its memory.
func (p *Process) Close() error {
	var err error
	for _, m := range append(p.others, p.mod) {
		err = errors.Join(err, m.Close(context.Background()))
	}
	return err
}

// pool is functions of wazero ready for a call: a call that is under way keeps its own.
type pool struct {
	free []api.Function
	make func() api.Function
}

func (q *pool) get() api.Function {
	if n := len(q.free); n > 0 {
		f := q.free[n-1]
		q.free = q.free[:n-1]
		return f
	}
	return q.make()
}

func (q *pool) put(f api.Function) { q.free = append(q.free, f) }

// Call calls an exported function. An error is an Exit, an Abort, a long jump (IsLongJump) or a trap.
func (p *Process) Call(name string, args ...uint64) (uint64, error) {
	q := p.calls[name]
	if q == nil {
		if p.mod.ExportedFunction(name) == nil {
			return 0, fmt.Errorf("the server has no function %s", name)
		}
		q = &pool{make: func() api.Function { return p.mod.ExportedFunction(name) }}
		p.calls[name] = q
	}
	return p.run(q, args)
}

// run calls a function of a pool. Arguments and result share an array, as wazero wants it.
func (p *Process) run(q *pool, args []uint64) (uint64, error) {
	var stack [16]uint64
	n := max(copy(stack[:], args), 1)
	f := q.get()
	err := f.CallWithStack(p.ctx, stack[:n])
	q.put(f)
	return stack[0], err
}

// Must is Call for callbacks: an error goes on to the one who called the program.
func (p *Process) Must(name string, args ...uint64) uint64 {
	r, err := p.Call(name, args...)
	if err != nil {
		panic(err)
	}
	return r
}

// Main calls the program's main function.
func (p *Process) Main(args ...string) (uint64, error) {
	argv := p.alloca(4 * (len(args) + 1))
	for i, s := range args {
		p.PutWord(argv+uint32(4*i), p.StackString(s))
	}
	p.PutWord(argv+uint32(4*len(args)), 0)
	return p.Call("__main_argc_argv", uint64(len(args)), uint64(argv))
}

func (p *Process) alloca(n int) uint32 { return uint32(p.Must("_emscripten_stack_alloc", uint64(n))) }

// StackString puts a string onto the program's stack.
func (p *Process) StackString(s string) uint32 {
	at := p.alloca(len(s) + 1)
	copy(p.Bytes(at, uint32(len(s)+1)), s+"\x00")
	return at
}

// Global is the value of an exported global: for data, its address.
func (p *Process) Global(name string) (uint32, bool) {
	g := p.mod.ExportedGlobal(name)
	if g == nil {
		return 0, false
	}
	return uint32(g.Get()), true
}

// now reads the wall clock. A program that does nothing else for long waits for a time to come (pg_sleep): the
// time then passes faster and faster, by a hundredth each reading.
func (p *Process) now() time.Time {
	const patience, first, growth = 1000, time.Microsecond * 100, 100
	p.readings++
	if p.readings <= patience {
		p.pause = first
		return p.Clock.Now()
	}
	p.pause += p.pause / growth
	p.Clock.Wait(p.pause)
	return p.Clock.Now()
}

var processCalls = map[string]func(*Process, []uint64){
	"exit":      func(_ *Process, st []uint64) { panic(Exit{int32(st[0])}) },
	"proc_exit": func(_ *Process, st []uint64) { panic(Exit{int32(st[0])}) },
	"_abort_js": func(*Process, []uint64) { panic(Abort{"abort"}) },
	"__assert_fail": func(p *Process, st []uint64) {
		panic(Abort{fmt.Sprintf("assertion %s, %s:%d", p.String(uint32(st[0])), p.String(uint32(st[1])), st[2])})
	},
	"_emscripten_throw_longjmp": func(*Process, []uint64) { panic(longJump{}) },
	"emscripten_date_now":       func(p *Process, st []uint64) { st[0] = api.EncodeF64(float64(p.Clock.Now().UnixMilli())) },
	// The monotonic clock measures and is waited for in loops: each reading moves it.
	"emscripten_get_now": func(p *Process, st []uint64) { p.ticks++; st[0] = api.EncodeF64(float64(p.ticks)) },
	"clock_time_get": func(p *Process, st []uint64) {
		p.PutLong(uint32(st[2]), uint64(p.now().UnixNano()))
		st[0] = 0
	},
	"_tzset_js": func(p *Process, st []uint64) {
		p.PutWord(uint32(st[0]), 0)
		p.PutWord(uint32(st[1]), 0)
		copy(p.Bytes(uint32(st[2]), 4), "UTC\x00")
		copy(p.Bytes(uint32(st[3]), 4), "UTC\x00")
	},
	"_gmtime_js":    func(p *Process, st []uint64) { p.putTime(int64(st[0]), uint32(st[1])) },
	"_localtime_js": func(p *Process, st []uint64) { p.putTime(int64(st[0]), uint32(st[1])) },
	// Waiting for descriptors: nothing ever comes, so the time passes at once.
	"__syscall_poll": func(p *Process, st []uint64) {
		if ms := int32(st[2]); ms > 0 {
			p.Clock.Wait(time.Duration(ms) * time.Millisecond)
		}
		st[0] = 0
	},
	"environ_sizes_get": func(p *Process, st []uint64) {
		n := 0
		for _, e := range p.Env {
			n += len(e) + 1
		}
		p.PutWord(uint32(st[0]), uint32(len(p.Env)))
		p.PutWord(uint32(st[1]), uint32(n))
		st[0] = 0
	},
	"environ_get": func(p *Process, st []uint64) {
		at := uint32(st[1])
		for i, e := range p.Env {
			p.PutWord(uint32(st[0])+uint32(4*i), at)
			copy(p.Bytes(at, uint32(len(e)+1)), e+"\x00")
			at += uint32(len(e) + 1)
		}
		st[0] = 0
	},
	"random_get": func(p *Process, st []uint64) {
		if _, err := io.ReadFull(p.Random, p.Bytes(uint32(st[0]), uint32(st[1]))); err != nil {
			panic(err)
		}
		st[0] = 0
	},
	"__syscall_getuid32":  func(_ *Process, st []uint64) { st[0] = uid },
	"__syscall_geteuid32": func(_ *Process, st []uint64) { st[0] = uid },
	"__syscall_getgid32":  func(_ *Process, st []uint64) { st[0] = uid },
	"__syscall_getegid32": func(_ *Process, st []uint64) { st[0] = uid },
	"_setitimer_js":       succeed,
	"__syscall_umask":     func(_ *Process, st []uint64) { st[0] = 0o022 },
	"setTempRet0":         func(p *Process, st []uint64) { p.tempRet = st[0] },
	"getTempRet0":         func(p *Process, st []uint64) { st[0] = p.tempRet },
	"__call_sighandler":   callSignalHandler,
}

// uid is the owner of all files and the user that the program runs as.
const uid = 0

func succeed(_ *Process, st []uint64) { st[0] = 0 }

// putTime fills C's struct tm.
func (p *Process) putTime(unix int64, at uint32) {
	t := time.Unix(unix, 0).UTC()
	for i, v := range []int{t.Second(), t.Minute(), t.Hour(), t.Day(), int(t.Month()) - 1, t.Year() - 1900,
		int(t.Weekday()), t.YearDay() - 1, 0, 0} {
		p.PutWord(at+uint32(4*i), uint32(v))
	}
}
