//go:build unix

package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/goproxytest"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/server/requests/requeststest"
)

// Tests interrupt the command. Who runs tests in the background of a shell may ignore
// interrupts, and the command would inherit that; a signal that is caught it does not inherit.
func TestMain(m *testing.M) {
	if signal.Ignored(os.Interrupt) {
		signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	}
	testscript.Main(m, map[string]func(){"txmc": main})
}

// TestScripts runs the command as users do; each script is a tree of theirs.
func TestScripts(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "env", "GOCACHE", "GOPATH", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	dirs := strings.Split(strings.TrimSpace(string(out)), "\n")
	graph := exec.Command("go", "mod", "graph") // it gets the go.mod files of all modules, which scripts have no network for
	graph.Dir = root
	if out, err := graph.CombinedOutput(); err != nil {
		t.Logf("go mod graph: %v\n%s", err, out)
	}
	requirements := indirect(t, root)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Condition:           condition,
		Setup: func(e *testscript.Env) error {
			if deadlinetest.Over(t) {
				e.T().Skip("left out: the time limit comes near")
			}
			e.Setenv("ROOT", root)
			e.Setenv("GOCACHE", dirs[0])
			e.Setenv("GOPATH", dirs[1])
			e.Setenv("GOMODCACHE", dirs[2])
			e.Setenv("GOPROXY", "off")
			e.Setenv("GOFLAGS", "")
			e.Setenv("GOENV", "off")
			e.Setenv("GOTOOLCHAIN", "local")
			e.Setenv("TXMC_DETERMINISM", "on")
			e.Setenv("PYTHON", requeststest.Interpreter())
			e.Setenv("NODE_PATH", requeststest.NodePath())
			// Temporary files in a place of their own, so that scripts can look
			// whether any is left.
			temp, home := filepath.Join(e.WorkDir, "tmp"), filepath.Join(e.WorkDir, "home")
			e.Setenv("HOME", home)
			e.Setenv("TMPDIR", temp)
			return errors.Join(os.MkdirAll(temp, 0o777), withoutTelemetry(home), lendCompiled(home))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"module":        func(ts *testscript.TestScript, neg bool, args []string) { module(ts, neg, args, requirements) },
			"exits":         exits,
			"interrupt":     interrupt,
			"killed":        killed,
			"samehistories": sameHistories,
			"orphan":        orphan,
			"nobody":        nobody,
			"abandoned":     abandoned,
			"report":        reported,
			"snapshot":      snapshot,
			"unchanged":     unchanged,
			"page":          func(ts *testscript.TestScript, neg bool, args []string) { shownOn(ts, filepath.Join(root, args[0])) },
			"proxy":         func(ts *testscript.TestScript, neg bool, args []string) { proxy(t, ts, args) },
		},
	})
}

// withoutTelemetry makes a home directory in which the go command counts nothing. Else its first
// call there starts a process in the background, which goes on when the script has ended.
func withoutTelemetry(home string) error {
	dir := filepath.Join(home, ".config", "go", "telemetry")
	return errors.Join(os.MkdirAll(dir, 0o777), os.WriteFile(filepath.Join(dir, "mode"), []byte("off"), 0o666))
}

// lendCompiled puts what PostgreSQL's package was compiled to, where it was before, and the data of
// new servers into a home directory: to compile it takes twenty seconds of processor time.
func lendCompiled(home string) error {
	user, err := os.UserCacheDir()
	if err != nil {
		return nil // nothing is kept
	}
	cache := filepath.Join(home, ".cache", "txmc")
	if err := os.MkdirAll(cache, 0o777); err != nil {
		return err
	}
	for _, pattern := range []string{"wazero*", "pglite-*", "servers"} {
		kept, err := filepath.Glob(filepath.Join(user, "txmc", pattern))
		if err != nil {
			return err
		}
		for _, k := range kept {
			if err := os.Symlink(k, filepath.Join(cache, filepath.Base(k))); err != nil {
				return err
			}
		}
	}
	return nil
}

