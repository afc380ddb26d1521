//go:build unix

package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/goproxytest"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"txmc": main}) }

// TestScripts runs the command as users do; each script is a tree of theirs.
func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "env", "GOCACHE", "GOPATH", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	dirs := strings.Split(strings.TrimSpace(string(out)), "\n")
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("ROOT", root)
			e.Setenv("GOCACHE", dirs[0])
			e.Setenv("GOPATH", dirs[1])
			e.Setenv("GOMODCACHE", dirs[2])
			e.Setenv("GOPROXY", "off")
			e.Setenv("GOFLAGS", "")
			e.Setenv("GOENV", "off")
			e.Setenv("GOTOOLCHAIN", "local")
			// Temporary files in a place of their own, so that scripts can look
			// whether any is left.
			temp, home := filepath.Join(e.WorkDir, "tmp"), filepath.Join(e.WorkDir, "home")
			e.Setenv("HOME", home)
			e.Setenv("TMPDIR", temp)
			return errors.Join(os.MkdirAll(temp, 0o777), os.MkdirAll(home, 0o777))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"module":        module,
			"exits":         exits,
			"interrupt":     interrupt,
			"killed":        killed,
			"samehistories": sameHistories,
			"orphan":        orphan,
			"report":        reported,
			"snapshot":      snapshot,
			"unchanged":     unchanged,
			"proxy":         func(ts *testscript.TestScript, neg bool, args []string) { proxy(t, ts, args) },
		},
	})
}

// module DIR PATH makes a tidy module that uses txmc from this repository. With
// a "!" before it go.sum and the indirect requirements are missing.
func module(ts *testscript.TestScript, neg bool, args []string) {
	mod := fmt.Sprintf("module %s\n\ngo 1.26.0\n\nrequire github.com/txmc/txmc v0.0.0\n\nreplace github.com/txmc/txmc => %s\n",
		args[1], ts.Getenv("ROOT"))
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o777))
	if !neg {
		ours := ts.ReadFile(filepath.Join(ts.Getenv("ROOT"), "go.mod"))
		mod += strings.Join(regexp.MustCompile(`(?ms)^require \(.*?^\)$`).FindAllString(ours, -1), "\n")
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
	exit, ok := errors.AsType[*exec.ExitError](err)
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

// interrupt STATUS once|on|term REGEXP COMMAND... runs a command, sends it SIGINT,
// once or on and on, or SIGTERM, when its standard error matches, and wants that status at
// the end. Its output goes to the files out and err.
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	p := start(ts, args[3:])
	p.await(ts, args[2])
	defer time.AfterFunc(20*time.Second, func() { p.cmd.Process.Kill() }).Stop()
	ended := make(chan struct{})
	go func() {
		if args[1] == "term" {
			p.cmd.Process.Signal(syscall.SIGTERM)
			return
		}
		p.cmd.Process.Signal(os.Interrupt)
		for args[1] == "on" { // two at once may arrive as one
			select {
			case <-ended:
				return
			case <-time.After(50 * time.Millisecond):
				p.cmd.Process.Signal(os.Interrupt)
			}
		}
	}()
	status := code(ts, p.cmd.Wait())
	close(ended)
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
	p.cmd.Wait()
	pid, err := strconv.Atoi(strings.TrimSpace(ts.ReadFile(args[1])))
	ts.Check(err)
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if !alive(pid) {
			break
		}
		if time.Now().After(deadline) {
			syscall.Kill(pid, syscall.SIGKILL)
			ts.Fatalf("the harness, process %d, still runs", pid)
		}
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

// started is a running command.
type started struct {
	cmd      *exec.Cmd
	out, err *locked
}

func start(ts *testscript.TestScript, args []string) *started {
	path, err := exec.LookPath(args[0])
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if full := filepath.Join(dir, args[0]); err != nil {
			path, err = exec.LookPath(full)
		}
	}
	ts.Check(err)
	p := &started{exec.Command(path, args[1:]...), &locked{}, &locked{}}
	p.cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "GOCACHE", "GOPATH", "GOMODCACHE", "GOPROXY", "GOENV", "GOTOOLCHAIN", "TMPDIR", "GOFLAGS"} {
		p.cmd.Env = append(p.cmd.Env, name+"="+ts.Getenv(name))
	}
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.err
	p.cmd.WaitDelay = time.Second
	ts.Check(p.cmd.Start())
	return p
}

func (p *started) await(ts *testscript.TestScript, pattern string) {
	re := regexp.MustCompile(pattern)
	for deadline := time.Now().Add(time.Minute); !re.Match(p.err.bytes()); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.cmd.Process.Kill()
			ts.Fatalf("standard error does not match %s:\n%s", pattern, p.err.bytes())
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
