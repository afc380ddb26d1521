package program

import (
	"fmt"
	"path/filepath"
	"runtime"
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
}

// String returns "bank.go:41", or "" when the location is unknown.
func (l Location) String() string {
	if l.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", filepath.Base(l.File), l.Line)
}

// callers are the innermost return addresses of an API call, enough of them to
// leave this module's own frames.
type callers [8]uintptr

func capture() callers {
	var pcs callers
	runtime.Callers(3, pcs[:])
	return pcs
}

// locations interns source lines by the call stacks that lead to them.
type locations struct {
	mu    sync.Mutex
	known map[callers]Loc
	byPos map[Location]Loc
	list  []Location
}

func newLocations() *locations {
	return &locations{known: map[callers]Loc{}, byPos: map[Location]Loc{{}: 0}, list: make([]Location, 1)}
}

func (t *locations) intern(pcs callers) Loc {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l, ok := t.known[pcs]; ok {
		return l
	}
	l := t.add(userLocation(pcs[:]))
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

// position interns a location found by other means.
func (t *locations) position(pos Location) Loc {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.add(pos)
}

// caller is the user's line that called into this package.
func (c *Client) caller() Loc { return c.locs.intern(capture()) }

// Location returns the source line that l stands for.
func (c *Client) Location(l Loc) Location { return c.locs.at(l) }

// userLocation is the innermost frame outside this module's face.
func userLocation(pcs []uintptr) Location {
	for n := range pcs {
		if pcs[n] == 0 {
			pcs = pcs[:n]
			break
		}
	}
	frames := runtime.CallersFrames(pcs)
	for {
		f, more := frames.Next()
		if f.Function != "" && !ours(f.Function) && !strings.HasPrefix(f.Function, "runtime.") {
			return Location{f.File, f.Line, f.Function}
		}
		if !more {
			return Location{}
		}
	}
}

// ours tells frames of the face from frames of the user.
func ours(function string) bool {
	return strings.HasPrefix(function, "github.com/txmc/txmc/program.") ||
		strings.HasPrefix(function, "github.com/txmc/txmc.")
}

// userStack renders the user's frames of the current goroutine, innermost
// first, from the place of a panic outwards. It contains no addresses, so that
// it is the same in every run.
func userStack(skip int) (stack []string, top Location) {
	pcs := make([]uintptr, 64)
	pcs = pcs[:runtime.Callers(skip, pcs)]
	frames := runtime.CallersFrames(pcs)
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "", strings.HasPrefix(f.Function, "runtime."), ours(f.Function):
		case strings.HasPrefix(f.Function, "iter.") && len(stack) > 0:
			return stack, top
		default:
			if top.File == "" {
				top = Location{f.File, f.Line, f.Function}
			}
			stack = append(stack, fmt.Sprintf("%s (%s:%d)", f.Function, filepath.Base(f.File), f.Line))
		}
		if !more {
			return stack, top
		}
	}
}
