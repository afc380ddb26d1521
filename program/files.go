package program

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/program/files"
	"github.com/txmc/txmc/program/repeat"
)

// Sessions can pass state to each other by files, as by package-level variables. With the
// overlay of package repeat, package os tells of the files that client code is about to read
// or to change. Package files knows which of these accesses pass state. What this module does
// for itself is left out. Whose an access is, one frame of its stack says: the innermost one
// that belongs neither to the standard library nor to a module that others require.

// judging is the session of the runs of invariants.
const judging = -2

// fileUses are the files of a client's runs.
type fileUses struct {
	files.Files
	mu      sync.Mutex
	ignored map[behaviour.Loc]bool // lines on which a comment says that the file decides nothing
}

// keptFile is what is kept of an open file: what was found to be no state that passes.
type keptFile struct {
	by   files.Mark
	what files.What
	seq  uint64
	ours bool // it is not the client code's
}

// uses is called on a goroutine of the run that is about to do something with what is at a path.
func (r *run) uses(what uint, name string, kept *atomic.Pointer[any]) {
	c := r.client
	if now := c.running.Load(); now != nil && now.root == r.root { // may run behind r, in the same call of the Explore function
		r = now
	}
	var conflict *files.Conflict
	repeat.Apart(func() { conflict = r.usesFile(files.What(what), name, kept) })
	if conflict == nil || r.dead.Load() || r.givenUp.Load() {
		return
	}
	err := r.passesBy(conflict)
	c.report(err)
	if r.root.isHere() {
		r.fail(err)
	}
}

// usesFile notes the use of a file, and returns what passes by it.
func (r *run) usesFile(what files.What, name string, kept *atomic.Pointer[any]) *files.Conflict {
	by := files.Mark{Session: r.fileSession(), Run: r.root.number}
	f := &r.client.files
	was := keptFile{}
	if kept != nil {
		if k := kept.Load(); k != nil {
			was, _ = (*k).(keptFile)
		}
	}
	if was.ours || was.by == by && was.what&what == what && was.seq == f.Seq() {
		return nil
	}
	path, at, ours := "", behaviour.Loc(0), false
	if path = files.Path(name, what&files.Link != 0); path != "" {
		at, ours = r.client.usesAt()
	}
	var conflict *files.Conflict
	if ours = ours || path == ""; !ours && !r.client.ignoresFile(at) {
		of := by
		of.At = int32(at)
		conflict = f.Use(of, what, path)
	}
	if kept != nil {
		if was.by != by || was.seq != f.Seq() {
			was.what = 0
		}
		var now any = keptFile{by, was.what | what, f.Seq(), ours}
		kept.Store(&now)
	}
	return conflict
}

// fileSession is the session for package files.
func (r *run) fileSession() int {
	switch {
	case r.program == nil || !r.program.sealed || r.store != nil: // a Setup's
		return files.Declaring
	case r.session < 0:
		return judging
	}
	return r.session
}

// toldBy is the innermost frame of what tells of a file. Package os has called it.
const toldBy = "time.txmcFile"

// usesAt is the line of client code that uses a file, and whether the use is this module's.
func (c *Client) usesAt() (at behaviour.Loc, own bool) {
	var below behaviour.Location
	told := false
	for f := range behaviour.Frames(behaviour.Stack()) {
		switch line := c.locs.Locate(f.File, f.Line, f.Function); {
		case !told:
			told = f.Function == toldBy
		case behaviour.Ours(f.Function): // but for client code of a module that is required, which package program calls
			return c.locs.Position(below), below.File == "" || !strings.HasPrefix(f.Function, programPath+".")
		case c.locs.Standard(f.File, f.Function):
		case !behaviour.Required(f.File):
			return c.locs.Position(line), false
		case below.File == "":
			below = line
		}
	}
	return c.locs.Position(below), false
}

// ignoresFile reports whether a comment on the line says that the file decides nothing.
func (c *Client) ignoresFile(at behaviour.Loc) bool {
	f := &c.files
	f.mu.Lock()
	defer f.mu.Unlock()
	ignored, known := f.ignored[at]
	if !known {
		if f.ignored == nil {
			f.ignored = map[behaviour.Loc]bool{}
		}
		line := c.Location(at)
		ignored = ignoredIn(line.File, line.Line)
		f.ignored[at] = ignored
	}
	return ignored
}

// ignoredIn reports whether a comment at the end of a line, or on a line of its own before it,
// silences the check of files: see package vet. It is false where the source is not at hand.
func ignoredIn(file string, line int) bool {
	source, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	lines := strings.Split(string(source), "\n")
	silences := func(i int, alone bool) bool {
		if i < 1 || i > len(lines) {
			return false
		}
		before, comment, found := strings.Cut(lines[i-1], "//txmc:ignore")
		if !found || alone && strings.TrimSpace(before) != "" || comment != "" && strings.TrimLeft(comment, " \t\r") == comment {
			return false
		}
		words := strings.Fields(comment)
		return len(words) == 0 || slices.Contains(strings.Split(words[0], ","), "outside")
	}
	return silences(line, false) || silences(line-1, true)
}

// passesBy is the error that state passes by a file.
func (r *run) passesBy(c *files.Conflict) *behaviour.Error {
	client := r.client
	reads, changes := client.Location(behaviour.Loc(c.Reader.At)), client.Location(behaviour.Loc(c.Changer.At))
	err := &behaviour.Error{Kind: behaviour.Nondeterminism, Program: client.Name, At: reads}
	subject, changer := client.fileUser(c.Reader), client.fileUser(c.Changer)
	if c.Reader.Session >= 0 {
		subject, err.Session = "the session", client.SessionName(c.Reader.Session)
	}
	if c.Reader.Session == c.Changer.Session {
		changer = "another run"
	}
	does := "reads " + client.shownPath(c.Path)
	if c.Lists {
		does = "lists the directory of " + client.shownPath(c.Path)
	}
	err.Message = fmt.Sprintf("%s is not deterministic: it %s (%s), which %s changes (%s): that passes Go state from one session, or one run, to another, "+
		"which no database does; make it a txmc.Var or a row, keep it in a variable of the session, or give each run a file of its own by os.CreateTemp or os.MkdirTemp "+
		"(if it never decides what a session does: //txmc:ignore outside)", subject, does, behaviour.LineOf(reads), changer, behaviour.LineOf(changes))
	return err
}

// fileUser is who has used a file.
func (c *Client) fileUser(m files.Mark) string {
	switch {
	case m.Session == files.Declaring:
		return "the Explore function"
	case m.Session < 0:
		return "an invariant"
	}
	return fmt.Sprintf("session %q", c.SessionName(m.Session))
}

// shownPath is a path in a message: of a file below the user's directory, from there.
func (c *Client) shownPath(path string) string {
	if strings.HasPrefix(path, "|") {
		return "a pipe"
	}
	if rel, err := filepath.Rel(c.opts.Dir, path); c.opts.Dir != "" && err == nil && filepath.IsLocal(rel) {
		path = rel
	}
	return "the file " + filepath.ToSlash(path)
}
