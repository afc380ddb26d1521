package program

import (
	"fmt"
	"iter"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Loc is an interned source line; 0 is "unknown".
type Loc int32

// Location is a line of the user's code.
type Location struct {
	File string // absolute path as the compiler recorded it
	Line int    // counted from 1; 0 when unknown
	Func string // the function's full name

	name string // the file as seen from Options.Dir; "" where that does not help
}

// String returns "shop/bank.go:41", the file as seen from [Options].Dir, or "" when the
// location is unknown. A file that is somewhere else, such as one of the standard
// library, goes by its last element alone.
func (l Location) String() string {
	switch {
	case l.File == "":
		return ""
	case l.name != "":
		return fmt.Sprintf("%s:%d", l.name, l.Line)
	case !filepath.IsAbs(l.File):
		return fmt.Sprintf("%s:%d", filepath.ToSlash(l.File), l.Line)
	}
	return fmt.Sprintf("%s:%d", filepath.Base(l.File), l.Line)
}

// callers are the innermost return addresses of an API call, as many as it takes
// as a rule to leave this module's own frames.
type callers [8]uintptr

// capture returns the callers of the function that calls the caller of capture.
func capture() callers {
	var pcs callers
	runtime.Callers(3, pcs[:])
	return pcs
}

// locations interns source lines by the call stacks that lead to them.
type locations struct {
	library func(file string) bool // of the standard library
	dir     string                 // Options.Dir
	mu      sync.Mutex
	known   map[callers]Loc
	byPos   map[Location]Loc
	list    []Location
}

func newLocations(dir string) *locations {
	return &locations{library: libraryFiles(), dir: dir, known: map[callers]Loc{}, byPos: map[Location]Loc{{}: 0}, list: make([]Location, 1)}
}

// locate is a line of a file, with the name by which the user knows the file.
func (t *locations) locate(file string, line int, function string) Location {
	return Location{file, line, function, t.seen(file)}
}

// seen is a file as seen from the directory, "" for one of another module.
func (t *locations) seen(file string) string {
	if !filepath.IsAbs(file) { // as recorded with -trimpath
		return filepath.Base(file)
	}
	if t.dir == "" || t.library(file) || required(file) {
		return ""
	}
	rel, err := filepath.Rel(t.dir, file)
	if err != nil || len(rel) >= len(file) {
		return ""
	}
	return filepath.ToSlash(rel)
}

func (t *locations) intern(pcs callers) Loc {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l, ok := t.known[pcs]; ok {
		return l
	}
	l := t.add(t.user(pcs[:]))
	t.known[pcs] = l
	return l
}

func (t *locations) add(pos Location) Loc {
	l, ok := t.byPos[pos]
	if !ok {
		l = Loc(len(t.list))
		t.list = append(t.list, pos)
		t.byPos[pos] = l
	}
	return l
}

func (t *locations) at(l Loc) Location {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.list[l]
}

// application interns the innermost frame of the application itself: neither ours,
// nor the standard library's, nor that of a module in the module cache or in a
// vendor directory. It is 0 where there is none.
func (t *locations) application(pcs []uintptr) Loc {
	for f := range frames(pcs) {
		if at := t.locate(f.File, f.Line, f.Function); t.applications(at) {
			return t.position(at)
		}
	}
	return 0
}

// applications reports whether a frame is the application's.
func (t *locations) applications(at Location) bool {
	return !ours(at.Func) && !t.standard(at.File, at.Func) && !required(at.File)
}

// does looks on a stack, innermost first, for a function literal that the named
// function has called and that has not returned. It is "" where there is none. The
// stack holds functions of the application.
func does(stack iter.Seq[string], function string) string {
	called := ""
	for f := range stack {
		if f == function && strings.Contains(called, ".func") {
			return called
		}
		called = f
	}
	return ""
}

// applicationFunctions yields the application's functions among pcs.
func (t *locations) applicationFunctions(pcs []uintptr) iter.Seq[string] {
	return func(yield func(string) bool) {
		for f := range frames(pcs) {
			if t.applications(t.locate(f.File, f.Line, f.Function)) && !yield(f.Function) {
				return
			}
		}
	}
}

// standard reports whether a function is the standard library's.
func (t *locations) standard(file, function string) bool {
	return t.library(file) || overlaid(function)
}

// overlaid reports whether a function is in a package of the standard library that the overlay
// changes: see package overlay. Its file may not be where the library's are: it is as whoever has
// compiled the package first has named the library's directory.
func overlaid(function string) bool {
	i := strings.LastIndexByte(function, '/') + 1
	name, _, _ := strings.Cut(function[i:], ".")
	return slices.Contains(overlaidPackages, function[:i]+name)
}

// overlaidPackages are those that the overlay changes, but for the runtime.
var overlaidPackages = []string{"time", "math/rand", "math/rand/v2", "hash/maphash", "os", "net", "crypto/internal/sysrand"}

// required reports whether a source file is of a module that others require: in
// the module cache a directory's name ends with the version.
func required(file string) bool {
	return strings.Contains(file, "@v") || strings.Contains(file, "/vendor/")
}

// position interns a location found by other means.
func (t *locations) position(pos Location) Loc {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.add(pos)
}

// caller is the user's line that called into this package.
func (c *Client) caller() Loc {
	if l := c.locs.intern(capture()); l != 0 {
		return l
	}
	return c.locs.position(c.locs.user(stackPCs()))
}

// Location returns the source line that l stands for.
func (c *Client) Location(l Loc) Location { return c.locs.at(l) }

// user is the innermost frame of user code.
func (t *locations) user(pcs []uintptr) Location {
	for f := range frames(pcs) {
		if !ours(f.Function) && !t.standard(f.File, f.Function) {
			return t.locate(f.File, f.Line, f.Function)
		}
	}
	return Location{}
}

// userStack renders the frames of the current goroutine that are not ours,
// innermost first, and returns the innermost one of user code. They contain no
// addresses, so that they are the same in every run.
func (t *locations) userStack() (stack []string, top Location) {
	for f := range frames(stackPCs()) {
		switch {
		case ours(f.Function):
			continue
		case strings.HasPrefix(f.Function, "iter."):
			return stack, top
		}
		at := t.locate(f.File, f.Line, f.Function)
		if top.File == "" && !t.standard(f.File, f.Function) {
			top = at
		}
		stack = append(stack, fmt.Sprintf("%s (%s)", f.Function, at))
	}
	return stack, top
}

// onStack reports whether the named function is on the current goroutine's
// stack.
func onStack(function string) bool {
	for f := range frames(stackPCs()) {
		if f.Function == function {
			return true
		}
	}
	return false
}

func stackPCs() []uintptr {
	pcs := make([]uintptr, 64)
	for {
		n := runtime.Callers(3, pcs)
		if n < len(pcs) {
			return pcs[:n]
		}
		pcs = make([]uintptr, 2*len(pcs))
	}
}

// autogenerated is the file of what the compiler generates, such as the methods that an
// embedded field promotes. These are on a stack or not as they are inlined, and so no frames
// of ours.
const autogenerated = "<autogenerated>"

// frames yields the frames of pcs that somebody wrote, innermost first.
func frames(pcs []uintptr) iter.Seq[runtime.Frame] {
	return func(yield func(runtime.Frame) bool) {
		if n := slices.Index(pcs, 0); n >= 0 {
			pcs = pcs[:n]
		}
		list := runtime.CallersFrames(pcs)
		for more := len(pcs) > 0; more; {
			var f runtime.Frame
			f, more = list.Next()
			if f.Function == "" || f.File == autogenerated || isRuntime(f.Function) {
				continue
			}
			if !yield(f) {
				return
			}
		}
	}
}

func isRuntime(function string) bool {
	return strings.HasPrefix(function, "runtime.") || strings.HasPrefix(function, "internal/runtime/")
}

// face are the packages, with those below them, whose frames are not the user's.
var face = []string{"github.com/txmc/txmc/program", "github.com/txmc/txmc/pg", "github.com/txmc/txmc/mysql", "github.com/txmc/txmc"}

// examples are below the directories of the nested modules, and are users.
const examples = "/testdata/"

// ours tells frames of the face from frames of the user.
func ours(function string) bool {
	for i, path := range face {
		rest, ok := strings.CutPrefix(function, path)
		if ok && (strings.HasPrefix(rest, ".") || i < len(face)-1 && strings.HasPrefix(rest, "/") && !strings.HasPrefix(rest, examples)) {
			return true
		}
	}
	return false
}

// inFunction is the name, without its package and its receiver, of a function or of the one in which
// a function literal stands.
func inFunction(full string) string {
	full = full[strings.LastIndexByte(full, '/')+1:]
	_, name, _ := strings.Cut(full, ".")
	if i := strings.LastIndex(name, ")."); i >= 0 { // a method
		name = name[i+2:]
	}
	return literal.ReplaceAllString(name, "")
}

// literal matches what is added to a function's name for a literal in it.
var literal = regexp.MustCompile(`\.(func|[0-9]).*`)
