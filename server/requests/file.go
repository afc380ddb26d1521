package requests

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/txmc/txmc/server/application"
)

// File is a file of requests.
type File struct {
	Name string // the file's absolute path
	Line int    // of start
	application.Config

	Schema   []script
	Seed     []script
	Setup    []step
	Sessions []session
	Requests []session // for pairs: each one's steps; its name is shown
	Checks   []check
}

// script is a file of SQL, or one of those that a pattern matches.
type script struct {
	pattern string
	line    int
}

// session is a client: what it sends, one after another.
type session struct {
	name  string
	line  int
	steps []step
}

// step is a request or a command, at a line of the file.
type step struct {
	line    int
	request application.Request
	run     string            // a command; "" of a request
	save    map[string]string // variables, from the response's JSON
}

// String is the request line or the command.
func (s step) String() string {
	if s.run != "" {
		return s.run
	}
	return s.request.Method + " " + s.request.Path
}

// key tells a step from others. Values of earlier responses are no part of it.
func (s step) key() string { return fmt.Sprint(s.run, s.request, s.request.Header) }

// Error is a mistake in a file.
type Error struct {
	File         string
	Line, Column int
	Message      string
}

// Error says where the mistake is.
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

// Is reports whether the name is that of a file of requests.
func Is(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// Read reads a file. The error is an [*Error] where the file is wrong.
func Read(name string) (*File, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	full, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	f, err := parse(full, text)
	var wrong *Error
	if err != nil && asError(err, &wrong) {
		wrong.File = name
	}
	return f, err
}

// Program is the name of the program that the file is.
func (f *File) Program() string {
	base := filepath.Base(f.Name)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// parse reads a file's text.
func parse(name string, text []byte) (*File, error) {
	var top yaml.Node
	if err := yaml.Unmarshal(text, &top); err != nil {
		return nil, syntax(err)
	}
	f := &File{Name: name, Config: application.Config{Dir: filepath.Dir(name), Processes: application.PerSession, Settle: 20 * time.Millisecond, Patience: 30 * time.Second}}
	if top.Kind == 0 {
		return nil, &Error{Line: 1, Column: 1, Message: "the file is empty: it needs start, sessions, and more"}
	}
	if err := f.read(top.Content[0]); err != nil {
		return nil, err
	}
	return f, f.complete(top.Content[0])
}

// read reads what the file says.
func (f *File) read(top *yaml.Node) error {
	return fields(top, "the file", map[string]func(*yaml.Node) error{
		"start":     func(n *yaml.Node) (err error) { f.Line = n.Line; f.Start, err = text(n, "start"); return err },
		"dir":       func(n *yaml.Node) error { return f.readDir(n) },
		"env":       func(n *yaml.Node) error { return f.readEnv(n) },
		"agent":     func(n *yaml.Node) error { return f.readAgent(n) },
		"ready":     func(n *yaml.Node) (err error) { f.Ready, err = requestLine(n); return err },
		"processes": func(n *yaml.Node) error { return f.readProcesses(n) },
		"schema":    func(n *yaml.Node) (err error) { f.Schema, err = f.scripts(n, "schema"); return err },
		"seed":      func(n *yaml.Node) (err error) { f.Seed, err = f.scripts(n, "seed"); return err },
		"setup":     func(n *yaml.Node) (err error) { f.Setup, err = steps(n); return err },
		"sessions":  func(n *yaml.Node) error { return f.readSessions(n) },
		"requests":  func(n *yaml.Node) error { return f.readRequests(n) },
		"check":     func(n *yaml.Node) (err error) { f.Checks, err = checks(n); return err },
		"ignore":    func(n *yaml.Node) error { return f.readIgnore(n) },
		"settle":    func(n *yaml.Node) (err error) { f.Settle, err = duration(n, "settle"); return err },
		"patience":  func(n *yaml.Node) (err error) { f.Patience, err = duration(n, "patience"); return err },
	})
}

// complete says what the file lacks.
func (f *File) complete(top *yaml.Node) error {
	requests := 0
	for _, list := range append(append([]session{{steps: f.Setup}}, f.Sessions...), f.Requests...) {
		for _, s := range list.steps {
			if s.run == "" {
				requests++
			}
		}
	}
	switch {
	case len(f.Sessions)+len(f.Requests) == 0:
		return wrong(top, "there are no sessions: give at least two requests that meet, as\n\tsessions:\n\t  ann: 'POST /redeem {\"user\": \"ann\"}'\n\t  bob: 'POST /redeem {\"user\": \"bob\"}'")
	case f.Start == "" && requests > 0:
		return wrong(top, "there is no start: give the command that starts the application, as\n\tstart: python3 app.py")
	case f.Start != "" && f.Ready.Method == "":
		return wrong(top, "there is no ready: give a request that the application answers when it has started, as\n\tready: GET /health")
	}
	return f.refers(top)
}

func (f *File) readDir(n *yaml.Node) error {
	dir, err := text(n, "dir")
	if err != nil {
		return err
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(filepath.Dir(f.Name), dir)
	}
	if stat, err := os.Stat(dir); err != nil || !stat.IsDir() {
		return wrong(n, "dir: %s is no directory", dir)
	}
	f.Dir = dir
	return nil
}

func (f *File) readEnv(n *yaml.Node) error {
	return each(n, "env", func(name string, v *yaml.Node) error {
		value, err := text(v, name)
		f.Env = append(f.Env, name+"="+value)
		return err
	})
}

func (f *File) readAgent(n *yaml.Node) (err error) {
	if f.Agent, err = text(n, "agent"); err == nil && !slices.Contains(application.Agents, f.Agent) {
		return wrong(n, "agent: %q is none of %s", f.Agent, strings.Join(application.Agents, ", "))
	}
	return err
}

func (f *File) readProcesses(n *yaml.Node) error {
	s, err := text(n, "processes")
	if err != nil {
		return err
	}
	switch f.Processes = application.Processes(s); f.Processes {
	case application.Shared, application.PerSession, application.PerRun:
		return nil
	}
	return wrong(n, "processes: %q is none of shared, per-session and per-run", s)
}

func (f *File) readSessions(n *yaml.Node) error {
	return each(n, "sessions", func(name string, v *yaml.Node) error {
		if name == "final" || name == "init" {
			return wrong(v, "sessions: a session cannot be called %q: reports call something else so", name)
		}
		list, err := steps(v)
		if err == nil && len(list) == 0 {
			err = wrong(v, "sessions: %s sends nothing: give it a request", name)
		}
		f.Sessions = append(f.Sessions, session{name, v.Line, list})
		return err
	})
}

// readRequests reads requests for pairs: a list, which may name recordings, or by name.
func (f *File) readRequests(n *yaml.Node) error {
	if aliased(n).Kind == yaml.MappingNode {
		return each(n, "requests", func(name string, v *yaml.Node) error {
			list, err := steps(v)
			f.Requests = append(f.Requests, session{name, v.Line, list})
			return err
		})
	}
	return items(n, func(v *yaml.Node) error {
		if v.Kind == yaml.ScalarNode && IsRecording(v.Value) {
			list, err := f.recorded(v)
			f.Requests = append(f.Requests, list...)
			return err
		}
		s, err := readStep(v)
		name := s.run
		if name == "" {
			name = s.request.String()
		}
		f.Requests = append(f.Requests, session{name, s.line, []step{s}})
		return err
	})
}

func (f *File) readIgnore(n *yaml.Node) error {
	return items(n, func(v *yaml.Node) error {
		s, err := text(v, "ignore")
		if err != nil {
			return err
		}
		pattern, err := regexp.Compile(s)
		if err != nil {
			return wrong(v, "ignore: %v", err)
		}
		f.Ignore = append(f.Ignore, pattern)
		return nil
	})
}

// scripts reads names of files: a directory stands for its *.sql.
func (f *File) scripts(n *yaml.Node, what string) (list []script, err error) {
	err = items(n, func(v *yaml.Node) error {
		pattern, err := text(v, what)
		if err != nil {
			return err
		}
		full := pattern
		if !filepath.IsAbs(full) {
			full = filepath.Join(filepath.Dir(f.Name), full)
		}
		if stat, err := os.Stat(full); err == nil && stat.IsDir() {
			full = filepath.Join(full, "*.sql")
		}
		if found, err := filepath.Glob(full); err != nil || len(found) == 0 {
			return wrong(v, "%s: no file is called %s", what, pattern)
		}
		list = append(list, script{full, v.Line})
		return nil
	})
	return list, err
}