// condition decides [full], as what takes long runs in full only, and [python] and [node], for examples in these
// languages.
func condition(name string) (bool, error) {
	if language, module, ok := strings.Cut(name, ":"); ok {
		return requeststest.HasModule(language, module), nil
	}
	switch name {
	case "python":
		return requeststest.HasPython(), nil
	case "node":
		return requeststest.HasNode(), nil
	case "php", "ruby", "java":
		return requeststest.Has(name), nil
	case "full":
	default:
		return false, fmt.Errorf("unknown condition %q: full, python, node, php, ruby, java and python:MODULE are known", name)
	}
	return deadlinetest.Full() || flag.Lookup("full").Value.String() == "true", nil // the flag is that of the other package of tests
}

// indirect is what go mod tidy adds to the go.mod of a user's module: the modules,
// with their versions, whose packages the library and the harness import. What only
// the command and the tests need is not among them, and need not be in the module
// cache of a machine that runs these tests.
func indirect(t *testing.T, root string) string {
	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}\t{{.Path}} {{.Version}} // indirect{{end}}{{end}}", ".", "./explore/harness")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.Compact(slices.Sorted(strings.Lines(string(out))))
	return "\nrequire (\n" + strings.Join(lines, "") + ")\n"
}

// module DIR PATH makes a tidy module that uses txmc from this repository. With
// a "!" before it go.sum and the indirect requirements are missing.
func module(ts *testscript.TestScript, neg bool, args []string, indirect string) {
	mod := fmt.Sprintf("module %s\n\ngo 1.25.0\n\nrequire github.com/txmc/txmc v0.0.0\n\nreplace github.com/txmc/txmc => %s\n",
		args[1], ts.Getenv("ROOT"))
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o777))
	if !neg {
		mod += indirect
		sums := ts.ReadFile(filepath.Join(ts.Getenv("ROOT"), "go.sum"))
		ts.Check(os.WriteFile(filepath.Join(dir, "go.sum"), []byte(sums), 0o666))
	}
	ts.Check(os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o666))
}

// exits STATUS COMMAND... runs a command, which must end with that status and
// leave no temporary file.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	status := code(ts, ts.Exec(args[1], args[2:]...))
	if strconv.Itoa(status) != args[0] {
		ts.Fatalf("exit status %d, want %s", status, args[0])
	}
	noLitter(ts)
}

func code(ts *testscript.TestScript, err error) int {
	var exit *exec.ExitError
	ok := errors.As(err, &exit)
	if err != nil && !ok {
		ts.Fatalf("%v", err)
	}
	if exit == nil {
		return 0
	}
	return exit.ExitCode()
}

func noLitter(ts *testscript.TestScript) {
	left, err := os.ReadDir(ts.Getenv("TMPDIR"))
	ts.Check(err)
	for _, e := range left {
		ts.Fatalf("it leaves %s among the temporary files", e.Name())
	}
}

// interrupt STATUS once|on|term REGEXP COMMAND... runs a command. When its output or
// its standard error matches, the command gets SIGINT once, SIGINT on and on, or
// SIGTERM. It has to end with that status. Its output goes to the files out and err.
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	p := start(ts, args[3:])
	p.await(ts, args[2])
	go func() {
		if args[1] == "term" {
			p.cmd.Process.Signal(syscall.SIGTERM)
			return
		}
		p.cmd.Process.Signal(os.Interrupt)
		for args[1] == "on" { // two at once may arrive as one
			select {
			case <-p.ended:
				return
			case <-time.After(50 * time.Millisecond):
				p.cmd.Process.Signal(os.Interrupt)
			}
		}
	}()
	<-p.ended
	status := code(ts, p.status)
	ts.Check(os.WriteFile(ts.MkAbs("out"), p.out.bytes(), 0o666))
	ts.Check(os.WriteFile(ts.MkAbs("err"), p.err.bytes(), 0o666))
	if strconv.Itoa(status) != args[0] {
		ts.Fatalf("exit status %d, want %s; output:\n%s%s", status, args[0], p.out.bytes(), p.err.bytes())
	}
	noLitter(ts)
}

