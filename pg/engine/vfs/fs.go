// One instance's view of the files: names, open files, and their operations with POSIX's meaning
// and Emscripten's error numbers.

package vfs

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// Errno is an error number as Emscripten's C library has it (WASI's numbers).
type Errno int32

// The error numbers in use.
const (
	OK        Errno = 0
	EBADF     Errno = 8
	EEXIST    Errno = 20
	EFBIG     Errno = 22
	EINVAL    Errno = 28
	EISDIR    Errno = 31
	ELOOP     Errno = 32
	ENOENT    Errno = 44
	ENOMEM    Errno = 48
	ENOSPC    Errno = 51
	ENOSYS    Errno = 52
	ENOTDIR   Errno = 54
	ENOTEMPTY Errno = 55
	ESPIPE    Errno = 70
)

// Flags of Open, Linux's numbers.
const (
	OWrite     = 3 // either of the bits for writing
	OCreate    = 0o100
	OExclusive = 0o200
	OTruncate  = 0o1000
	OAppend    = 0o2000
	ODirectory = 0o200000
)

// MaxFile bounds a file's size; MaxBytes what one view may hold of its own.
const (
	MaxFile  = 1 << 31
	MaxBytes = 4 << 30
)

// Open is an open file. Duplicated descriptors share it.
type Open struct {
	Ino   Ino
	Name  string
	Flags int32
	Off   int64
	Ents  []string // the names of a directory that is being listed
}

// FS is one process's files. It is not safe for use by several goroutines.
type FS struct {
	*view
	fds map[int32]*Open
	Dir string // the working directory
}

// view is a tree and what was changed since.
type view struct {
	base    *Tree
	names   map[string]Ino // changed names; 0 is removed
	files   map[Ino]*File  // changed files
	next    Ino
	written int64
}

// New is a view of a tree with the descriptors 0, 1 and 2 open on /dev/null.
func New(t *Tree) *FS {
	return newFS(&view{base: t, names: map[string]Ino{}, files: map[Ino]*File{}, next: t.next})
}

// Fork is the same files, seen by another process with descriptors of its own.
func (f *FS) Fork() *FS { return newFS(f.view) }

func newFS(v *view) *FS {
	f := &FS{view: v, fds: map[int32]*Open{}, Dir: "/"}
	null := f.ino("/dev/null")
	for fd := range int32(3) {
		f.fds[fd] = &Open{Ino: null, Name: "/dev/null"}
	}
	return f
}

// State is a view at some time: the files as a tree, and what is open.
type State struct {
	tree *Tree
	fds  map[int32]Open
	dir  string
}

// Tree is the files of the state.
func (s *State) Tree() *Tree { return s.tree }

// Snapshot is the state of now.
func (f *FS) Snapshot() *State {
	t := f.base.Clone()
	for name, ino := range f.names {
		if ino == 0 {
			delete(t.names, name)
		} else {
			t.names[name] = ino
		}
	}
	for ino, file := range f.files {
		t.files[ino] = file.freeze()
	}
	t.next = f.next
	s := &State{tree: t, fds: map[int32]Open{}, dir: f.Dir}
	for fd, o := range f.fds {
		s.fds[fd] = *o
	}
	return s
}

// Restore goes back to a state, of this view or another.
func (f *FS) Restore(s *State) {
	f.base, f.Dir, f.next, f.written = s.tree, s.dir, s.tree.next, 0
	clear(f.names)
	clear(f.files)
	clear(f.fds)
	for fd, o := range s.fds {
		f.fds[fd] = &o
	}
}

func (f *FS) ino(name string) Ino {
	if ino, ok := f.names[name]; ok {
		return ino
	}
	return f.base.names[name]
}

// File is the file with the number, or nil.
func (f *FS) File(ino Ino) *File {
	if file, ok := f.files[ino]; ok {
		return file
	}
	return f.base.files[ino]
}

func (f *FS) writable(ino Ino) *File {
	file, ok := f.files[ino]
	if !ok {
		file = f.base.files[ino].thaw()
		f.files[ino] = file
	}
	return file
}

// Abs is the absolute form of a name.
func (f *FS) Abs(name string) string {
	if !strings.HasPrefix(name, "/") {
		name = f.Dir + "/" + name
	}
	return path.Clean(name)
}

// Lookup finds a file by its absolute name. With follow it goes through links; the name that it gives is
// the one after them. The number is 0 if there is no such file.
func (f *FS) Lookup(name string, follow bool) (Ino, string) {
	for range 8 {
		ino := f.ino(name)
		if ino == 0 || !follow {
			return ino, name
		}
		file := f.File(ino)
		if file.Kind != Link {
			return ino, name
		}
		if strings.HasPrefix(file.Target, "/") {
			name = path.Clean(file.Target)
		} else {
			name = path.Join(path.Dir(name), file.Target)
		}
	}
	return 0, name
}

func (f *FS) create(name string, file *File) Ino {
	ino := f.next
	f.next++
	f.files[ino], f.names[name] = file, ino
	return ino
}

func (f *FS) isDir(name string) bool {
	ino, _ := f.Lookup(name, true)
	return ino != 0 && f.File(ino).Kind == Dir
}

