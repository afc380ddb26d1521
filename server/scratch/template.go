package scratch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The data of a new server are the same each time. The database's program makes them in an empty
// directory, which takes a second of processor time and more. They are kept in the user's cache
// directory, and later servers get a copy. Where the cache cannot be read or written, the data
// are made anew.

// mostKept is how many templates are kept, of different programs; those that were made last stay.
const mostKept = 4

// create makes the directory of the data.
func (s *Server) create(ctx context.Context) error {
	create := s.backend.create(ctx, s)
	kept := s.template(create.Args)
	if kept != "" && s.copyTemplate(kept) == nil {
		return nil
	}
	if err := os.RemoveAll(s.data()); err != nil {
		return err
	}
	s.as(create)
	if out, err := create.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(create.Path), err, out)
	}
	if kept != "" {
		s.keep(kept)
	}
	return nil
}

// template is the directory of the data that these arguments make, "" where nothing can be kept.
// Another version of a program has another one, and another time zone, which initdb writes down.
func (s *Server) template(args []string) string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q\n", strings.ReplaceAll(strings.Join(args, "\n"), s.dir, ""), os.Getenv("TZ"))
	for _, name := range append(s.backend.programs(), "/etc/localtime") {
		name, _ = filepath.EvalSymlinks(name)
		if info, err := os.Stat(name); err == nil {
			fmt.Fprintf(h, "%q %d %d\n", name, info.Size(), info.ModTime().UnixNano())
		}
	}
	return filepath.Join(cache, "txmc", "servers", fmt.Sprintf("%x", h.Sum(nil)[:16]))
}

// seal is the file of a template that says what there is. Its data are beside it.
const seal = "seal"

// copyTemplate copies a template. One that is not whole is an error.
func (s *Server) copyTemplate(kept string) error {
	want, err := os.ReadFile(filepath.Join(kept, seal))
	if err != nil {
		return err
	}
	got, err := copyTree(filepath.Join(kept, "data"), s.data(), s.owner)
	if err == nil && got.String() != string(want) {
		err = errors.New("the template is damaged")
	}
	return err
}

// keep makes a template of the data that were just made, under another name until it is whole.
// The seal shows what a crash of the machine takes away later.
func (s *Server) keep(kept string) {
	dir := filepath.Dir(kept)
	if os.MkdirAll(dir, 0o755) != nil {
		return
	}
	temporary, err := os.MkdirTemp(dir, "new-")
	if err != nil {
		return
	}
	defer os.RemoveAll(temporary)
	size, err := copyTree(s.data(), filepath.Join(temporary, "data"), owner{})
	if err != nil || os.WriteFile(filepath.Join(temporary, seal), []byte(size.String()), 0o600) != nil {
		return
	}
	removeTemplate(kept) // which is damaged
	if os.Rename(temporary, kept) == nil {
		removeOldest(dir)
	}
}

// removeTemplate takes away the name first: who is copying it meets an error then.
func removeTemplate(kept string) {
	old := kept + ".old"
	if os.Rename(kept, old) == nil {
		os.RemoveAll(old)
	}
}

// removeOldest removes the templates that are too many.
func removeOldest(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	made := func(e fs.DirEntry) int64 {
		info, err := e.Info()
		if err != nil {
			return 0
		}
		return info.ModTime().UnixNano()
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return int(min(1, max(-1, made(b)-made(a)))) })
	for _, e := range entries[min(mostKept, len(entries)):] {
		removeTemplate(filepath.Join(dir, e.Name()))
	}
}

// amount is how much was copied, and what.
type amount struct {
	files int
	bytes int64
	sum   hash.Hash32
}

func (a amount) String() string {
	return fmt.Sprintf("%d files, %d bytes, CRC-32C %08x", a.files, a.bytes, a.sum.Sum32())
}

// copyTree copies files and directories with their modes, and gives them to an owner.
func copyTree(from, to string, owner owner) (size amount, err error) {
	size.sum = crc32.New(crc32.MakeTable(crc32.Castagnoli))
	err = filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case d.IsDir():
			err = os.MkdirAll(target, info.Mode().Perm())
		case info.Mode().IsRegular():
			size.files++
			size.bytes += info.Size()
			err = copyFile(path, target, info.Mode().Perm(), size.sum)
		default:
			return nil
		}
		return errors.Join(err, owner.own(target))
	})
	return size, err
}

// zeros are what most of a new log consists of.
var zeros [1 << 16]byte

// copyFile copies a file, and adds what it has to a sum. Where there are only zeros, the copy has a hole.
func copyFile(from, to string, mode fs.FileMode, sum io.Writer) (err error) {
	r, err := os.Open(from)
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	block := make([]byte, len(zeros))
	for at := int64(0); ; {
		n, err := io.ReadFull(r, block)
		sum.Write(block[:n])
		if n > 0 && !bytes.Equal(block[:n], zeros[:n]) {
			if _, err := w.WriteAt(block[:n], at); err != nil {
				return err
			}
		}
		at += int64(n)
		switch err {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			return w.Truncate(at)
		default:
			return err
		}
	}
}
