package harness

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// When client code calls itself without an end, Go's runtime prints hundreds of lines
// and ends the process. A user needs the functions that call each other, and where.

// overflowing is how the runtime's words begin (newstack in runtime/stack.go).
const overflowing = "runtime: goroutine stack exceeds "

// Output passes on what a harness prints, but for the dump of a stack that has
// overflowed, which Recursion tells in short.
type Output struct {
	To  io.Writer
	Dir string // from which the user looks at source files

	line []byte // the beginning of a line that may be the runtime's
	rest bool   // the line goes on, and is not
	dump []byte // from the runtime's line to the end
}

// Write passes on what is no dump, at once.
func (o *Output) Write(data []byte) (int, error) {
	n := len(data)
	var pass []byte
	for len(data) > 0 && o.dump == nil {
		part := data
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			part = data[:i+1]
		}
		data = data[len(part):]
		o.line = append(o.line, part...)
		switch {
		case !o.rest && bytes.HasPrefix(o.line, []byte(overflowing)):
			o.dump, o.line = o.line, nil
			continue
		case !o.rest && strings.HasPrefix(overflowing, string(o.line)):
			continue // it may become that line
		}
		pass = append(pass, o.line...)
		o.rest = o.line[len(o.line)-1] != '\n'
		o.line = o.line[:0]
	}
	if o.dump != nil {
		o.dump = append(o.dump, data...)
	}
	if len(pass) == 0 {
		return n, nil
	}
	if _, err := o.To.Write(pass); err != nil {
		return 0, err
	}
	return n, nil
}

// Close passes on what was held back and is no dump.
func (o *Output) Close() error {
	held := o.line
	if o.dump != nil && o.Recursion() == nil {
		held = o.dump
	}
	o.line = nil
	if len(held) == 0 {
		return nil
	}
	_, err := o.To.Write(held)
	return err
}

// Recursion is client code that calls itself without an end.
type Recursion struct {
	// Functions call each other, the last one the first; each as "name (file:line)".
	Functions []string
	At        string // the file and line of the first of them
	From      string // the function that calls them first, "" when that is unknown
}

var frame = regexp.MustCompile(`(?m)^(\S.*)\(.*\)\n\t(.+:\d+)( \+0x\w+.*)?$`)

// Recursion finds the functions of the dump; nil when there is none.
func (o *Output) Recursion() *Recursion {
	_, stack, found := strings.Cut(string(o.dump), " [running]:\n")
	if !found || !strings.Contains(string(o.dump), "fatal error: stack overflow") {
		return nil
	}
	stack, _, _ = strings.Cut(stack, "\n\n")
	newest, oldest, _ := strings.Cut(stack, "frames elided...")
	frames := frame.FindAllStringSubmatch(newest, -1)
	r := &Recursion{}
	for i, f := range frames {
		if i > 0 && f[1] == frames[0][1] {
			break
		}
		r.Functions = append(r.Functions, o.shown(f))
	}
	if len(r.Functions) == 0 {
		return nil
	}
	r.At = o.relative(frames[0][2])
	callers := frame.FindAllStringSubmatch(oldest, -1)
	if i := slices.IndexFunc(callers, func(f []string) bool { return !called(frames, f[1]) }); i >= 0 {
		r.From = o.shown(callers[i])
	}
	return r
}

// called reports whether a function is among the frames.
func called(frames [][]string, name string) bool {
	return slices.ContainsFunc(frames, func(f []string) bool { return f[1] == name })
}

func (o *Output) shown(frame []string) string {
	return fmt.Sprintf("%s (%s)", frame[1], o.relative(frame[2]))
}

// relative is a file and line as the user sees it.
func (o *Output) relative(at string) string {
	if rel, err := filepath.Rel(o.Dir, at); err == nil && len(rel) < len(at) {
		return rel
	}
	return at
}

// String says it in a sentence.
func (r *Recursion) String() string {
	const shown = 6
	list := r.Functions
	more := ""
	if len(list) > shown {
		more = fmt.Sprintf(" and %d more", len(list)-shown)
		list = list[:shown]
	}
	what := list[0] + " calls itself"
	if len(list) > 1 {
		what = strings.Join(list, ", ") + more + " call each other"
	}
	if r.From != "" {
		what += ", first from " + r.From
	}
	return fmt.Sprintf("endless recursion: the stack of the client code has outgrown %d MiB; %s", maxStack>>20, what)
}
