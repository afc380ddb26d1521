// A process's memory: words, strings and bytes by address, and the calls that make it larger.
//
// All accessors take addresses that the program gave. One outside of memory is a fault of the
// program, reported as the panic and error Abort.

package emscripten

import (
	"encoding/binary"
	"fmt"

	"github.com/txmc/txmc/pg/engine/vfs"
)

// Bytes is a piece of memory itself, not a copy. It is good until the program runs again.
func (p *Process) Bytes(at, n uint32) []byte {
	b := p.memory.bytes
	if uint64(at)+uint64(n) > uint64(len(b)) {
		panic(Abort{fmt.Sprintf("address %#x+%d lies outside of memory", at, n)})
	}
	return b[at : at+n : at+n]
}

// Word reads 32 bits.
func (p *Process) Word(at uint32) uint32 { return binary.LittleEndian.Uint32(p.Bytes(at, 4)) }

// Half reads 16 bits.
func (p *Process) Half(at uint32) uint16 { return binary.LittleEndian.Uint16(p.Bytes(at, 2)) }

// Byte reads 8 bits.
func (p *Process) Byte(at uint32) byte { return p.Bytes(at, 1)[0] }

// PutWord writes 32 bits.
func (p *Process) PutWord(at, v uint32) { binary.LittleEndian.PutUint32(p.Bytes(at, 4), v) }

// PutLong writes 64 bits.
func (p *Process) PutLong(at uint32, v uint64) { binary.LittleEndian.PutUint64(p.Bytes(at, 8), v) }

// PutByte writes 8 bits.
func (p *Process) PutByte(at uint32, v byte) { p.Bytes(at, 1)[0] = v }

// String reads a string that ends with a zero byte.
func (p *Process) String(at uint32) string {
	for n := uint32(0); ; n++ {
		if p.Byte(at+n) == 0 {
			return string(p.Bytes(at, n))
		}
	}
}

// MemorySize is the size of memory in bytes.
func (p *Process) MemorySize() uint32 { return uint32(len(p.memory.bytes)) }

// grow makes memory at least so large.
func (p *Process) grow(size uint64) bool {
	have := uint64(p.MemorySize())
	if size <= have {
		return true
	}
	_, ok := p.mod.Memory().Grow(uint32((size - have + pageSize - 1) / pageSize))
	return ok
}

var memoryCalls = map[string]func(*Process, []uint64){
	"emscripten_get_heap_max": func(_ *Process, st []uint64) { st[0] = maxPages*pageSize - pageSize },
	"emscripten_resize_heap": func(p *Process, st []uint64) {
		ok := p.grow(uint64(uint32(st[0])))
		st[0] = 0
		if ok {
			st[0] = 1
		}
	},
	"_mmap_js":   mmap,
	"_munmap_js": succeed,
}

// mmap is _mmap_js(len, prot, flags, fd, offset, *allocated, *addr): a copy of the file's part.
func mmap(p *Process, st []uint64) {
	size := (uint64(uint32(st[0])) + pageSize - 1) &^ (pageSize - 1)
	at := uint32(p.Must("emscripten_builtin_memalign", pageSize, size))
	if at == 0 {
		st[0] = negative(vfs.ENOMEM)
		return
	}
	b := p.Bytes(at, uint32(size))
	clear(b)
	if o := p.FS.FD(int32(st[3])); o != nil {
		p.FS.ReadAt(o.Ino, b, int64(st[4]))
	}
	p.PutWord(uint32(st[5]), 1)
	p.PutWord(uint32(st[6]), at)
	st[0] = 0
}
