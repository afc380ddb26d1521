// Trees as bytes, for the cache: names and pages, equal pages once, with a checksum over all.

package vfs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
)

// ErrDamaged says that bytes are not a tree's, or not all of them.
var ErrDamaged = errors.New("the files' image is damaged")

const imageMagic = "txmc files 1\n"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Encode writes the tree: magic, length of the index, index, pages, checksum.
func (t *Tree) Encode() []byte {
	numbers := map[page]uint32{zeroPage: 0}
	var index, pages []byte
	for _, name := range t.Names() {
		f := t.File(name)
		index = appendString(index, name)
		index = append(index, byte(f.Kind))
		index = binary.AppendUvarint(index, uint64(f.Mode))
		index = appendString(index, f.Target)
		index = binary.AppendUvarint(index, uint64(f.Size))
		index = binary.AppendUvarint(index, uint64(len(f.pages)))
		for _, p := range f.pages {
			if p == nil {
				p = &zeroPage
			}
			n, ok := numbers[*p]
			if !ok {
				n = uint32(len(numbers))
				numbers[*p] = n
				pages = append(pages, p[:]...)
			}
			index = binary.AppendUvarint(index, uint64(n))
		}
	}
	b := binary.LittleEndian.AppendUint64([]byte(imageMagic), uint64(len(index)))
	b = append(append(b, index...), pages...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) number() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) text() string {
	n := d.number()
	if n > uint64(len(d.b)) {
		d.bad, d.b = true, nil
		return ""
	}
	s := string(d.b[:n])
	d.b = d.b[n:]
	return s
}

// Decode reads a tree. The tree's pages lie in b, which must not change any more.
func Decode(b []byte) (*Tree, error) {
	const frame = len(imageMagic) + 8 + 4
	if len(b) < frame || !bytes.HasPrefix(b, []byte(imageMagic)) {
		return nil, ErrDamaged
	}
	body, sum := b[:len(b)-4], binary.LittleEndian.Uint32(b[len(b)-4:])
	if crc32.Checksum(body, castagnoli) != sum {
		return nil, fmt.Errorf("%w: checksum", ErrDamaged)
	}
	body = body[len(imageMagic):]
	n := binary.LittleEndian.Uint64(body)
	body = body[8:]
	if n > uint64(len(body)) {
		return nil, ErrDamaged
	}
	d, pages := &decoder{b: body[:n]}, body[n:]
	t := &Tree{names: map[string]Ino{}, files: map[Ino]*File{}, next: 1}
	for len(d.b) > 0 {
		name := d.text()
		if f := d.file(pages); !d.bad {
			t.add(name, f)
		}
	}
	if d.bad {
		return nil, ErrDamaged
	}
	return t, nil
}

func (d *decoder) file(pages []byte) *File {
	f := &File{}
	if len(d.b) > 0 {
		f.Kind = Kind(d.b[0])
		d.b = d.b[1:]
	}
	f.Mode = fs.FileMode(d.number())
	f.Target = d.text()
	f.Size = int64(d.number())
	n := d.number()
	if n > uint64(len(d.b)) {
		d.bad = true
		return f
	}
	f.pages = make([]*page, n)
	for i := range f.pages {
		k := d.number()
		if k == 0 {
			continue
		}
		if k*PageSize > uint64(len(pages)) {
			d.bad = true
			return f
		}
		f.pages[i] = (*page)(pages[(k-1)*PageSize:])
	}
	return f
}
