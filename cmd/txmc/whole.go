package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// whole is a file that is there when all of it is, and not before: it is written beside
// and takes its name in the end. A device or a pipe is written to as it is.
type whole struct {
	*os.File
	name string // what it will be called; "" when it is already
}

func createWhole(name string) (*whole, error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0) // of a folder it tells what is wrong
		return &whole{f, ""}, err
	}
	target, err := filepath.EvalSymlinks(name)
	if err != nil {
		target = name
	}
	dir, base := filepath.Split(target)
	f, err := os.OpenFile(filepath.Join(dir, fmt.Sprintf(".%s-%d", base, os.Getpid())), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if wrong, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, fmt.Errorf("cannot write %s: %w", name, wrong.Err)
	}
	return &whole{f, target}, err
}

// end closes the file; with an error it is gone.
func (w *whole) end(err error) error {
	if w.name == "" {
		return errors.Join(err, w.Close())
	}
	if info, e := os.Stat(w.name); e == nil && err == nil {
		err = w.Chmod(info.Mode().Perm())
	}
	if e := w.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(w.Name(), w.name)
	}
	if err != nil {
		os.Remove(w.Name())
	}
	return err
}
