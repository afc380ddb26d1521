//go:build unix

// Images of memory: files without a name, sparse where memory is zero.
//
// A process that was started from an image and that keeps another one has changed a tenth of its pages. The new
// image then is the pages that differ, in a file of its own, above the files of the first: it takes a tenth of
// the time and of the room. Where more differs, or in too many parts, an image is one file with all pages.

package emscripten

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// image is the content of memory at some time. It does not change.
type image struct {
	view  []byte // the layers mapped to be read
	size  uint32
	held  int64  // bytes in the top layer
	spans []span // the parts that are not zero

	layers   []*layer // each hides what those before it have at its parts; the first one's part is all that it has
	mappings int64    // that the view takes at most
}

// mappings are those of all views. Processes that are started from the images take as many each.
var mappings atomic.Int64

// span is a part of memory, of whole pages.
type span struct{ from, to int }

// layer is a file with parts of memory, at the places that they have there.
type layer struct {
	file   *os.File
	parts  []span
	images atomic.Int32 // that have it; the last one closes the file
}

const (
	imagePage = 4096 // the unit in which zeros and what is the same are left out
	// maxParts bounds the parts of an image's layers: each is a mapping in each process, and so is what lies
	// between two.
	maxParts = 128
	// maxMappings bounds the mappings of all views. Beyond it images are files with all pages: systems allow a process
	// some sixty thousand mappings (vm.max_map_count of Linux), and those of processes come to them.
	maxMappings = 12_000
	// near is the room between pages that differ that does not end a part.
	near = 4 * imagePage
)

// newImage keeps what memory has now.
func newImage(of *memory) (*image, error) {
	m := &image{size: uint32(len(of.bytes))}
	if err := m.keep(of); err != nil {
		return nil, errors.Join(err, m.close())
	}
	return m, nil
}

func (m *image) keep(of *memory) (err error) {
	top := &layer{}
	if parts, ok := of.differing(); ok {
		m.layers, m.spans = append(m.layers, of.image.layers...), union(append(parts, of.image.spans...))
		top.parts = parts
	} else {
		m.spans = of.filled()
		top.parts = m.spans
	}
	for _, l := range m.layers {
		l.images.Add(1)
	}
	if err := top.fill(of.bytes); err != nil {
		return err
	}
	for _, s := range top.parts {
		m.held += int64(s.to - s.from)
	}
	if len(m.layers) == 0 { // one mapping has all, and zeros where the file has nothing
		top.parts = []span{{0, len(of.bytes)}}
	}
	m.layers = append(m.layers, top)
	m.mappings = mappingsOf(m.layers)
	mappings.Add(m.mappings)
	if m.view, err = unix.Mmap(-1, 0, len(of.bytes), unix.PROT_READ, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE); err != nil {
		return err
	}
	return m.mapAt(m.view, unix.PROT_READ, unix.MAP_SHARED)
}

// fill makes the layer's file. A layer without a file is nobody's.
func (l *layer) fill(from []byte) error {
	f, err := anonymousFile()
	if err != nil {
		return err
	}
	err = f.Truncate(int64(len(from)))
	for _, s := range l.parts {
		if err == nil {
			_, err = f.WriteAt(from[s.from:s.to], int64(s.from))
		}
	}
	if err != nil {
		return errors.Join(fmt.Errorf("writing a file without a name: %w", err), f.Close())
	}
	l.file = f
	l.images.Store(1)
	return nil
}

// mapAt maps the image to a place, which has room for it.
func (m *image) mapAt(place []byte, prot, flags int) error {
	if first := m.layers[0].parts[0].to; first < int(m.size) {
		if err := mapAt(place, span{first, int(m.size)}, prot, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE, nil); err != nil {
			return err
		}
	}
	for _, l := range m.layers {
		for _, part := range l.parts {
			if err := mapAt(place, part, prot, flags, l.file); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *image) close() (err error) {
	mappings.Add(-m.mappings)
	m.mappings = 0
	if m.view != nil {
		err = unix.Munmap(m.view)
	}
	for _, l := range m.layers {
		if l.images.Add(-1) == 0 {
			err = errors.Join(err, l.file.Close())
		}
	}
	return err
}

// filled are the parts of memory that are not zero.
func (m *memory) filled() (list []span) {
	for _, r := range m.used() {
		for at := r.from; at < r.to; at += imagePage {
			if !bytes.Equal(m.bytes[at:at+imagePage], zeroPage[:]) {
				list = spanned(list, at, 0)
			}
		}
	}
	return list
}

// differing are parts outside of which memory is what the mapped image has. It is false where that
// is not known, or an image with all of memory is better.
func (m *memory) differing() (list []span, ok bool) {
	if m.image == nil || int(m.image.size) > len(m.bytes) {
		return nil, false
	}
	own, ok := m.own()
	if !ok {
		return nil, false
	}
	pages := 0
	for _, r := range own {
		for at := r.from; at < r.to; at += imagePage {
			was := zeroPage[:]
			if at < int(m.image.size) {
				was = m.image.view[at : at+imagePage]
			}
			if !bytes.Equal(m.bytes[at:at+imagePage], was) {
				list = spanned(list, at, near)
				pages++
			}
		}
	}
	many := mappingsOf(m.image.layers) + 2*int64(len(list))
	all := 0
	for _, s := range m.image.spans {
		all += (s.to - s.from) / imagePage
	}
	return list, many <= 2*maxParts && many+mappings.Load() <= maxMappings && pages <= all/3
}

// mappingsOf is how many mappings layers take at most.
func mappingsOf(layers []*layer) (n int64) {
	for _, l := range layers {
		n += 2 * int64(len(l.parts))
	}
	return n
}

var zeroPage [imagePage]byte

// spanned adds a page to spans that end before it, to the last one if there is only so much between them.
func spanned(spans []span, at, between int) []span {
	if n := len(spans); n > 0 && spans[n-1].to+between >= at {
		spans[n-1].to = at + imagePage
		return spans
	}
	return append(spans, span{at, at + imagePage})
}
