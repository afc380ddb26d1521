package rows

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/txmc/txmc/program"
)

// Script is SQL text that makes a schema or rows, with its origin for errors.
type Script struct {
	Name  string // of the file, else "schema" or "seed"
	Text  string
	Given Place // where a text was given that is no file's
}

// Failed is a statement of a script that has failed.
type Failed struct {
	Name      string // of the script
	At        int    // where the statement begins, in bytes
	Statement string
	Err       error // names the place
}

// Place is a line of the user's code.
type Place struct {
	File string // absolute, as the compiler recorded it
	Line int
}

// Caller is where the function that calls the calling function was called.
func Caller() Place {
	_, file, line, _ := runtime.Caller(2)
	return Place{file, line}
}

// String is the file's name and the line.
func (p Place) String() string { return fmt.Sprintf("%s:%d", filepath.Base(p.File), p.Line) }

// CodeError is an error of Go code that makes schema or rows.
type CodeError struct {
	What  string // "schema" or "seed"
	Given Place
	Err   error
}

// Error says where the code was given.
func (e *CodeError) Error() string { return fmt.Sprintf("%s: %s", e.Given, e.Reason()) }

// Reason is Error without the place.
func (e *CodeError) Reason() string { return fmt.Sprintf("the %s: %v", e.What, e.Err) }

// Unwrap returns the code's error.
func (e *CodeError) Unwrap() error { return e.Err }

// Place is where the code was given.
func (e *CodeError) Place() (file string, line int) { return e.Given.File, e.Given.Line }

// downs begin the way back in files of migrations: see [Files].
var downs = []string{"-- +goose down", "-- +migrate down", "-- migrate:down", "---- create above / drop below ----"}

// forwards is the part of a file before the way back.
func forwards(text string) string {
	at := 0
	for line := range strings.Lines(text) {
		words := strings.ToLower(strings.Join(strings.Fields(line), " "))
		if slices.ContainsFunc(downs, func(down string) bool { return strings.HasPrefix(words, down) }) {
			return text[:at]
		}
		at += len(line)
	}
	return text
}

// Files are the scripts in all files that match a pattern of [fs.Glob], in the order of the
// patterns, then of the files' names. A file of migrations may have the way back too. This
// part is left out: it follows a line "-- +goose Down" (goose), "-- +migrate Down"
// (sql-migrate), "-- migrate:down" (dbmate) or "---- create above / drop below ----" (tern).
// The caller is named what, for the error of a pattern that no file matches.
func Files(what string, fsys fs.FS, patterns ...string) (list []Script, err error) {
	for _, p := range patterns {
		files, err := fs.Glob(fsys, p)
		if err == nil && len(files) == 0 {
			err = fmt.Errorf("%s: no file matches %q", what, p)
		}
		if err != nil {
			return nil, err
		}
		slices.Sort(files)
		for _, f := range files {
			b, err := fs.ReadFile(fsys, f)
			if err != nil {
				return nil, err
			}
			list = append(list, Script{Name: f, Text: forwards(string(b))})
		}
	}
	return list, nil
}

// Spot is where something is in a script.
type Spot struct {
	Name string // the file; or what the text is, where it is in no file that can be found
	Line int    // counted from 1
	// Near is that line in the user's code, or in a file beside it, or where the text was
	// given; none for a file of an [fs.FS].
	Near Place
	// Inside says where it is as far as Near does not.
	Inside string
}

// Place is Near's file, "" where there is none, and line.
func (s Spot) Place() (file string, line int) { return s.Near.File, s.Near.Line }

// Around is an error's text with all of the spot before it.
func (s Spot) Around(text string) string {
	if s.Near.File != "" {
		return fmt.Sprintf("%s: %s", s.Near, s.Within(text))
	}
	return s.Within(text)
}

// Within is an error's text with what Near does not say before it.
func (s Spot) Within(text string) string {
	if s.Inside != "" {
		return s.Inside + ": " + text
	}
	return text
}

// At is where a byte of the text is.
func (s Script) At(at int) Spot {
	line := 1 + strings.Count(s.Text[:at], "\n")
	if s.Given.File == "" {
		return Spot{Name: s.Name, Line: line, Inside: fmt.Sprintf("%s:%d", s.Name, line)}
	}
	if source, first, ok := s.source(); ok {
		near := Place{source, line + first - 1}
		return Spot{Name: filepath.Base(source), Line: near.Line, Near: near}
	}
	return Spot{Name: "the " + s.Name, Line: line, Near: s.Given, Inside: fmt.Sprintf("the %s, line %d", s.Name, line)}
}

// source looks for the text among the files of the directory from which it was given,
// where it is a literal or an embedded file. It returns the path of the file and the line
// where the text begins.
func (s Script) source() (file string, line int, ok bool) {
	dir := filepath.Dir(s.Given.File)
	names, _ := filepath.Glob(filepath.Join(dir, "*")) // the pattern is well-formed
	names = append([]string{s.Given.File}, names...)
	for _, name := range names {
		if ext := filepath.Ext(name); ext != ".go" && ext != ".sql" {
			continue
		}
		b, err := os.ReadFile(name)
		if at := strings.Index(string(b), s.Text); err == nil && at >= 0 && strings.TrimSpace(s.Text) != "" {
			return name, 1 + strings.Count(string(b[:at]), "\n"), true
		}
	}
	return "", 0, false
}

// SetUp writes the initial rows. There may be more than a transaction may have operations, which bounds loops of
// users: so several write them.
func SetUp(p *program.Program, initial map[string]any) {
	const most = 100
	for keys := range slices.Chunk(slices.Sorted(maps.Keys(initial)), most) {
		p.Setup(func(tx *program.Tx) error {
			for _, k := range keys {
				tx.Write(k, initial[k])
			}
			return nil
		})
	}
}