// Open opens a file by its absolute name and gives its descriptor.
func (f *FS) Open(name string, flags int32, mode fs.FileMode) (int32, Errno) {
	ino, name := f.Lookup(name, true)
	switch {
	case ino == 0 && flags&OCreate == 0, ino == 0 && !f.isDir(path.Dir(name)):
		return 0, ENOENT
	case ino == 0:
		ino = f.create(name, &File{Mode: mode & 0o777})
	case flags&OCreate != 0 && flags&OExclusive != 0:
		return 0, EEXIST
	case f.File(ino).Kind == Dir && flags&OWrite != 0:
		return 0, EISDIR
	case flags&ODirectory != 0 && f.File(ino).Kind != Dir:
		return 0, ENOTDIR
	case flags&OTruncate != 0 && f.File(ino).Kind == Regular:
		f.writable(ino).truncate(0)
	}
	return f.add(&Open{Ino: ino, Name: name, Flags: flags}, 3), OK
}

func (f *FS) add(o *Open, from int32) int32 {
	for f.fds[from] != nil {
		from++
	}
	f.fds[from] = o
	return from
}

// FD is the open file of a descriptor, or nil.
func (f *FS) FD(fd int32) *Open { return f.fds[fd] }

// Dup gives an open file another descriptor, the first free one from the given one on.
func (f *FS) Dup(fd, from int32) (int32, Errno) {
	if f.fds[fd] == nil {
		return 0, EBADF
	}
	return f.add(f.fds[fd], max(from, 0)), OK
}

// Dup2 gives an open file the descriptor to.
func (f *FS) Dup2(fd, to int32) Errno {
	if f.fds[fd] == nil {
		return EBADF
	}
	f.fds[to] = f.fds[fd]
	return OK
}

// Close closes a descriptor.
func (f *FS) Close(fd int32) Errno {
	if f.fds[fd] == nil {
		return EBADF
	}
	delete(f.fds, fd)
	return OK
}

// ReadAt reads from a file and gives the number of bytes.
func (f *FS) ReadAt(ino Ino, b []byte, off int64) int { return f.File(ino).readAt(b, off) }

// WriteAt writes to a regular file.
func (f *FS) WriteAt(ino Ino, b []byte, off int64) Errno {
	if off < 0 || off+int64(len(b)) > MaxFile {
		return EFBIG
	}
	if f.written += int64(len(b)); f.written > MaxBytes {
		f.written = MaxBytes / 2 // an estimate of what is left after files were removed
		if f.held() > MaxBytes {
			return ENOSPC
		}
	}
	f.writable(ino).writeAt(b, off)
	return OK
}

func (f *FS) held() (n int64) {
	for _, file := range f.files {
		for _, own := range file.own {
			if own {
				n += PageSize
			}
		}
	}
	return n
}

// Truncate sets a file's size.
func (f *FS) Truncate(ino Ino, size int64) Errno {
	if size < 0 || size > MaxFile {
		return EINVAL
	}
	f.writable(ino).truncate(size)
	return OK
}

// Mkdir makes a directory.
func (f *FS) Mkdir(name string, mode fs.FileMode) Errno {
	if f.ino(name) != 0 {
		return EEXIST
	}
	if !f.isDir(path.Dir(name)) {
		return ENOENT
	}
	f.create(name, &File{Kind: Dir, Mode: mode & 0o777})
	return OK
}

// Symlink makes a link.
func (f *FS) Symlink(target, name string) Errno {
	if f.ino(name) != 0 {
		return EEXIST
	}
	f.create(name, &File{Kind: Link, Target: target, Mode: 0o777})
	return OK
}

// Link gives a file a second name.
func (f *FS) Link(old, name string) Errno {
	ino := f.ino(old)
	if ino == 0 {
		return ENOENT
	}
	if f.ino(name) != 0 {
		return EEXIST
	}
	f.names[name] = ino
	return OK
}

// Remove removes a name: of an empty directory with dir, of another file without.
func (f *FS) Remove(name string, dir bool) Errno {
	ino := f.ino(name)
	switch {
	case ino == 0:
		return ENOENT
	case dir && f.File(ino).Kind != Dir:
		return ENOTDIR
	case !dir && f.File(ino).Kind == Dir:
		return EISDIR
	case dir && len(f.List(name)) > 0:
		return ENOTEMPTY
	}
	f.names[name] = 0
	return OK
}

// Rename gives a file, or a directory with all in it, another name.
func (f *FS) Rename(old, name string) Errno {
	ino := f.ino(old)
	if ino == 0 {
		return ENOENT
	}
	if f.File(ino).Kind == Dir {
		for _, sub := range f.all() {
			if under(sub, old) {
				f.names[name+sub[len(old):]] = f.ino(sub)
				f.names[sub] = 0
			}
		}
	}
	f.names[old] = 0
	f.names[name] = ino
	return OK
}

// Chmod sets a file's permission bits.
func (f *FS) Chmod(ino Ino, mode fs.FileMode) { f.writable(ino).Mode = mode & 0o777 }

func (f *FS) all() []string {
	seen := maps.Clone(f.base.names)
	maps.Copy(seen, f.names)
	maps.DeleteFunc(seen, func(_ string, ino Ino) bool { return ino == 0 })
	return slices.Sorted(maps.Keys(seen))
}

// List is the names in a directory, in order, without "." and "..".
func (f *FS) List(dir string) []string {
	var out []string
	for _, name := range f.all() {
		if under(name, dir) && path.Dir(name) == dir {
			out = append(out, path.Base(name))
		}
	}
	return out
}