// orphan REGEXP FILE COMMAND... kills a command once its standard error matches.
// The process whose number the client wrote to FILE must end too.
func orphan(ts *testscript.TestScript, neg bool, args []string) {
	p := start(ts, args[2:])
	p.await(ts, args[0])
	ts.Check(p.cmd.Process.Kill())
	<-p.ended
	pid, err := strconv.Atoi(strings.TrimSpace(ts.ReadFile(args[1])))
	ts.Check(err)
	for alive(pid) { // a harness that stays is shown by the time limit of go test
		time.Sleep(20 * time.Millisecond)
	}
	ts.Check(os.RemoveAll(ts.Getenv("TMPDIR"))) // nobody was left to do it
	ts.Check(os.Mkdir(ts.Getenv("TMPDIR"), 0o777))
}

// alive looks at /proc, as a zombie has ended too.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := bytes.Cut(stat, []byte(") "))
	return !bytes.HasPrefix(rest, []byte("Z"))
}

// started is a running command. When ended is closed, status is how it ended.
type started struct {
	cmd      *exec.Cmd
	out, err *locked
	ended    chan struct{}
	status   error
}

func start(ts *testscript.TestScript, args []string) *started {
	path, err := exec.LookPath(args[0])
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if full := filepath.Join(dir, args[0]); err != nil {
			path, err = exec.LookPath(full)
		}
	}
	ts.Check(err)
	p := &started{cmd: exec.Command(path, args[1:]...), out: &locked{}, err: &locked{}, ended: make(chan struct{})}
	p.cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "GOCACHE", "GOPATH", "GOMODCACHE", "GOPROXY", "GOENV", "GOTOOLCHAIN", "TMPDIR", "GOFLAGS", "FAST", "TXMC_DETERMINISM"} {
		p.cmd.Env = append(p.cmd.Env, name+"="+ts.Getenv(name))
	}
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.err
	ts.Check(p.cmd.Start())
	go func() {
		p.status = p.cmd.Wait()
		close(p.ended)
	}()
	return p
}

// await waits until the command says something, however long a busy machine takes.
func (p *started) await(ts *testscript.TestScript, pattern string) {
	re := regexp.MustCompile(pattern)
	for !re.Match(p.err.bytes()) && !re.Match(p.out.bytes()) {
		select {
		case <-p.ended:
			ts.Fatalf("it has ended, and has not said %s:\n%s%s", pattern, p.out.bytes(), p.err.bytes())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// locked is a buffer that may be read while a process writes to it.
type locked struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *locked) bytes() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Clone(l.b.Bytes())
}

// reported FILE compares the standard output with a file, but for times.
func reported(ts *testscript.TestScript, neg bool, args []string) {
	got := regexp.MustCompile(`(?m)\d+\.\d\ds$`).ReplaceAllString(ts.ReadFile("stdout"), "0.00s")
	if diff := cmp.Diff(ts.ReadFile(args[0]), got); diff != "" {
		ts.Fatalf("-want +got\n%s", diff)
	}
}

// snapshot DIR remembers the contents of a tree; unchanged DIR compares.
func snapshot(ts *testscript.TestScript, neg bool, args []string) {
	ts.Setenv("SNAPSHOT", digest(ts, args[0]))
}

func unchanged(ts *testscript.TestScript, neg bool, args []string) {
	if digest(ts, args[0]) != ts.Getenv("SNAPSHOT") {
		ts.Fatalf("something has changed below %s", args[0])
	}
}

func digest(ts *testscript.TestScript, dir string) string {
	sum := sha256.New()
	ts.Check(filepath.WalkDir(ts.MkAbs(dir), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(sum, path, info.Mode(), info.ModTime().UnixNano())
		if !d.Type().IsRegular() {
			return nil
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(sum, f)
		return err
	}))
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// proxy DIR serves the modules of a directory, in the form of goproxytest, and
// makes the go command use it with a module cache of its own.
func proxy(t *testing.T, ts *testscript.TestScript, args []string) {
	server, err := goproxytest.NewServer(ts.MkAbs(args[0]), "")
	ts.Check(err)
	ts.Defer(server.Close)
	ts.Setenv("GOPROXY", server.URL+",file://"+filepath.ToSlash(ts.Getenv("GOMODCACHE"))+"/cache/download")
	ts.Setenv("GONOSUMDB", "*")
	ts.Setenv("GOMODCACHE", ts.MkAbs("modcache"))
	ts.Setenv("GOFLAGS", "-modcacherw")
}
