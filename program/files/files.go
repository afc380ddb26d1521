package files

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Declaring is the session of runs of the Explore function itself. All of its calls do the
// same: what one of them makes is there for whoever comes after.
const Declaring = -1

// Mark is what a run has done, and where.
type Mark struct {
	Session int
	Run     uint64 // not 0
	At      int32  // a line of the user's, by its number
	ensures bool   // it has only seen to it that a directory is there
}

// Conflict is state that passes from one run to another, by a path.
type Conflict struct {
	Path    string
	Reader  Mark
	Changer Mark
	Lists   bool // the reader lists the directory
}

// Files are the files of a program's runs. The zero value is ready, for several goroutines.
type Files struct {
	mu      sync.Mutex
	seq     uint64
	entries map[string]*entry
}

// entry is what is known of a path.
type entry struct {
	last    Mark   // the last change
	from    Mark   // the last before, by another run, of which something is left
	seq     uint64 // of the last change
	cleared Mark   // the last change that went for what is below, too
	below   uint64 // its seq
	fresh   bool   // the run that made the name alone knows it
	uses    []*use // by session
}

// use is what the runs of a session have done with a path.
type use struct {
	session int
	looked  Mark // the last that read it
	first   Mark // the first that read what it had not made itself,
	reads   Mark // and the last
	lists   Mark // the last that listed the directory
	changes Mark // the last change
	names   Mark // the last that made or removed the name
	made    Mark // the last that saw to it that the directory is there
}

// Seq changes whenever something becomes known.
func (f *Files) Seq() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seq
}

// Use notes what a run does. It returns the state that passes by that, if there is any.
func (f *Files) Use(by Mark, what What, path string) *Conflict {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.entries == nil {
		f.entries = map[string]*entry{}
	}
	e := f.entries[path]
	if e == nil {
		e = &entry{}
		f.entries[path] = e
	}
	var c *Conflict
	if what&(Reads|Lists) != 0 {
		c = f.read(e, by, what, path)
	}
	if what&Ensures != 0 {
		e.of(by.Session).made = by
		by.ensures = true
	}
	if what&Changes != 0 {
		c = first(c, f.change(e, by, what, path))
	}
	if what&(Changes|Names) == Names { // which it may have made
		c = first(c, f.listing(by, path))
		e.of(by.Session).names = by
	}
	e.fresh = e.fresh || what&Fresh != 0
	if what&Gone != 0 && e.fresh && e.alone(by) { // the name does not come again
		f.forget(path)
	}
	return c
}

func first(a, b *Conflict) *Conflict {
	if a != nil {
		return a
	}
	return b
}

// of is what a session has done with the path.
func (e *entry) of(session int) *use {
	for _, u := range e.uses {
		if u.session == session {
			return u
		}
	}
	u := &use{session: session}
	e.uses = append(e.uses, u)
	return u
}

// alone reports whether no other session has to do with the path.
func (e *entry) alone(by Mark) bool {
	return !slices.ContainsFunc(e.uses, func(u *use) bool { return u.session != by.Session })
}

// is reports whether both are the same run's.
func (m Mark) is(o Mark) bool { return m.Session == o.Session && m.Run == o.Run }

// strange reports whether a change is another run's, which m must not see.
func (m Mark) strange(change Mark) bool {
	return change.Run != 0 && change.Session != Declaring && !change.is(m)
}

// read is a run's look at the path, or at the names in it.
func (f *Files) read(e *entry, by Mark, what What, path string) *Conflict {
	own := e.of(by.Session)
	if other := f.shows(e, own, by, path); other.Run != 0 {
		return &Conflict{path, by, other, false}
	}
	if what&Below != 0 {
		for inner, e := range f.entries {
			if !within(path, inner) {
				continue
			}
			if other := f.shows(e, e.of(by.Session), by, inner); other.Run != 0 {
				return &Conflict{inner, by, other, false}
			}
		}
	}
	if what&Lists != 0 {
		if c := f.listed(by, path); c != nil {
			return c
		}
		own.lists = f.news(own.lists, by)
	}
	own.looked = f.news(own.looked, by)
	if last, _ := f.now(e, path); last.Run != by.Run && own.made.Run != by.Run { // nor by its call of the Explore function
		if own.reads = f.news(own.reads, by); own.first.Run == 0 {
			own.first = by
		}
	}
	return nil
}

