package overlay

// Package os tells the run of its goroutine which files it is about to read or to
// change: see added/os.go.txt. What others call inside of it, such as Stat by
// MkdirAll, is told of once, by what it is for.

// in begins the function of a header with a call.
func in(header, call string) edit { return after("\n"+header+" {\n", "\t"+call+"\n") }

// replaced replaces text.
func replaced(old, new string) edit { return edit{old, new} }

const (
	opened   = "\tf.appendMode = flag&O_APPEND != 0\n"
	fieldOf  = "type file struct {\n"
	ownField = "\ttxmc txmcOf\n"
)

// named are the functions of files by name that each kind of system has for itself.
var named = []edit{
	after(fieldOf, ownField),
	in("func Remove(name string) error", "txmcRemove(name, 0)"),
	in("func Truncate(name string, size int64) error", "txmcAt(txmcReads|txmcTruncated(size), name)"),
	in("func Link(oldname, newname string) error", "txmcAt(txmcReads|txmcLink, oldname)\n\ttxmcLinking(newname, 0)"),
	in("func Symlink(oldname, newname string) error", "txmcLinking(newname, txmcBelow)"),
}

// piped numbers the pipes.
var piped = in("func Pipe() (r *File, w *File, err error)", "defer func() { txmcPiped(r, w) }()")

