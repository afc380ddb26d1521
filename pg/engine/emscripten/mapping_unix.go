//go:build unix

// The place of a process's memory on Unix: addresses reserved for the largest size, backed as they are used.
// Snapshots are files without a name that are mapped copy-on-write.

package emscripten

import (
	"bytes"
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

// image is the content of memory at some time.
type image struct {
	file  *os.File
	view  []byte // the file mapped to be read
	size  uint32
	held  int64
	spans []span // the parts that are not zero
}

// span is a part of memory, of whole pages.
type span struct{ from, to int }

func newImage(of *memory) (*image, error) {
	f, err := anonymousFile()
	if err != nil {
		return nil, err
	}
	mem := of.bytes
	m := &image{file: f, size: uint32(len(mem))}
	if err := m.fill(of); err != nil {
		f.Close()
		return nil, err
	}
	if m.view, err = unix.Mmap(int(f.Fd()), 0, len(mem), unix.PROT_READ, unix.MAP_SHARED); err != nil {
		f.Close()
		return nil, err
	}
	return m, nil
}

// imagePage is the unit in which zeros are left out.
const imagePage = 4096

func (m *image) fill(of *memory) error {
	if err := m.file.Truncate(int64(m.size)); err != nil {
		return err
	}
	for _, r := range of.used() {
		for at := r.from; at < r.to; at += imagePage {
			if !bytes.Equal(of.bytes[at:at+imagePage], zeroPage[:]) {
				m.spans = spanned(m.spans, at)
			}
		}
	}
	for _, s := range m.spans {
		m.held += int64(s.to - s.from)
		if _, err := m.file.WriteAt(of.bytes[s.from:s.to], int64(s.from)); err != nil {
			return err
		}
	}
	return nil
}

var zeroPage [imagePage]byte

// spanned adds a page to spans that end before it.
func spanned(spans []span, at int) []span {
	if n := len(spans); n > 0 && spans[n-1].to == at {
		spans[n-1].to += imagePage
		return spans
	}
	return append(spans, span{at, at + imagePage})
}

// used are the parts of memory, in order, outside of which it is zero: looking at all of it would make the system
// back it.
func (m *memory) used() []span {
	regions, ok := m.tracker.own(m.bytes, len(m.bytes)/imagePage)
	if !ok {
		return []span{{0, len(m.bytes)}}
	}
	var all []span
	base := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(m.all))))
	for _, r := range regions {
		all = append(all, span{int(r.start - base), int(r.end - base)})
	}
	if m.image != nil {
		all = append(all, m.image.spans...)
	}
	return union(all)
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

func (m *image) close() error { return errors.Join(unix.Munmap(m.view), m.file.Close()) }

// restore makes memory the image again, with zeros behind it.
func (m *memory) restore(to *image) error {
	size := int(to.size)
	if m.image != to || m.putBack(to, size) != nil {
		if err := m.remap(0, size, unix.MAP_PRIVATE|unix.MAP_FIXED, int(to.file.Fd())); err != nil {
			return err
		}
		m.image = to
	}
	if rest := len(m.bytes) - size; rest > 0 {
		return m.remap(size, rest, unix.MAP_PRIVATE|unix.MAP_FIXED|unix.MAP_ANON|unix.MAP_NORESERVE, -1)
	}
	return nil
}

func (m *memory) remap(at, n, flags, fd int) error {
	base := unsafe.Pointer(unsafe.SliceData(m.all))
	got, err := unix.MmapPtr(fd, 0, unsafe.Add(base, at), uintptr(n), unix.PROT_READ|unix.PROT_WRITE, flags)
	if err == nil && got != unsafe.Add(base, at) {
		err = errors.New("memory was mapped elsewhere")
	}
	return err
}
