package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/txmc/txmc/program/files"
)

// told prints what is told of files, by the last element of their paths.
func told(print func(...any)) {
	dir, err := os.MkdirTemp("", "probe")
	if err != nil {
		print(err)
		return
	}
	defer os.RemoveAll(dir)
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, each := range []struct {
		what string
		do   func() error
	}{
		{"create", func() error { return os.WriteFile(in("a"), []byte("a"), 0o666) }},
		{"write again", func() error { return os.WriteFile(in("a"), []byte("ab"), 0o666) }},
		{"read", func() error { _, err := os.ReadFile(in("a")); return err }},
		{"copy", func() error { return os.CopyFS(in("copy"), os.DirFS(in("none"))) }},
		{"append", func() error { return use(in("a"), os.O_APPEND|os.O_WRONLY|os.O_CREATE, (*os.File).Sync) }},
		{"handle", func() error {
			return use(in("a"), os.O_RDWR|os.O_CREATE, func(f *os.File) error { f.Fd(); return nil })
		}},
		{"handle of a log", func() error {
			return use(in("a"), os.O_APPEND|os.O_RDWR, func(f *os.File) error { f.Fd(); return nil })
		}},
		{"lock", func() error { return use(in("lock"), os.O_CREATE|os.O_EXCL, (*os.File).Sync) }},
		{"locked", func() error { return use(in("lock"), os.O_CREATE|os.O_EXCL, (*os.File).Sync) }},
		{"size", func() error {
			return use(in("a"), os.O_RDWR, func(f *os.File) error { _, err := f.Seek(0, io.SeekEnd); return err })
		}},
		{"truncate", func() error { return os.Truncate(in("a"), 0) }},
		{"stat", func() error { _, err := os.Stat(in("none")); return err }},
		{"lstat", func() error { _, err := os.Lstat(in("a")); return err }},
		{"mode", func() error { return os.Chmod(in("a"), 0o600) }},
		{"times", func() error { return os.Chtimes(in("a"), time.Now(), time.Now()) }},
		{"rename", func() error { return os.Rename(in("a"), in("b")) }},
		{"rename nothing", func() error { return os.Rename(in("a"), in("b")) }},
		{"symlink", func() error { return os.Symlink("b", in("s")) }},
		{"readlink", func() error { _, err := os.Readlink(in("s")); return err }},
		{"link", func() error { return os.Link(in("b"), in("l")) }},
		{"mkdir", func() error { return os.Mkdir(in("d"), 0o777) }},
		{"mkdir again", func() error { return os.Mkdir(in("d"), 0o777) }},
		{"mkdirs", func() error { return os.MkdirAll(in("d/e/f"), 0o777) }},
		{"rename a directory", func() error { return os.Rename(in("d"), in("g")) }},
		{"list", func() error { _, err := os.ReadDir(in("g")); return err }},
		{"remove", func() error { return os.Remove(in("b")) }},
		{"remove again", func() error { return os.Remove(in("b")) }},
		{"remove all", func() error { return os.RemoveAll(in("g")) }},
		{"temporary", func() error { f, err := os.CreateTemp(dir, "*"); return errors.Join(err, f.Close()) }},
		{"output", func() error { _, err := os.Stdout.Write(nil); return err }},
		{"pipe", func() error {
			r, w, err := os.Pipe()
			return errors.Join(err, second(w.Write([]byte("x"))), second(r.Read(make([]byte, 1))))
		}},
		{"root", func() error { return rooted(dir) }},
	} {
		all = nil
		err := each.do()
		print(each.what+":", strings.Join(all, ", "), err != nil)
	}
}

func second(_ int, err error) error { return err }

// use opens a file for something.
func use(name string, flag int, f func(*os.File) error) error {
	file, err := os.OpenFile(name, flag, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(f(file), file.Close())
}

// rooted uses files in a root.
func rooted(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	_, missing := root.Stat("none")
	_, read := root.ReadFile("r/y")
	if missing == nil || read == nil {
		return errors.New("there is something")
	}
	return errors.Join(root.MkdirAll("r/s", 0o777), root.WriteFile("r/x", []byte("x"), 0o666), root.Rename("r/x", "r/y"), root.Mkdir("r/t", 0o777),
		root.Remove("r/t"), root.RemoveAll("r"), root.Close())
}

// listening says that all of sessions is told, to all.
var (
	listening bool
	all       []string
)

func tell(what uint, name string, kept *atomic.Pointer[any]) {
	name = filepath.Base(name)
	switch {
	case name[0] == '|':
		name = "|"
	case strings.Trim(name, "0123456789") == "":
		name = "*"
	}
	all = append(all, fmt.Sprintf("%s %v", name, files.What(what)))
}
