//go:build unix

// The place of a process's memory on Unix: addresses reserved for the largest size, backed as they are used.
// Snapshots are files without a name that are mapped copy-on-write: see image.

package emscripten

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"unsafe"

	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/unix"
)

// memory is a process's linear memory. It never moves.
type memory struct {
	all     []byte // everything reserved
	bytes   []byte // the part that the program has
	image   *image // what is mapped below it; nil: nothing
	tracker tracker
}

func newMemory() (*memory, error) {
	b, err := unix.Mmap(-1, 0, maxPages*pageSize, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("reserving memory: %w", err)
	}
	return &memory{all: b}, nil
}

// Allocate implements experimental.MemoryAllocator.
func (m *memory) Allocate(_, _ uint64) experimental.LinearMemory { return m }

// Reallocate implements experimental.LinearMemory.
func (m *memory) Reallocate(n uint64) []byte {
	if n > uint64(len(m.all)) {
		return nil
	}
	m.bytes = m.all[:n:len(m.all)]
	return m.bytes
}

// Free implements experimental.LinearMemory.
func (m *memory) Free() {
	m.tracker.close()
	if m.all != nil {
		unix.Munmap(m.all)
		m.all, m.bytes = nil, nil
	}
}

// used are the parts of memory, in order, outside of which it is zero: looking at all of it would make the system
// back it.
func (m *memory) used() []span {
	all, ok := m.own()
	if !ok {
		return []span{{0, len(m.bytes)}}
	}
	if m.image != nil {
		all = append(all, m.image.spans...)
	}
	return union(all)
}

// own are the parts of memory that are not the mapped image's, if that is known.
func (m *memory) own() ([]span, bool) {
	regions, ok := m.tracker.own(m.bytes, len(m.bytes)/imagePage)
	var all []span
	base := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(m.all))))
	for _, r := range regions {
		all = append(all, span{int(r.start - base), int(r.end - base)})
	}
	return all, ok
}

// union merges spans that overlap.
func union(all []span) []span {
	slices.SortFunc(all, func(a, b span) int { return a.from - b.from })
	var out []span
	for _, s := range all {
		if n := len(out); n > 0 && s.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, s.to)
			continue
		}
		out = append(out, s)
	}
	return out
}

// restore makes memory the image again, with zeros behind it.
func (m *memory) restore(to *image) error {
	size := int(to.size)
	if m.image != to || m.putBack(to, size) != nil {
		if err := to.mapAt(m.all, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE); err != nil {
			return err
		}
		m.image = to
	}
	if rest := len(m.bytes) - size; rest > 0 {
		return mapAt(m.all, span{size, len(m.bytes)}, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE, nil)
	}
	return nil
}

// mapAt maps a part of a file, or with nil zeros, to the same part of a place.
func mapAt(place []byte, part span, prot, flags int, file *os.File) error {
	fd := -1
	if file != nil {
		fd = int(file.Fd())
	}
	at := unsafe.Add(unsafe.Pointer(unsafe.SliceData(place)), part.from)
	got, err := unix.MmapPtr(fd, int64(part.from), at, uintptr(part.to-part.from), prot, flags|unix.MAP_FIXED)
	if err == nil && got != at {
		err = errors.New("memory was mapped elsewhere")
	}
	return err
}
