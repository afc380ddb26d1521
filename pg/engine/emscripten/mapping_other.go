//go:build !unix

// The place of a process's memory on systems without POSIX's mappings: a slice, and copies.

package emscripten

import (
	"bytes"

	"github.com/tetratelabs/wazero/experimental"
)

type memory struct{ all, bytes []byte }

// otherPages bounds memory here: it is allocated at once.
const otherPages = 8192

func newMemory() (*memory, error) { return &memory{all: make([]byte, otherPages*pageSize)}, nil }

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
func (m *memory) Free() { m.all, m.bytes = nil, nil }

// image is the content of memory at some time: the pages that are not zero.
type image struct {
	pages map[int][]byte
	size  uint32
	held  int64
}

var zeros [pageSize]byte

func newImage(of *memory) (*image, error) {
	mem := of.bytes
	m := &image{pages: map[int][]byte{}, size: uint32(len(mem))}
	for at := 0; at < len(mem); at += pageSize {
		if p := mem[at : at+pageSize]; !bytes.Equal(p, zeros[:]) {
			m.pages[at] = bytes.Clone(p)
			m.held += pageSize
		}
	}
	return m, nil
}

func (m *image) close() error { return nil }

func (m *memory) restore(to *image) error {
	for at := 0; at < len(m.bytes); at += pageSize {
		p, was := m.bytes[at:at+pageSize], to.pages[at]
		if was == nil {
			was = zeros[:]
		}
		if !bytes.Equal(p, was) {
			copy(p, was)
		}
	}
	return nil
}
