// Making a data directory: the package's own initdb runs under wazero, once per machine.
//
// initdb runs the server several times, through system() and popen(): to ask its version, to try
// settings, and to run bootstrap scripts. Each of these is a process of the server's program on
// the same files. A file takes the place of each pipe of a real system. initdb writes everything
// before it closes the pipe, and the server runs then. The server's output is read when the
// server has ended.

package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/txmc/txmc/pg/engine/emscripten"
	"github.com/txmc/txmc/pg/engine/vfs"
	"github.com/txmc/txmc/pg/engine/wasmbin"
)

const (
	serverPath = "/pglite/bin/postgres"
	initdbPath = "/pglite/bin/initdb"
	dataPath   = "/pglite/data"
	pipeIn     = "/pglite/pgstdin"  // what a server run by initdb reads
	pipeOut    = "/pglite/pgstdout" // what it writes
)

// environment is every process's. There is one user, one time zone and one encoding.
var environment = []string{
	"HOME=/home/postgres", "USER=postgres", "LOGNAME=postgres", "PGDATA=" + dataPath, "PGUSER=postgres",
	"PGDATABASE=postgres", "LC_CTYPE=en_US.UTF-8", "LC_COLLATE=en_US.UTF-8", "LANG=en_US.UTF-8",
	"TZ=UTC", "PGTZ=UTC", "PGCLIENTENCODING=UTF8", "ICU_DATA=/pglite/icu", "PATH=/",
}

// initdb is a run of initdb.
type initdb struct {
	server  *emscripten.Program
	open    map[uint64][]string // what runs when the stream is closed
	ended   map[uint64]uint64   // how the server of a stream ended
	output  strings.Builder
	failure error
}

var initdbCallbacks = []emscripten.Callback{
	{Params: 1, Results: 1, Func: func(p *emscripten.Process, st []uint64) {
		st[0] = p.Owner.(*initdb).run(p, p.String(uint32(st[0])))
	}},
	{Params: 2, Results: 1, Func: func(p *emscripten.Process, st []uint64) {
		st[0] = p.Owner.(*initdb).popen(p, p.String(uint32(st[0])), p.String(uint32(st[1])))
	}},
	{Params: 1, Results: 1, Func: func(p *emscripten.Process, st []uint64) {
		st[0] = p.Owner.(*initdb).pclose(p, st[0])
	}},
}

// makeData gives the files with a data directory.
func (e *Engine) makeData(ctx context.Context, files *vfs.Tree, wasm []byte) (*vfs.Tree, error) {
	m, err := wasmbin.Parse(wasm)
	if err != nil {
		return nil, err
	}
	slot := uint64(emscripten.SlotOf(m, 0))
	prog, err := emscripten.NewProgram(ctx, e.cache, m, initdbCallbacks)
	if err != nil {
		return nil, err
	}
	defer prog.Close()
	run := &initdb{server: e.prog, open: map[uint64][]string{}, ended: map[uint64]uint64{}}
	p, err := prog.Start(run.config(vfs.New(files), initdbPath))
	if err != nil {
		return nil, err
	}
	defer p.Close()
	if err := run.main(p, slot); err != nil {
		return nil, fmt.Errorf("making a data directory: %w\n%s", err, run.output.String())
	}
	return finishData(p.FS.Snapshot().Tree())
}

func (run *initdb) config(fs *vfs.FS, name string) emscripten.Config {
	return emscripten.Config{FS: fs, Clock: newClock(), Random: newRandom(0), Env: environment, Executable: name,
		Log: func(b []byte) { run.output.Write(b) }, Owner: run}
}

func (run *initdb) main(p *emscripten.Process, slot uint64) error {
	if err := setup(p, slot); err != nil {
		return err
	}
	code, err := ended(p.Main(initdbPath, "--allow-group-access", "--encoding", "UTF8", "--locale=C.UTF-8",
		"--locale-provider=libc", "--auth=trust"))
	if err == nil && code != 0 {
		err = fmt.Errorf("initdb ended with code %d", code)
	}
	return errors.Join(run.failure, err)
}

