// Package vfs holds the files that an instance sees. Nothing of the host's file system is in it.
//
// A Tree is a set of files that does not change and that many instances share. An FS is one
// instance's view: a tree and what the instance changed since, copied page by page when written.
// Going back to a tree forgets the changes and costs what they are, not what the tree is.
package vfs

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// PageSize is the unit in which files are copied: PostgreSQL's block.
const PageSize = 8192

type page = [PageSize]byte

// Kind is the kind of a file.
type Kind uint8

// The kinds of files.
const (
	Regular Kind = iota
	Dir
	Link
	Null   // reads nothing, forgets what is written
	Random // reads random bytes
)

// Ino names a file; names may share it.
type Ino uint32

// File is one file's state.
type File struct {
	Kind   Kind
	Mode   fs.FileMode // permission bits
	Target string      // of a link
	Size   int64
	pages  []*page // nil is a page of zeros
	own    []bool  // the page belongs to this view and may be written; nil in trees
}

// Tree is a set of files. It is not changed once it is in use.
type Tree struct {
	names map[string]Ino
	files map[Ino]*File
	next  Ino
}

// NewTree is a tree with a root directory only.
func NewTree() *Tree {
	t := &Tree{names: map[string]Ino{}, files: map[Ino]*File{}, next: 1}
	t.add("/", &File{Kind: Dir, Mode: 0o755})
	return t
}

func (t *Tree) add(name string, f *File) {
	t.names[name] = t.next
	t.files[t.next] = f
	t.next++
}

// Add puts a file into a tree that is being built, with the directories above it.
// It replaces a file of the same name.
func (t *Tree) Add(name string, f *File) {
	name = path.Clean("/" + name)
	if ino, ok := t.names[name]; ok {
		t.files[ino] = f
		return
	}
	if dir := path.Dir(name); t.names[dir] == 0 {
		t.Add(dir, &File{Kind: Dir, Mode: 0o755})
	}
	t.add(name, f)
}

// Remove takes a name out of a tree that is being built.
func (t *Tree) Remove(name string) { delete(t.names, name) }

// NewFile is a regular file with the given content.
func NewFile(mode fs.FileMode, data []byte) *File {
	f := &File{Mode: mode, Size: int64(len(data))}
	for len(data) > 0 {
		n := min(len(data), PageSize)
		f.pages = append(f.pages, newPage(data[:n]))
		data = data[n:]
	}
	return f
}

var zeroPage page

func newPage(data []byte) *page {
	var p page
	copy(p[:], data)
	if p == zeroPage {
		return nil
	}
	return &p
}

// Names are the names in the tree in order.
func (t *Tree) Names() []string { return slices.Sorted(maps.Keys(t.names)) }

// File is the file of a name, without following links; nil if there is none.
func (t *Tree) File(name string) *File { return t.files[t.names[name]] }

// Clone is a copy of the tree to go on building with; the files' pages are shared.
func (t *Tree) Clone() *Tree {
	return &Tree{names: maps.Clone(t.names), files: maps.Clone(t.files), next: t.next}
}

// Bytes is the file's content.
func (f *File) Bytes() []byte {
	b := make([]byte, f.Size)
	f.readAt(b, 0)
	return b
}

func (f *File) readAt(b []byte, off int64) int {
	if off >= f.Size {
		return 0
	}
	b = b[:min(int64(len(b)), f.Size-off)]
	for done := 0; done < len(b); {
		i, at := int((off+int64(done))/PageSize), int((off+int64(done))%PageSize)
		n := min(len(b)-done, PageSize-at)
		if i < len(f.pages) && f.pages[i] != nil {
			copy(b[done:done+n], f.pages[i][at:])
		} else {
			clear(b[done : done+n])
		}
		done += n
	}
	return len(b)
}

// thaw is a copy whose pages are not its own yet.
func (f *File) thaw() *File {
	c := *f
	c.pages = slices.Clone(f.pages)
	c.own = make([]bool, len(f.pages))
	return &c
}

// freeze is the file as part of a tree.
func (f *File) freeze() *File {
	c := *f
	c.pages, c.own = slices.Clone(f.pages), nil
	clear(f.own)
	return &c
}

func (f *File) writable(i int) *page {
	for i >= len(f.pages) {
		f.pages, f.own = append(f.pages, nil), append(f.own, false)
	}
	if !f.own[i] {
		p := new(page)
		if f.pages[i] != nil {
			*p = *f.pages[i]
		}
		f.pages[i], f.own[i] = p, true
	}
	return f.pages[i]
}

func (f *File) writeAt(b []byte, off int64) {
	for len(b) > 0 {
		i, at := int(off/PageSize), int(off%PageSize)
		n := copy(f.writable(i)[at:], b)
		b, off = b[n:], off+int64(n)
	}
	f.Size = max(f.Size, off)
}

func (f *File) truncate(size int64) {
	if size < f.Size {
		keep := int((size + PageSize - 1) / PageSize)
		if keep < len(f.pages) {
			f.pages, f.own = f.pages[:keep], f.own[:keep]
		}
		if at := int(size % PageSize); at != 0 && keep <= len(f.pages) && f.pages[keep-1] != nil {
			clear(f.writable(keep - 1)[at:])
		}
	}
	f.Size = size
}

func under(name, dir string) bool {
	return strings.HasPrefix(name, dir) && len(name) > len(dir) && (dir == "/" || name[len(dir)] == '/')
}
