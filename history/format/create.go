package format

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Written is a file that is there when all of it is, and not before: it is written
// beside and takes its name in the end. A device or a pipe is written to as it is.
// It is compressed as its name says: .gz or .zst.
type Written struct {
	io.Writer
	file   *os.File // nil for the standard output
	name   string   // what it will be called; "" when it is already
	ending []func() error
}

// Create begins a file of that name, or one that goes to stdout when name is "".
func Create(name string, stdout io.Writer) (*Written, error) {
	w := &Written{}
	to := stdout
	if name != "" {
		if err := w.create(name); err != nil {
			return nil, err
		}
		to = w.file
	}
	buffer := bufio.NewWriterSize(to, 1<<16)
	w.Writer, w.ending = buffer, []func() error{buffer.Flush}
	switch {
	case strings.HasSuffix(name, ".gz"):
		z := gzip.NewWriter(buffer)
		w.Writer, w.ending = z, []func() error{z.Close, buffer.Flush}
	case strings.HasSuffix(name, ".zst"):
		z, err := zstd.NewWriter(buffer)
		if err != nil {
			return nil, w.End(err)
		}
		w.Writer, w.ending = z, []func() error{z.Close, buffer.Flush}
	}
	return w, nil
}

func (w *Written) create(name string) (err error) {
	if info, e := os.Stat(name); e == nil && !info.Mode().IsRegular() {
		w.file, err = os.OpenFile(name, os.O_WRONLY, 0) // of a folder it tells what is wrong
		return err
	}
	target, err := filepath.EvalSymlinks(name)
	if err != nil {
		target = name
	}
	dir, base := filepath.Split(target)
	w.file, err = os.OpenFile(filepath.Join(dir, fmt.Sprintf(".%s-%d", base, os.Getpid())), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	var wrong *fs.PathError
	if errors.As(err, &wrong) {
		return fmt.Errorf("cannot write %s: %w", name, wrong.Err)
	}
	w.name = target
	return err
}

// End ends the file; with an error it is gone.
func (w *Written) End(err error) error {
	for _, end := range w.ending {
		if err == nil {
			err = end()
		}
	}
	switch {
	case w.file == nil:
		return err
	case w.name == "":
		return errors.Join(err, w.file.Close())
	}
	if info, e := os.Stat(w.name); e == nil && err == nil {
		err = w.file.Chmod(info.Mode().Perm())
	}
	if e := w.file.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(w.file.Name(), w.name)
	}
	if err != nil {
		os.Remove(w.file.Name())
	}
	return err
}

// Convert writes the history at a path in another format. The note, if there is one, is what to know of
// the result.
func Convert(ctx context.Context, path string, from, as *Format, w io.Writer) (note string, err error) {
	to, out, err := as.sink(w)
	if err != nil {
		return "", err
	}
	if err := from.Read(ctx, path, to); err != nil {
		return "", err
	}
	if x, ok := out.(noteWriter); ok {
		note = x.note()
	}
	return note, out.close()
}

// Names lists the formats.
func Names() string { return names(func(*Format) bool { return true }) }

// WritableNames lists the formats that are written.
func WritableNames() string { return names((*Format).CanWrite) }

func names(want func(*Format) bool) string {
	var list []string
	for _, f := range Formats() {
		if want(f) {
			list = append(list, f.Name)
		}
	}
	return strings.Join(list, ", ")
}

// Writable returns the format of that name, which must be one that is written.
func Writable(name string) (*Format, error) {
	f, err := ByName(name)
	if err == nil && !f.CanWrite() {
		err = fmt.Errorf("histories are not written as %s, but as %s", f.Name, WritableNames())
	}
	return f, err
}

// SameFile reports whether two names are of the same file.
func SameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}
