// Package replay runs one recorded history again in today's code.
//
// A violation is saved with names only: sessions, transactions, keys, and values
// as they print. The replay runs the sessions' present code in the recorded order of
// transactions. It gives each read what the recorded writer has written now, and
// stops where the code does something else than it did.
package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/report"
)

// FileType is the type of a [File]; FileVersion counts the changes of its form.
const (
	FileType    = "saved"
	FileVersion = 1
)

// File is a saved violation.
type File struct {
	Type      string            `json:"type"` // "saved"
	Version   int               `json:"version"`
	Dir       string            `json:"dir"`            // where the package was
	Tags      string            `json:"tags,omitempty"` // build tags
	MaxOps    int               `json:"max_ops"`
	Violation *report.Violation `json:"violation"`
}

// Encode returns the text of the file.
func (f *File) Encode() ([]byte, error) {
	f.Type, f.Version = FileType, FileVersion
	line, err := report.Line(f)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, line, "", " "); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Read reads a file and checks that it is one.
func Read(name string) (*File, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return Parse(name, data)
}

// Parse reads a file's text; name is for errors. The text may also be a violation alone, as in
// the artifacts of a test: that is a file without a directory.
func Parse(name string, data []byte) (*File, error) {
	f := &File{Version: FileVersion, Violation: &report.Violation{}}
	var err error
	if alone(data) {
		err = report.Parse(data, f.Violation)
	} else if err = report.Parse(data, f); err == nil && f.Type != FileType {
		err = errors.New("another type")
	}
	if err != nil {
		return nil, fmt.Errorf("%s is not a violation that txmc explore --save or go test -artifacts has written", name)
	}
	if f.Version != FileVersion {
		return nil, fmt.Errorf("%s has version %d, and this txmc reads version %d: save the violation again", name, f.Version, FileVersion)
	}
	if f.Violation == nil || f.Violation.Program == "" {
		return nil, fmt.Errorf("%s names no program", name)
	}
	if _, err := isolation.Parse(f.Violation.Iso); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if onDatabase(f.Violation) == (len(f.Violation.Choices) == 0) {
		return nil, fmt.Errorf("%s is damaged: a violation has choices where it is of a level of a database, and nowhere else", name)
	}
	return f, nil
}

// alone reports whether data is a violation and not a file.
func alone(data []byte) bool {
	var line struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(data, &line) == nil && line.Type == report.TypeViolation
}

// At is the level at which the history is judged. It is the level of that name. Where iso
// is empty, it is the level that was explored. A violation on a database is replayed at its
// own level.
func (f *File) At(iso string) (isolation.Level, error) {
	then, err := isolation.Parse(f.Violation.Iso)
	if err != nil || iso == "" {
		return then, err
	}
	list := isolation.ParseWords(then.Database(), iso)
	if then.Database() == isolation.NoDatabase || len(list) == 0 {
		if list, err = isolation.ParseListAt(isolation.NoDatabase, iso); err != nil {
			return then, err
		}
	}
	if len(list) != 1 {
		return then, errors.New("a history is judged at one level")
	}
	if l := list[0]; then != l && (then.Database() != isolation.NoDatabase || l.Database() != isolation.NoDatabase) {
		return then, fmt.Errorf("a violation on a database is replayed at its own level, %v: leave out --iso, or explore again at %v", then, l)
	}
	return list[0], nil
}
