package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// ToolError is a failure that the go command has explained itself. Output is
// what it printed.
type ToolError struct {
	Output string
}

// Error returns the go command's words.
func (e *ToolError) Error() string { return strings.TrimRight(e.Output, "\n") }

// tool runs the go command in the user's directory. It never lets it write there.
type tool struct {
	dir   string // where the user is
	temp  string // where files may be written
	cache string // where harnesses are kept
	flags []string
	log   func(format string, args ...any)
	replaced
	env    goEnv
	server string // the package by which harnesses talk to a server; see Config
	root   string // the Go to use, "" for the one in PATH
	// repaired: copies of go.mod or go.sum are in use, or cannot help.
	repaired bool
	work     string // the copy of go.work, "" when there is none
	language string // of the user's files, as 1.20, where a copy of go.mod has a later one
}

// replaced is how files differ from what is on the disk.
type replaced struct {
	// overlay maps files as the go command shall see them to files that hold
	// their contents; "" hides a file.
	overlay  map[string]string
	repeats  bool // it makes time and randomness repeat themselves
	overlays bool // GOFLAGS names another one
	renames  bool // it gives a package main another name
}

type goEnv struct {
	GOFLAGS, GOMOD, GOWORK, GOMODCACHE, GOROOT, GOVERSION, GOTOOLDIR string

	all string // all that has a say in what is built, as the go command prints it
}

// goVariables are those of the go command that have a say in what is built.
var goVariables = []string{
	"GOFLAGS", "GOMOD", "GOWORK", "GOMODCACHE", "GOROOT", "GOVERSION", "CGO_ENABLED",
	"GOOS", "GOARCH", "GO386", "GOAMD64", "GOARM", "GOARM64", "GOMIPS", "GOMIPS64", "GOPPC64", "GORISCV64", "GOWASM",
	"GOEXPERIMENT", "GODEBUG", "GOFIPS140", "GO111MODULE", "GOTOOLDIR", "CC", "AR",
}

func newTool(ctx context.Context, c Config) (*tool, error) {
	t := &tool{dir: c.Dir, temp: c.Temp, cache: c.Cache, server: c.Server, log: c.Log, replaced: replaced{overlay: map[string]string{}}}
	if t.log == nil {
		t.log = func(string, ...any) {}
	}
	if t.dir == "" {
		wd, err := os.Getwd()
		if err != nil {
			return nil, fmt.Errorf("cannot find the current directory: %w", err)
		}
		t.dir = wd
	}
	out, err := t.run(ctx, append([]string{"env", "-json"}, goVariables...)...)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(out, &t.env); err != nil {
		return nil, fmt.Errorf("cannot understand what \"go env\" prints: %w", err)
	}
	t.env.all = string(out)
	if err := t.heedFlags(); err != nil {
		return nil, err
	}
	t.flags = append(t.flags, t.tagged(c.Tags))
	return t, t.copyWorkspace()
}

// pureGo is the build tag with which package mysql needs no C compiler.
const pureGo = "gms_pure_go"

// tagged is the flag of the build tags: ours beside those given, or else those of GOFLAGS.
func (t *tool) tagged(given string) string {
	tags := strings.FieldsFunc(given, func(r rune) bool { return r == ',' || r == ' ' })
	if given == "" {
		tags = t.tags()
	}
	return "-tags=" + strings.Join(append(tags, pureGo), ",")
}

// heedFlags takes over the user's GOFLAGS, without what would let the go command
// change go.mod and go.sum, and with the user's overlay under ours.
func (t *tool) heedFlags() error {
	// The tree may be no repository that the go command can stamp, and GOFLAGS
	// must not be empty: that would stand for what "go env -w" has set.
	flags := []string{"-buildvcs=false"}
	for _, f := range strings.Fields(t.env.GOFLAGS) {
		name, value, _ := strings.Cut(strings.TrimLeft(f, "-"), "=")
		switch {
		case name == "mod" && value == "mod":
			f = "-mod=readonly"
		case name == "buildvcs":
			continue
		case name == "overlay":
			if err := t.readOverlay(value); err != nil {
				return err
			}
		}
		flags = append(flags, f)
	}
	t.env.GOFLAGS = strings.Join(flags, " ")
	return nil
}

func (t *tool) readOverlay(file string) error {
	data, err := os.ReadFile(filepath.Join(t.dir, file))
	if filepath.IsAbs(file) {
		data, err = os.ReadFile(file)
	}
	var o struct{ Replace map[string]string }
	if err == nil {
		err = json.Unmarshal(data, &o)
	}
	if err != nil {
		return fmt.Errorf("cannot read the overlay that GOFLAGS names: %w", err)
	}
	abs := func(p string) string {
		if p == "" || filepath.IsAbs(p) {
			return p
		}
		return filepath.Join(t.dir, p)
	}
	t.overlays = true
	for from, to := range o.Replace {
		t.overlay[abs(from)] = abs(to)
	}
	return nil
}

// environ is the environment of go commands.
func (t *tool) environ() []string {
	// An interrupted go command may leave temporary files: ours to remove.
	// What another build system lists cannot be built by the go command.
	env := append(os.Environ(), "PWD="+t.dir, "GOTMPDIR="+t.temp, "GOPACKAGESDRIVER=off")
	if t.env.GOFLAGS != "" {
		env = append(env, "GOFLAGS="+t.env.GOFLAGS)
	}
	if t.root != "" {
		env = append(env, "GOROOT="+t.root, "GOTOOLCHAIN=local", "PATH="+filepath.Join(t.root, "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	}
	if t.work != "" {
		env = append(env, "GOWORK="+t.work)
	}
	return env
}

// run runs a go command and returns its output. When it fails, the error is a
// [*ToolError] with what it has printed.
func (t *tool) run(ctx context.Context, args ...string) ([]byte, error) {
	t.log("go %s", strings.Join(args, " "))
	command := "go"
	if t.root != "" {
		command = filepath.Join(t.root, "bin", "go")
	}
	cmd := exec.CommandContext(ctx, command, args...)
	cmd.Dir, cmd.Env = t.dir, t.environ()
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	ownGroup(cmd)
	cmd.Cancel = func() error { return signalGroup(cmd.Process, os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return nil, fmt.Errorf("the go command is needed to build client programs and is not in PATH: install Go (https://go.dev/doc/install) or add it to PATH")
	case err != nil && said.Len() == 0 && out.Len() == 0:
		return nil, fmt.Errorf("go %s: %w", args[0], err)
	case err != nil:
		return nil, &ToolError{said.String() + out.String()}
	}
	return out.Bytes(), nil
}

// overlaid returns the -overlay flag for the tool's overlay and the given one.
func (t *tool) overlaid(more map[string]string) (string, error) {
	all := struct{ Replace map[string]string }{map[string]string{}}
	for _, m := range []map[string]string{t.overlay, more} {
		for from, to := range m {
			all.Replace[from] = to
		}
	}
	data, err := json.Marshal(all)
	if err != nil {
		return "", err
	}
	file, err := t.write("overlay-*.json", data)
	return "-overlay=" + file, err
}

// write writes a temporary file and returns its name.
func (t *tool) write(pattern string, data []byte) (string, error) {
	f, err := os.CreateTemp(t.temp, pattern)
	if err != nil {
		return "", fmt.Errorf("cannot write a temporary file: %w", err)
	}
	_, err = f.Write(data)
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return "", fmt.Errorf("cannot write a temporary file: %w", err)
	}
	return f.Name(), nil
}