// fileChanges make package os tell of files.
var fileChanges = []change{
	{"os/file.go", []edit{
		replaced("\nfunc Mkdir(name string, perm FileMode) error {\n",
			"\nfunc Mkdir(name string, perm FileMode) error {\n\ttxmcMakeDir(name)\n\treturn txmcMkdir(name, perm)\n}\n\nfunc txmcMkdir(name string, perm FileMode) error {\n"),
		in("func OpenFile(name string, flag int, perm FileMode) (*File, error)", "txmcOpening(name, flag)"),
		after(opened, "\tf.txmcOpened(flag)\n"),
		replaced("\treturn openDirNolog(name)\n", "\treturn txmcOpenDir(name)\n"),
		replaced("\treturn rename(oldpath, newpath)\n", "\ttxmcRenaming(oldpath, newpath)\n\treturn txmcQuiet(func() error { return rename(oldpath, newpath) })\n"),
		in("func Readlink(name string) (string, error)", "txmcAt(txmcReads|txmcLink, name)"),
		replaced("func Chmod(name string, mode FileMode) error { return chmod(name, mode) }",
			"func Chmod(name string, mode FileMode) error {\n\ttxmcAt(txmcReads|txmcChanges, name)\n\treturn chmod(name, mode)\n}"),
		replaced("func (f *File) Chmod(mode FileMode) error { return f.chmod(mode) }",
			"func (f *File) Chmod(mode FileMode) error {\n\tf.txmcUse(txmcChanges)\n\treturn f.chmod(mode)\n}"),
		in("func (f *File) Read(b []byte) (n int, err error)", "f.txmcUse(txmcReads)"),
		in("func (f *File) ReadAt(b []byte, off int64) (n int, err error)", "f.txmcUse(txmcReads)"),
		in("func (f *File) WriteTo(w io.Writer) (n int64, err error)", "f.txmcUse(txmcReads)"),
		in("func (f *File) Write(b []byte) (n int, err error)", "if f.txmcPrints(b) {\n\t\treturn len(b), nil\n\t}\n\tf.txmcUse(txmcChanges)"),
		in("func (f *File) WriteAt(b []byte, off int64) (n int, err error)", "f.txmcUse(txmcChanges)"),
		in("func (f *File) ReadFrom(r io.Reader) (n int64, err error)", "if f.txmcPrints(nil) {\n\t\treturn genericReadFrom(f, r)\n\t}\n\tf.txmcUse(txmcChanges)"),
		in("func (f *File) Seek(offset int64, whence int) (ret int64, err error)", "f.txmcSeek(whence)"),
		in("func (f *File) SyscallConn() (syscall.RawConn, error)", "f.txmcHandle()"),
		in("func (f *File) Fd() uintptr", "f.txmcHandle()"),
	}},
	{"os/stat.go", []edit{
		in("func Stat(name string) (FileInfo, error)", "txmcAt(txmcReads, name)"),
		in("func Lstat(name string) (FileInfo, error)", "txmcAt(txmcReads|txmcLink, name)"),
	}},
	{"os/stat_unix.go", []edit{in("func (f *File) Stat() (FileInfo, error)", "f.txmcUse(txmcReads)")}},
	{"os/stat_windows.go", []edit{in("func (file *File) Stat() (FileInfo, error)", "file.txmcUse(txmcReads)")}},
	{"os/dir.go", []edit{
		replaced("f.readdir(n, readdirFileInfo)", "f.txmcReaddir(n, readdirFileInfo)"),
		replaced("f.readdir(n, readdirName)", "f.txmcReaddir(n, readdirName)"),
		replaced("f.readdir(n, readdirDirEntry)", "f.txmcReaddir(n, readdirDirEntry)"),
	}},
	{"os/path.go", []edit{
		replaced("\tdir, err := Stat(path)\n", "\tdir, err := txmcDirThere(path)\n"),
		replaced("\terr = Mkdir(path, perm)\n", "\terr = txmcMkdirAll(path, perm)\n"),
		replaced("\treturn removeAll(path)\n", "\ttxmcRemove(path, txmcBelow)\n\treturn txmcQuiet(func() error { return removeAll(path) })\n"),
	}},
	{"os/file_posix.go", []edit{
		in("func Chown(name string, uid, gid int) error", "txmcAt(txmcReads|txmcChanges, name)"),
		in("func Lchown(name string, uid, gid int) error", "txmcAt(txmcReads|txmcChanges|txmcLink, name)"),
		in("func Chtimes(name string, atime time.Time, mtime time.Time) error", "txmcAt(txmcReads|txmcChanges, name)"),
		in("func (f *File) Chown(uid, gid int) error", "f.txmcUse(txmcChanges)"),
		in("func (f *File) Truncate(size int64) error", "f.txmcUse(txmcTruncated(size))"),
	}},
	{"os/file_unix.go", named},
	{"os/file_windows.go", append([]edit{piped}, named...)},
	{"os/file_plan9.go", append([]edit{piped}, named...)},
	{"os/pipe2_unix.go", []edit{piped}},
	{"os/pipe_unix.go", []edit{piped}},
	{"os/root.go", []edit{
		replaced("\tr.logOpen(name)\n\trf, err := rootOpenFileNolog(r, name, flag, perm)\n", "\tr.logOpen(name)\n\tr.txmcOpening(name, flag)\n\trf, err := rootOpenFileNolog(r, name, flag, perm)\n"),
		after("\trf.appendMode = flag&O_APPEND != 0\n", "\trf.txmcOpened(flag)\n"),
		in("func (r *Root) OpenRoot(name string) (*Root, error)", "r.txmcAt(txmcReads, name)"),
		in("func (r *Root) Chmod(name string, mode FileMode) error", "r.txmcAt(txmcReads|txmcChanges, name)"),
		in("func (r *Root) Mkdir(name string, perm FileMode) error", "txmcMakeDir(r.txmcIn(name))"),
		in("func (r *Root) MkdirAll(name string, perm FileMode) error", "r.txmcMakeDirs(name)"),
		in("func (r *Root) Chown(name string, uid, gid int) error", "r.txmcAt(txmcReads|txmcChanges, name)"),
		in("func (r *Root) Lchown(name string, uid, gid int) error", "r.txmcAt(txmcReads|txmcChanges|txmcLink, name)"),
		in("func (r *Root) Chtimes(name string, atime time.Time, mtime time.Time) error", "r.txmcAt(txmcReads|txmcChanges, name)"),
		in("func (r *Root) Remove(name string) error", "txmcRemove(r.txmcIn(name), 0)"),
		replaced("\treturn rootRemoveAll(r, name)\n", "\ttxmcRemove(r.txmcIn(name), txmcBelow)\n\treturn txmcQuiet(func() error { return rootRemoveAll(r, name) })\n"),
		in("func (r *Root) Stat(name string) (FileInfo, error)", "r.txmcAt(txmcReads, name)"),
		in("func (r *Root) Lstat(name string) (FileInfo, error)", "r.txmcAt(txmcReads|txmcLink, name)"),
		in("func (r *Root) Readlink(name string) (string, error)", "r.txmcAt(txmcReads|txmcLink, name)"),
		in("func (r *Root) Rename(oldname, newname string) error", "txmcRenaming(r.txmcIn(oldname), r.txmcIn(newname))"),
		in("func (r *Root) Link(oldname, newname string) error", "r.txmcAt(txmcReads|txmcLink, oldname)\n\ttxmcLinking(r.txmcIn(newname), 0)"),
		in("func (r *Root) Symlink(oldname, newname string) error", "txmcLinking(r.txmcIn(newname), txmcBelow)"),
	}},
}
