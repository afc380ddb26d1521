package program

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/program/files"
)

// What package os would tell of files becomes an error, of whoever reads.
func TestFilesPassState(t *testing.T) {
	dir := t.TempDir()
	for name, test := range map[string]struct {
		first, second files.What // of session a, and of session b
		path          string
		recheck       int
		want          string
	}{
		"read after":    {files.Changes, files.Reads, "x", 0, `session "b": the session is not deterministic: it reads the file x (line unknown), which session "a" changes (`},
		"read before":   {files.Reads, files.Changes, "x", 0, `session "a": the session is not deterministic: it reads the file x (line unknown), which session "b" changes (`},
		"by itself":     {files.Reads | files.Changes, 0, "y/z", 0, `session "a": the session is not deterministic: it reads the file y/z (line unknown), which another run changes (`},
		"only written":  {files.Changes, files.Changes, "x", 0, ""},
		"only read":     {files.Reads, files.Reads, "x", 0, ""},
		"not compared":  {files.Changes, files.Reads, "x", -1, ""},
		"no file":       {files.Changes, files.Reads, "/dev/null", 0, ""},
		"not on a disk": {files.Changes, files.Reads, "|7", 0, `it reads a pipe (`},
	} {
		path := test.path
		if path[0] != '/' && path[0] != '|' {
			path = filepath.Join(dir, path)
		}
		tell := func(s *Session, what files.What) {
			if s.run.client.opts.Recheck >= 0 { // see newRun
				s.run.uses(uint(what), path, nil)
			}
		}
		c, err := NewClient("Explore", func(p *Program) {
			p.Session("a", func(s *Session) { tell(s, test.first) })
			p.Session("b", func(s *Session) { tell(s, test.second) })
		}, Options{Dir: resolved(t, dir), Recheck: test.recheck})
		for i := range 2 {
			if err == nil {
				_, err = c.Root(i)
			}
		}
		var e *behaviour.Error
		if test.want == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		} else if !errors.As(err, &e) || e.Kind != behaviour.Nondeterminism || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

func resolved(t *testing.T, dir string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return real
}

// An open file is looked at again when something has happened, and only then.
func TestKeptFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	var kept atomic.Pointer[any]
	c, err := NewClient("Explore", func(p *Program) {
		p.Session("a", func(s *Session) {
			for range 3 {
				s.run.uses(uint(files.Changes|files.Anew), path, &kept)
			}
			was := kept.Load()
			s.run.uses(uint(files.Changes), path, &kept)
			if kept.Load() != was {
				panic("it has been looked at again")
			}
		})
		p.Session("b", func(s *Session) { s.run.uses(uint(files.Reads), path, &kept) })
	}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := c.Root(0); err != nil || len(n.Failures) > 0 {
		t.Fatal(n, err)
	}
	if _, err := c.Root(1); err == nil {
		t.Error("what another session has written to an open file is read")
	}
}

// What a run does again with a file that another run has changed meanwhile counts.
func TestKeptFileChangedMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	real, other := files.Path(path, false), files.Mark{Session: 0, Run: 1 << 60}
	var kept atomic.Pointer[any]
	var conflicts []*files.Conflict
	c, err := NewClient("Explore", func(p *Program) {
		p.Session("a", func(s *Session) {
			s.run.uses(uint(files.Changes|files.Anew), path, &kept)
			s.Txn("t", func(tx *Tx) error { tx.Read("x"); return nil })
			s.run.uses(uint(files.Changes|files.Anew), path, &kept)
			conflicts = append(conflicts, s.run.client.files.Use(other, files.Reads, real))
		})
	}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	n, err := c.Root(0)
	if err != nil {
		t.Fatal(err)
	}
	c.files.Use(other, files.Changes|files.Anew, real)
	_, _ = c.Child(n, 0) // what is then run again reads what the other one has read
	if len(conflicts) == 0 || conflicts[0] == nil {
		t.Error("a run reads its own, which another one has overwritten")
	}
}

// A comment at the end of the line, or on a line of its own before it, that names the check or none.
func TestIgnoredFile(t *testing.T) {
	source := filepath.Join(t.TempDir(), "x.go")
	lines := []string{"a() //txmc:ignore outside it is only counted", "b()", "//txmc:ignore", "c()", "d() //txmc:ignore clock,outside", "e() //txmc:ignore clock", "f() //txmc:ignoreoutside", "g()"}
	if err := os.WriteFile(source, []byte(strings.Join(lines, "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	for i, line := range lines {
		want := strings.Contains("acd", line[:1])
		if got := ignoredIn(source, i+1); got != want && line[0] != '/' {
			t.Errorf("%s: %v", line, got)
		}
	}
	if ignoredIn(source, 0) || ignoredIn(source, 99) || ignoredIn(source+"x", 1) {
		t.Error("a line that is not there is ignored")
	}
}
