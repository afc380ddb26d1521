// System calls on names.

package emscripten

import (
	"io/fs"
	"path"
	"strings"

	"github.com/txmc/txmc/pg/engine/vfs"
)

const atCurrentDir = -100

// nameAt is the absolute form of a name relative to an open directory.
func (p *Process) nameAt(dir, at uint64) string {
	s := p.String(uint32(at))
	if !strings.HasPrefix(s, "/") && int32(dir) != atCurrentDir {
		if o := p.FS.FD(int32(dir)); o != nil {
			return path.Join(o.Name, s)
		}
	}
	return p.FS.Abs(s)
}

func (p *Process) name(at uint64) string { return p.nameAt(1<<32+atCurrentDir, at) }

var pathCalls = map[string]func(*Process, []uint64){
	"__syscall_getcwd": func(p *Process, st []uint64) {
		n := len(p.FS.Dir) + 1
		copy(p.Bytes(uint32(st[0]), uint32(st[1])), p.FS.Dir+"\x00")
		st[0] = uint64(n)
	},
	"__syscall_chdir": func(p *Process, st []uint64) {
		ino, name := p.FS.Lookup(p.name(st[0]), true)
		if ino == 0 || p.FS.File(ino).Kind != vfs.Dir {
			st[0] = negative(vfs.ENOENT)
			return
		}
		p.FS.Dir = name
		st[0] = 0
	},
	"__syscall_openat": func(p *Process, st []uint64) {
		mode := uint32(0o600)
		if st[3] != 0 {
			mode = p.Word(uint32(st[3]))
		}
		fd, e := p.FS.Open(p.nameAt(st[0], st[1]), int32(st[2]), fs.FileMode(mode))
		st[0] = descriptor(fd, e)
	},
	"__syscall_stat64":  func(p *Process, st []uint64) { st[0] = p.stat(p.name(st[0]), st[1], true) },
	"__syscall_lstat64": func(p *Process, st []uint64) { st[0] = p.stat(p.name(st[0]), st[1], false) },
	"__syscall_newfstatat": func(p *Process, st []uint64) {
		const noFollow, emptyPath = 0x100, 0x1000
		if o := p.FS.FD(int32(st[0])); o != nil && st[3]&emptyPath != 0 && p.Byte(uint32(st[1])) == 0 {
			p.putStat(o.Ino, uint32(st[2]))
			st[0] = 0
			return
		}
		st[0] = p.stat(p.nameAt(st[0], st[1]), st[2], st[3]&noFollow == 0)
	},
	"__syscall_faccessat": func(p *Process, st []uint64) {
		ino, _ := p.FS.Lookup(p.nameAt(st[0], st[1]), true)
		st[0] = 0
		if ino == 0 {
			st[0] = negative(vfs.ENOENT)
		}
	},
	"__syscall_mkdirat": func(p *Process, st []uint64) {
		st[0] = negative(p.FS.Mkdir(p.nameAt(st[0], st[1]), fs.FileMode(st[2])))
	},
	"__syscall_rmdir": func(p *Process, st []uint64) { st[0] = negative(p.FS.Remove(p.name(st[0]), true)) },
	"__syscall_unlinkat": func(p *Process, st []uint64) {
		const removeDir = 0x200
		st[0] = negative(p.FS.Remove(p.nameAt(st[0], st[1]), st[2]&removeDir != 0))
	},
	"__syscall_renameat": func(p *Process, st []uint64) {
		st[0] = negative(p.FS.Rename(p.nameAt(st[0], st[1]), p.nameAt(st[2], st[3])))
	},
	"__syscall_linkat": func(p *Process, st []uint64) {
		st[0] = negative(p.FS.Link(p.nameAt(st[0], st[1]), p.nameAt(st[2], st[3])))
	},
	"__syscall_symlinkat": func(p *Process, st []uint64) {
		st[0] = negative(p.FS.Symlink(p.String(uint32(st[0])), p.nameAt(st[1], st[2])))
	},
	"__syscall_readlinkat": readlink,
	"__syscall_truncate64": func(p *Process, st []uint64) {
		ino, _ := p.FS.Lookup(p.name(st[0]), true)
		if ino == 0 {
			st[0] = negative(vfs.ENOENT)
			return
		}
		st[0] = negative(p.FS.Truncate(ino, int64(st[1])))
	},
	"__syscall_chmod": func(p *Process, st []uint64) {
		ino, _ := p.FS.Lookup(p.name(st[0]), true)
		if ino == 0 {
			st[0] = negative(vfs.ENOENT)
			return
		}
		p.FS.Chmod(ino, fs.FileMode(st[1]))
		st[0] = 0
	},
	"__syscall_fchmodat2": succeed, "__syscall_fchownat": succeed,
	"__syscall_utimensat": succeed, "__syscall_statfs64": succeed,
}

func (p *Process) stat(name string, at uint64, follow bool) uint64 {
	ino, _ := p.FS.Lookup(name, follow)
	if ino == 0 {
		return negative(vfs.ENOENT)
	}
	p.putStat(ino, uint32(at))
	return 0
}

// readlink is __syscall_readlinkat(dir, name, *buffer, size).
func readlink(p *Process, st []uint64) {
	name := p.nameAt(st[0], st[1])
	ino, _ := p.FS.Lookup(name, false)
	target := ""
	switch {
	case name == "/proc/self/exe":
		target = p.Executable
	case ino == 0:
		st[0] = negative(vfs.ENOENT)
		return
	case p.FS.File(ino).Kind != vfs.Link:
		st[0] = negative(vfs.EINVAL)
		return
	default:
		target = p.FS.File(ino).Target
	}
	st[0] = uint64(copy(p.Bytes(uint32(st[2]), uint32(st[3])), target))
}