// setup runs constructors and names the callbacks for running programs.
func setup(p *emscripten.Process, slot uint64) error {
	if _, err := p.Call("__wasm_call_ctors"); err != nil {
		return err
	}
	for i, name := range []string{"pgl_set_system_fn", "pgl_set_popen_fn", "pgl_set_pclose_fn"} {
		if _, err := p.Call(name, slot+uint64(i)); err != nil {
			return err
		}
	}
	return nil
}

// ended is how a program ended: the result of main or the code of exit.
func ended(code uint64, err error) (uint64, error) {
	var exit emscripten.Exit
	if errors.As(err, &exit) {
		return uint64(uint32(exit.Code)), nil
	}
	return code, err
}

// run runs the server with a command line and gives its exit code.
func (run *initdb) run(p *emscripten.Process, command string) uint64 {
	code, err := run.serve(p, arguments(command))
	if err != nil {
		run.failure = errors.Join(run.failure, fmt.Errorf("%s: %w", command, err))
		return 1
	}
	return code
}

func (run *initdb) serve(p *emscripten.Process, args []string) (uint64, error) {
	if len(args) == 0 || args[0] != serverPath {
		return 1, fmt.Errorf("initdb wants to run another program")
	}
	files := p.FS.Fork()
	for fd, open := range []struct {
		name  string
		flags int32
	}{{pipeIn, 0}, {pipeOut, 1 | vfs.OCreate | vfs.OTruncate}} {
		from, e := files.Open(open.name, open.flags, 0o600)
		if e != vfs.OK {
			return 1, fmt.Errorf("opening %s: error %d", open.name, e)
		}
		files.Dup2(from, int32(fd))
		files.Close(from)
	}
	s, err := run.server.Start(run.config(files, serverPath))
	if err != nil {
		return 1, err
	}
	defer s.Close()
	if err := setup(s, uint64(run.server.Slot(slotSystem))); err != nil {
		return 1, err
	}
	return ended(s.Main(args...))
}

// popen gives a stream: of what the server has written, or of what it will read.
func (run *initdb) popen(p *emscripten.Process, command, mode string) uint64 {
	if mode == "r" {
		code := run.run(p, command)
		stream := fopen(p, pipeOut, "r")
		run.ended[stream] = code
		return stream
	}
	stream := fopen(p, pipeIn, "w")
	run.open[stream] = arguments(command)
	return stream
}

func (run *initdb) pclose(p *emscripten.Process, stream uint64) uint64 {
	p.Must("fclose", stream)
	args := run.open[stream]
	if args == nil {
		return run.ended[stream]
	}
	delete(run.open, stream)
	code, err := run.serve(p, args)
	if err != nil {
		run.failure = errors.Join(run.failure, err)
		return 1
	}
	return code
}

// fopen calls the program's own fopen.
func fopen(p *emscripten.Process, name, mode string) uint64 {
	sp := p.Must("emscripten_stack_get_current")
	stream := p.Must("fopen", uint64(p.StackString(name)), uint64(p.StackString(mode)))
	p.Must("_emscripten_stack_restore", sp)
	return stream
}

// arguments splits a command line as a shell does, up to the first redirection.
func arguments(command string) []string {
	var args []string
	var arg strings.Builder
	quote, begun := rune(0), false
	flush := func() {
		if begun {
			args = append(args, arg.String())
		}
		arg.Reset()
		begun = false
	}
	for _, c := range command {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote, begun = c, true
		case quote == 0 && strings.ContainsRune("<>|&;", c):
			flush()
			return args
		case quote == 0 && c == ' ':
			flush()
		default:
			arg.WriteRune(c)
			begun = true
		}
	}
	flush()
	return args
}

// finishData clears what initdb's runs left behind, and lets everybody in: names cannot be looked up inside.
func finishData(t *vfs.Tree) (*vfs.Tree, error) {
	if t.File(dataPath+"/PG_VERSION") == nil {
		return nil, errors.New("initdb made no data directory")
	}
	t = t.Clone()
	t.Add(dataPath+"/pg_hba.conf", vfs.NewFile(0o600, []byte("local all all trust\n")))
	t.Add(pipeIn, vfs.NewFile(0o600, nil))
	t.Add(pipeOut, vfs.NewFile(0o600, nil))
	t.Remove(dataPath + "/postmaster.pid")
	return t, nil
}