// news is by, which becomes known in place of was.
func (f *Files) news(was, by Mark) Mark {
	if was.Run == by.Run {
		return was
	}
	f.seq++
	return by
}

// now returns the change that made what is at the path, and an earlier change of which
// something is left there.
func (f *Files) now(e *entry, path string) (last, from Mark) {
	last, from, seq := e.last, e.from, e.seq
	for dir := range above(path) {
		if a := f.entries[dir]; a != nil && a.below > seq {
			last, from, seq = a.cleared, Mark{}, a.below
		}
	}
	return last, from
}

// shows is the change by another run that a run sees at the path. That of another session may
// come between any two steps of the run, so that it does not matter which was the last.
func (f *Files) shows(e *entry, own *use, by Mark, path string) Mark {
	strange := func(m Mark) bool { return by.strange(m) && !(m.ensures && own.made.Run == by.Run) }
	for _, u := range e.uses {
		if u != own && by.Session != Declaring && strange(u.changes) {
			return u.changes
		}
	}
	last, from := f.now(e, path)
	switch {
	case strange(last):
		return last
	case strange(from):
		return from
	case own.changes.Run == by.Run && last.Session == Declaring && last.Run != by.Run:
		return last // the Explore function has been called again meanwhile
	}
	return Mark{}
}

// above are the directories around a path.
func above(path string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for dir := filepath.Dir(path); dir != path; path, dir = dir, filepath.Dir(dir) {
			if !yield(dir) {
				return
			}
		}
	}
}

// listed is a name in the directory that another run has made or removed.
func (f *Files) listed(by Mark, dir string) *Conflict {
	for path, e := range f.entries {
		if filepath.Dir(path) != dir {
			continue
		}
		last, _ := f.now(e, path)
		for _, u := range e.uses {
			if by.strange(u.names) && (last.Run == 0 || by.strange(last) || u.session != by.Session && by.Session != Declaring) {
				return &Conflict{path, by, u.names, true}
			}
		}
	}
	return nil
}

// change is a change that a run makes at the path.
func (f *Files) change(e *entry, by Mark, what What, path string) (c *Conflict) {
	own := e.of(by.Session)
	if by.Session != Declaring {
		c = f.seen(e, by, what, path)
	}
	if !e.last.is(by) || own.changes.Run != by.Run || what&(Names|Below) != 0 {
		f.seq++
	}
	switch last, from := f.now(e, path); {
	case what&Anew != 0:
		e.from = Mark{}
	case !last.is(by) && last.Run != 0 && last.Session != Declaring:
		e.from = last
	default:
		e.from = from
	}
	e.last, e.seq, own.changes = by, f.seq, by
	if what&Names != 0 {
		own.names = by
	}
	if what&Below != 0 {
		e.cleared, e.below = by, f.seq
	}
	return c
}

// seen is that another run has read what a run changes.
func (f *Files) seen(e *entry, by Mark, what What, path string) *Conflict {
	for _, u := range e.uses {
		readers := []Mark{u.looked}
		if u.session == by.Session {
			readers = []Mark{u.first, u.reads}
		}
		for _, reader := range readers {
			if reader.Run != 0 && !reader.is(by) && !(by.ensures && u.made.Run == reader.Run) {
				return &Conflict{path, reader, by, false}
			}
		}
	}
	if what&Names != 0 {
		if c := f.listing(by, path); c != nil {
			return c
		}
	}
	if what&Below == 0 {
		return nil
	}
	for below, inner := range f.entries {
		if within(path, below) {
			if c := f.seen(inner, by, Changes, below); c != nil {
				return c
			}
		}
	}
	return nil
}

// listing is that another run has listed the directory of a name that a run makes or removes.
func (f *Files) listing(by Mark, path string) *Conflict {
	dir := f.entries[filepath.Dir(path)]
	if dir == nil || by.Session == Declaring {
		return nil
	}
	for _, u := range dir.uses {
		if u.lists.Run != 0 && !u.lists.is(by) {
			return &Conflict{path, u.lists, by, true}
		}
	}
	return nil
}

// within reports whether a path is below a directory.
func within(dir, path string) bool {
	return len(path) > len(dir) && strings.HasPrefix(path, dir) && (path[len(dir)] == filepath.Separator || dir[len(dir)-1] == filepath.Separator)
}

// forget forgets a path and what is below it.
func (f *Files) forget(path string) {
	delete(f.entries, path)
	for below := range f.entries {
		if within(path, below) {
			delete(f.entries, below)
		}
	}
}
