// Package checkpoint keeps on disk how far an exploration of packages has come:
// which programs and levels are done, with their results, and what is left of the
// others. docs/checkpoint.md describes the file.
package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/txmc/txmc/report"
)

// Version counts the changes of the file's form.
const Version = 1

const magic = "txmc-checkpoint"

// File is what a checkpoint holds.
type File struct {
	Txmc     string            `json:"txmc"`     // the version that wrote it
	Options  []Option          `json:"options"`  // those that decide what is explored and printed
	Packages map[string]string `json:"packages"` // import path: hash of what was built of it
	Done     []report.Result   `json:"done"`     // of what is not to be explored again
	Left     []Left            `json:"left"`     // what was begun, in the order in which it was
	Written  int64             `json:"written"`  // bytes of the report up to here
	Shown    []json.RawMessage `json:"shown,omitempty"`
}

// Option is a flag and its value.
type Option struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Left is an exploration that is under way, as the harness says it.
type Left struct {
	Package string          `json:"package"`
	Program string          `json:"program"`
	Iso     string          `json:"iso"`
	State   json.RawMessage `json:"state"`
}

// Find returns what is left of a program at a level, or nil.
func (f *File) Find(pkg, program, iso string) *Left {
	for i := range f.Left {
		if l := &f.Left[i]; l.Package == pkg && l.Program == program && l.Iso == iso {
			return l
		}
	}
	return nil
}

// Keep replaces what is left of a program at a level.
func (f *File) Keep(left Left) {
	if old := f.Find(left.Package, left.Program, left.Iso); old != nil {
		*old = left
		return
	}
	f.Left = append(f.Left, left)
}

// Finish says that nothing is left of a program at a level.
func (f *File) Finish(r report.Result) {
	kept := f.Left[:0]
	for _, l := range f.Left {
		if l.Package != r.Package || l.Program != r.Program || l.Iso != r.Iso {
			kept = append(kept, l)
		}
	}
	f.Left = kept
	f.Done = append(f.Done, r)
}

// Same checks that a file fits what is asked for now, which other describes.
func (f *File) Same(other *File) error {
	if f.Txmc != other.Txmc {
		return fmt.Errorf("it was written by %s, and this is %s: use that one, or start again without --resume", f.Txmc, other.Txmc)
	}
	now := map[string]string{}
	for _, o := range other.Options {
		now[o.Name] = o.Value
	}
	for _, o := range f.Options {
		if now[o.Name] != o.Value {
			return fmt.Errorf("it was made with %s, and now it is %s: give the options and packages of the run that it is of", o.flag(o.Value), o.flag(now[o.Name]))
		}
	}
	if len(f.Options) != len(other.Options) {
		return errors.New("it was made with other options: give those of the run that it is of, or start again without --resume")
	}
	return nil
}

// flag is how the option stands on a command line.
func (o Option) flag(value string) string {
	if value == "" {
		return "no --" + o.Name
	}
	return "--" + o.Name + "=" + value
}

// Encode returns the text of the file: a line with the version and a checksum of
// what follows, and JSON.
func (f *File) Encode() ([]byte, error) {
	body, err := json.Marshal(f)
	if err != nil {
		return nil, err
	}
	return seal(body), nil
}

func seal(body []byte) []byte {
	return append(fmt.Appendf(nil, "%s %d %x\n", magic, Version, sha256.Sum256(body)), body...)
}

// Parse is the inverse of Encode.
func Parse(data []byte) (*File, error) {
	head, body, ok := bytes.Cut(data, []byte("\n"))
	words := strings.Fields(string(head[:min(len(head), 200)]))
	if !ok || len(words) != 3 || words[0] != magic {
		return nil, errors.New("it is not a checkpoint: give the file that --checkpoint named")
	}
	if words[1] != fmt.Sprint(Version) {
		return nil, fmt.Errorf("it has version %s, and this txmc reads version %d: start again without --resume", words[1], Version)
	}
	if words[2] != fmt.Sprintf("%x", sha256.Sum256(body)) {
		return nil, errors.New("it is damaged: it was cut off or changed, as its checksum says: start again without --resume")
	}
	f := &File{}
	if err := json.Unmarshal(body, f); err != nil {
		return nil, fmt.Errorf("it is damaged: %w", err)
	}
	if f.Written < 0 {
		return nil, errors.New("it is damaged: it says that less than nothing was printed")
	}
	return f, nil
}

// Read reads a checkpoint.
func Read(name string) (*File, error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file: give the file that --checkpoint named", name)
	}
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no such file: give the file that --checkpoint named", name)
	}
	if err != nil {
		return nil, err
	}
	f, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// Write replaces the file in one step: whenever the process or the machine stops,
// the old one is there or the new one, whole.
func (f *File) Write(name string) error {
	data, err := f.Encode()
	if err != nil {
		return err
	}
	dir := filepath.Dir(name)
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s cannot be written: there is no directory %s: make it, or name another file", name, dir)
	case err == nil && !info.IsDir():
		return fmt.Errorf("%s cannot be written: %s is not a directory: name another file", name, dir)
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a directory: name a file in it", name)
	}
	temp, err := os.CreateTemp(dir, "."+filepath.Base(name)+"-")
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%s cannot be written: files cannot be made in %s: change its permissions, or name another file", name, dir)
	}
	if err != nil {
		return err
	}
	_, err = temp.Write(data)
	if err == nil {
		err = temp.Sync()
	}
	err = errors.Join(err, temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), name)
	}
	if err != nil {
		os.Remove(temp.Name())
		return err
	}
	return syncDir(dir)
}

// syncDir makes the new name last. Where directories cannot be synced, the system
// does it by itself.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	d.Sync()
	return d.Close()
}
