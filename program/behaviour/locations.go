package behaviour

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

// String returns "shop/bank.go:41", the file as seen from Options.Dir, or "" when the
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

// Callers are the innermost return addresses of an API call, as many as it takes
// as a rule to leave this module's own frames.
type Callers [8]uintptr

// Capture returns the callers of the function that calls the caller of capture.
func Capture() Callers {
	var pcs Callers
	runtime.Callers(3, pcs[:])
	return pcs
}

// Locations interns source lines by the call stacks that lead to them.
type Locations struct {
	Library func(file string) bool // of the standard library
	dir     string                 // Options.Dir
	mu      sync.Mutex
	known   map[Callers]Loc
	byPos   map[Location]Loc
	list    []Location
}

// NewLocations returns a table that has no line yet, for a user who looks from a directory; "" for none.
func NewLocations(dir string) *Locations {
	return &Locations{Library: libraryFiles(), dir: dir, known: map[Callers]Loc{}, byPos: map[Location]Loc{{}: 0}, list: make([]Location, 1)}
}

// Locate is a line of a file, with the name by which the user knows the file.
func (t *Locations) Locate(file string, line int, function string) Location {
	return Location{file, line, function, t.seen(file)}
}

// seen is a file as seen from the directory, "" for one of another module.
func (t *Locations) seen(file string) string {
	if !filepath.IsAbs(file) { // as recorded with -trimpath
		return filepath.Base(file)
	}
	if t.dir == "" || t.Library(file) || Required(file) {
		return ""
	}
	rel, err := filepath.Rel(t.dir, file)
	if err != nil || len(rel) >= len(file) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// Intern is the innermost line of user code among the callers, 0 where there is none.
func (t *Locations) Intern(pcs Callers) Loc {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l, ok := t.known[pcs]; ok {
		return l
	}
	l := t.add(t.User(pcs[:]))
	t.known[pcs] = l
	return l
}

func (t *Locations) add(pos Location) Loc {
	l, ok := t.byPos[pos]
	if !ok {
		l = Loc(len(t.list))
		t.list = append(t.list, pos)
		t.byPos[pos] = l
	}
	return l
}

// At is the line that l stands for.
func (t *Locations) At(l Loc) Location {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.list[l]
}

// Application interns the innermost frame of the application itself: neither ours,
// nor the standard library's, nor that of a module in the module cache or in a
// vendor directory. It is 0 where there is none.
func (t *Locations) Application(pcs []uintptr) Loc {
	for f := range Frames(pcs) {
		if at := t.Locate(f.File, f.Line, f.Function); t.OfApplication(at) {
			return t.Position(at)
		}
	}
	return 0
}

// OfApplication reports whether a frame is the application's.
func (t *Locations) OfApplication(at Location) bool {
	return !Ours(at.Func) && !t.Standard(at.File, at.Func) && !Required(at.File)
}

// LiteralCalledBy looks on a stack, innermost first, for a function literal that the named
// function has called and that has not returned. It is "" where there is none. The
// stack holds functions of the application.
func LiteralCalledBy(stack iter.Seq[string], function string) string {
	called := ""
	for f := range stack {
		if f == function && strings.Contains(called, ".func") {
			return called
		}
		called = f
	}
	return ""
}

// ApplicationFunctions yields the application's functions among pcs.
func (t *Locations) ApplicationFunctions(pcs []uintptr) iter.Seq[string] {
	return func(yield func(string) bool) {
		for f := range Frames(pcs) {
			if t.OfApplication(t.Locate(f.File, f.Line, f.Function)) && !yield(f.Function) {
				return
			}
		}
	}
}

// Standard reports whether a function is the standard library's.
func (t *Locations) Standard(file, function string) bool {
	return t.Library(file) || overlaid(function)
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

// Required reports whether a source file is of a module that others require: in
// the module cache a directory's name ends with the version.
func Required(file string) bool {
	return strings.Contains(file, "@v") || strings.Contains(file, "/vendor/")
}

// Position interns a location found by other means.
func (t *Locations) Position(pos Location) Loc {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.add(pos)
}

// User is the innermost frame of user code.
func (t *Locations) User(pcs []uintptr) Location {
	for f := range Frames(pcs) {
		if !Ours(f.Function) && !t.Standard(f.File, f.Function) {
			return t.Locate(f.File, f.Line, f.Function)
		}
	}
	return Location{}
}

// UserStack renders the frames of the current goroutine that are not ours,
// innermost first, and returns the innermost one of user code. They contain no
// addresses, so that they are the same in every run.
func (t *Locations) UserStack() (stack []string, top Location) {
	for f := range Frames(Stack()) {
		switch {
		case Ours(f.Function):
			continue
		case strings.HasPrefix(f.Function, "iter."):
			return stack, top
		}
		at := t.Locate(f.File, f.Line, f.Function)
		if top.File == "" && !t.Standard(f.File, f.Function) {
			top = at
		}
		stack = append(stack, fmt.Sprintf("%s (%s)", f.Function, at))
	}
	return stack, top
}

// OnStack reports whether the named function is on the current goroutine's
// stack.
func OnStack(function string) bool {
	for f := range Frames(Stack()) {
		if f.Function == function {
			return true
		}
	}
	return false
}

// Stack returns the return addresses of the goroutine, from the caller of the function that calls Stack.
func Stack() []uintptr {
	pcs := make([]uintptr, 64)
	for {
		n := runtime.Callers(3, pcs)
		if n < len(pcs) {
			return pcs[:n]
		}
		pcs = make([]uintptr, 2*len(pcs))
	}
}

// Autogenerated is the file of what the compiler generates, such as the methods that an
// embedded field promotes. These are on a stack or not as they are inlined, and so no frames
// of ours.
const Autogenerated = "<autogenerated>"

// Frames yields the frames of pcs that somebody wrote, innermost first.
func Frames(pcs []uintptr) iter.Seq[runtime.Frame] {
	return func(yield func(runtime.Frame) bool) {
		if n := slices.Index(pcs, 0); n >= 0 {
			pcs = pcs[:n]
		}
		list := runtime.CallersFrames(pcs)
		for more := len(pcs) > 0; more; {
			var f runtime.Frame
			f, more = list.Next()
			if f.Function == "" || f.File == Autogenerated || IsRuntime(f.Function) {
				continue
			}
			if !yield(f) {
				return
			}
		}
	}
}

// IsRuntime reports whether a function is one of the Go runtime.
func IsRuntime(function string) bool {
	return strings.HasPrefix(function, "runtime.") || strings.HasPrefix(function, "internal/runtime/")
}

// face are the packages, with those below them, whose frames are not the user's.
var face = []string{"github.com/txmc/txmc/program", "github.com/txmc/txmc/pg", "github.com/txmc/txmc/mysql", "github.com/txmc/txmc"}

// examples are below the directories of the nested modules, and are users.
const examples = "/testdata/"

// Ours tells frames of the face from frames of the user.
func Ours(function string) bool {
	for i, path := range face {
		rest, ok := strings.CutPrefix(function, path)
		if ok && (strings.HasPrefix(rest, ".") || i < len(face)-1 && strings.HasPrefix(rest, "/") && !strings.HasPrefix(rest, examples)) {
			return true
		}
	}
	return false
}

// FunctionName is the name, without its package and its receiver, of a function or of the one in which
// a function literal stands.
func FunctionName(full string) string {
	full = full[strings.LastIndexByte(full, '/')+1:]
	_, name, _ := strings.Cut(full, ".")
	if i := strings.LastIndex(name, ")."); i >= 0 { // a method
		name = name[i+2:]
	}
	return literal.ReplaceAllString(name, "")
}

// literal matches what is added to a function's name for a literal in it.
var literal = regexp.MustCompile(`\.(func|[0-9]).*`)

// LineOf is a location in a message.
func LineOf(l Location) string {
	if l.File == "" {
		return "line unknown"
	}
	return l.String()
}
