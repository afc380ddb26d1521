// System calls on open files.

package emscripten

import (
	"encoding/binary"
	"io"
	"io/fs"
	"path"

	"github.com/txmc/txmc/pg/engine/vfs"
)

var fileCalls = map[string]func(*Process, []uint64){
	"fd_close":            func(p *Process, st []uint64) { st[0] = uint64(p.FS.Close(int32(st[0]))) },
	"fd_write":            func(p *Process, st []uint64) { st[0] = uint64(p.write(st, false)) },
	"fd_pwrite":           func(p *Process, st []uint64) { st[0] = uint64(p.write(st, true)) },
	"fd_read":             func(p *Process, st []uint64) { st[0] = uint64(p.read(st, false)) },
	"fd_pread":            func(p *Process, st []uint64) { st[0] = uint64(p.read(st, true)) },
	"fd_seek":             func(p *Process, st []uint64) { st[0] = uint64(p.seek(st)) },
	"fd_fdstat_get":       func(p *Process, st []uint64) { st[0] = uint64(p.fdstat(st)) },
	"fd_sync":             succeed,
	"__syscall_fdatasync": succeed, "__syscall_fadvise64": succeed,
	"__syscall_fchmod": succeed, "__syscall_fchown32": succeed,
	"__syscall_fstat64": func(p *Process, st []uint64) {
		o := p.FS.FD(int32(st[0]))
		if o == nil {
			st[0] = negative(vfs.EBADF)
			return
		}
		p.putStat(o.Ino, uint32(st[1]))
		st[0] = 0
	},
	"__syscall_dup": func(p *Process, st []uint64) {
		fd, e := p.FS.Dup(int32(st[0]), 0)
		st[0] = descriptor(fd, e)
	},
	"__syscall_dup3": func(p *Process, st []uint64) {
		e := p.FS.Dup2(int32(st[0]), int32(st[1]))
		st[0] = descriptor(int32(st[1]), e)
	},
	"__syscall_fcntl64":     fcntl,
	"__syscall_ftruncate64": func(p *Process, st []uint64) { st[0] = p.ftruncate(int32(st[0]), int64(st[1]), false) },
	"__syscall_fallocate": func(p *Process, st []uint64) {
		st[0] = p.ftruncate(int32(st[0]), int64(st[2])+int64(st[3]), true)
	},
	"__syscall_getdents64": getdents,
	"__syscall_pipe2": func(p *Process, st []uint64) {
		// Only the server's self-pipe: nothing is ever read from it.
		for i := range uint32(2) {
			fd, _ := p.FS.Open("/dev/null", 0, 0)
			p.PutWord(uint32(st[0])+4*i, uint32(fd))
		}
		st[0] = 0
	},
}

func descriptor(fd int32, e vfs.Errno) uint64 {
	if e != vfs.OK {
		return negative(e)
	}
	return uint64(uint32(fd))
}

// vectors are the pieces of memory of a scattered read or write.
func (p *Process) vectors(at, n uint64) [][]byte {
	out := make([][]byte, 0, 4)
	for i := uint32(0); i < uint32(n); i++ {
		out = append(out, p.Bytes(p.Word(uint32(at)+8*i), p.Word(uint32(at)+8*i+4)))
	}
	return out
}

// write is fd_write(fd, iov, n, *written) and fd_pwrite(fd, iov, n, offset, *written).
func (p *Process) write(st []uint64, at bool) vfs.Errno {
	o := p.FS.FD(int32(st[0]))
	if o == nil {
		return vfs.EBADF
	}
	file, result, off := p.FS.File(o.Ino), st[3], o.Off
	if at {
		result, off = st[4], int64(st[3])
	} else if o.Flags&vfs.OAppend != 0 {
		off = file.Size
	}
	n := 0
	for _, b := range p.vectors(st[1], st[2]) {
		switch {
		case file.Kind == vfs.Regular:
			if e := p.FS.WriteAt(o.Ino, b, off); e != vfs.OK {
				return e
			}
		case int32(st[0]) == 1 || int32(st[0]) == 2:
			p.log(string(b))
		}
		off += int64(len(b))
		n += len(b)
	}
	if !at {
		o.Off = off
	}
	p.PutWord(uint32(result), uint32(n))
	return vfs.OK
}

// read is fd_read(fd, iov, n, *read) and fd_pread(fd, iov, n, offset, *read).
func (p *Process) read(st []uint64, at bool) vfs.Errno {
	o := p.FS.FD(int32(st[0]))
	if o == nil {
		return vfs.EBADF
	}
	file, result, off := p.FS.File(o.Ino), st[3], o.Off
	if at {
		result, off = st[4], int64(st[3])
	}
	n := 0
	for _, b := range p.vectors(st[1], st[2]) {
		k := 0
		switch file.Kind {
		case vfs.Random:
			k, _ = io.ReadFull(p.Random, b)
		case vfs.Regular:
			k = p.FS.ReadAt(o.Ino, b, off)
		case vfs.Dir:
			return vfs.EISDIR
		}
		off += int64(k)
		n += k
		if k < len(b) {
			break
		}
	}
	if !at {
		o.Off = off
	}
	p.PutWord(uint32(result), uint32(n))
	return vfs.OK
}

func (p *Process) seek(st []uint64) vfs.Errno {
	o := p.FS.FD(int32(st[0]))
	if o == nil {
		return vfs.EBADF
	}
	off := int64(st[1])
	switch uint32(st[2]) {
	case io.SeekCurrent:
		off += o.Off
	case io.SeekEnd:
		off += p.FS.File(o.Ino).Size
	}
	if off < 0 {
		return vfs.EINVAL
	}
	o.Off, o.Ents = off, nil
	p.PutLong(uint32(st[3]), uint64(off))
	return vfs.OK
}

func (p *Process) fdstat(st []uint64) vfs.Errno {
	o := p.FS.FD(int32(st[0]))
	if o == nil {
		return vfs.EBADF
	}
	const characterDevice, directory, regular = 2, 3, 4
	b := p.Bytes(uint32(st[1]), 24)
	clear(b)
	switch p.FS.File(o.Ino).Kind {
	case vfs.Dir:
		b[0] = directory
	case vfs.Null, vfs.Random:
		b[0] = characterDevice
	default:
		b[0] = regular
	}
	return vfs.OK
}

func (p *Process) ftruncate(fd int32, size int64, onlyGrow bool) uint64 {
	o := p.FS.FD(fd)
	if o == nil {
		return negative(vfs.EBADF)
	}
	if onlyGrow && size <= p.FS.File(o.Ino).Size {
		return 0
	}
	return negative(p.FS.Truncate(o.Ino, size))
}

// fcntl is __syscall_fcntl64(fd, command, *argument).
func fcntl(p *Process, st []uint64) {
	const dupFD, getFlags, dupFDCloseOnExec = 0, 3, 1030
	o := p.FS.FD(int32(st[0]))
	switch {
	case o == nil:
		st[0] = negative(vfs.EBADF)
	case st[1] == dupFD, st[1] == dupFDCloseOnExec:
		fd, e := p.FS.Dup(int32(st[0]), int32(p.Word(uint32(st[2]))))
		st[0] = descriptor(fd, e)
	case st[1] == getFlags:
		st[0] = uint64(uint32(o.Flags))
	default:
		st[0] = 0
	}
}

// getdents is __syscall_getdents64(fd, *entries, size); an entry has 280 bytes.
func getdents(p *Process, st []uint64) {
	const size, dirType, fileType = 280, 4, 8
	o := p.FS.FD(int32(st[0]))
	if o == nil {
		st[0] = negative(vfs.EBADF)
		return
	}
	if o.Ents == nil {
		o.Ents = append([]string{".", ".."}, p.FS.List(o.Name)...)
	}
	n := uint32(0)
	for o.Off/size < int64(len(o.Ents)) && n+size <= uint32(st[2]) {
		name := o.Ents[o.Off/size]
		b := p.Bytes(uint32(st[1])+n, size)
		clear(b)
		binary.LittleEndian.PutUint64(b, uint64(o.Off/size+1))
		binary.LittleEndian.PutUint64(b[8:], uint64(o.Off+size))
		binary.LittleEndian.PutUint16(b[16:], size)
		b[18] = fileType
		if ino, _ := p.FS.Lookup(path.Join(o.Name, name), false); ino != 0 && p.FS.File(ino).Kind == vfs.Dir {
			b[18] = dirType
		}
		copy(b[19:size-1], name)
		n += size
		o.Off += size
	}
	st[0] = uint64(n)
}

// fileTime is the time of every file: the server does not act on it.
const fileTime = 1700000000

// putStat fills Emscripten's struct stat.
func (p *Process) putStat(ino vfs.Ino, at uint32) {
	f := p.FS.File(ino)
	mode := uint32(f.Mode & fs.ModePerm)
	switch f.Kind {
	case vfs.Dir:
		mode |= 0o040000
	case vfs.Link:
		mode |= 0o120000
	case vfs.Regular:
		mode |= 0o100000
	default:
		mode |= 0o020000
	}
	b := p.Bytes(at, 96)
	clear(b)
	le := binary.LittleEndian
	le.PutUint32(b[0:], 1)
	le.PutUint32(b[4:], mode)
	le.PutUint32(b[8:], 1)
	le.PutUint64(b[24:], uint64(f.Size))
	le.PutUint32(b[32:], 4096)
	le.PutUint32(b[36:], uint32((f.Size+4095)/4096))
	for _, off := range []int{40, 56, 72} {
		le.PutUint64(b[off:], fileTime)
	}
	le.PutUint64(b[88:], uint64(ino))
}
