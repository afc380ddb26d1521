package states

import (
	"encoding/base64"
	"encoding/binary"
	"sync"

	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation/model"
)

// visited is a set of keys that all workers share: of the states that were visited,
// or of the outcomes that were met. Keys are hashes, so that a key is its own place in
// the table. It is divided into parts, each with a lock of its own.
type visited struct{ parts [visitedParts]visitedPart }

const visitedParts = 64

// visitedPart is a table with open addressing and linear probing (Knuth, The Art of
// Computer Programming 3, section 6.4, algorithm L). The zero key stands for a place
// that is free; it is never in a table, see index.
type visitedPart struct {
	mu    sync.Mutex
	table []model.Key // its length is a power of 2
	used  int
	_     [88]byte // parts lie apart in the caches of processors
}

// add puts a key into the set. It reports false when the set has it already.
func (v *visited) add(k model.Key) bool {
	k[0] |= 1 // so that it is not zero: a bit less than the hash has
	p := &v.parts[k[1]%visitedParts]
	p.mu.Lock()
	defer p.mu.Unlock()
	if 8*(p.used+1) > 7*len(p.table) {
		p.grow()
	}
	if !p.put(k) {
		return false
	}
	p.used++
	return true
}

func (p *visitedPart) put(k model.Key) bool {
	mask := uint64(len(p.table) - 1)
	for i := k[0] >> 1; ; i++ {
		switch at := &p.table[i&mask]; *at {
		case model.Key{}:
			*at = k
			return true
		case k:
			return false
		}
	}
}

func (p *visitedPart) grow() {
	old := p.table
	p.table = make([]model.Key, max(16, 2*len(old)))
	for _, k := range old {
		if k != (model.Key{}) {
			p.put(k)
		}
	}
}

// remove takes a key off the set.
func (v *visited) remove(k model.Key) {
	k[0] |= 1
	p := &v.parts[k[1]%visitedParts]
	p.mu.Lock()
	defer p.mu.Unlock()
	old := p.table
	p.table, p.used = make([]model.Key, len(old)), 0
	for _, other := range old {
		if other != (model.Key{}) && other != k {
			p.put(other)
			p.used++
		}
	}
}

// len is the number of keys.
func (v *visited) len() (n int) {
	for i := range v.parts {
		p := &v.parts[i]
		p.mu.Lock()
		n += p.used
		p.mu.Unlock()
	}
	return n
}

// keyBytes is the length of a key in a text.
const keyBytes = 16

// text is the set in base 64: each key as two numbers of 64 bits, the low byte first.
func (v *visited) text() string {
	data := make([]byte, 0, keyBytes*v.len())
	for i := range v.parts {
		for _, k := range v.parts[i].table {
			if k != (model.Key{}) {
				data = binary.LittleEndian.AppendUint64(data, k[0])
				data = binary.LittleEndian.AppendUint64(data, k[1])
			}
		}
	}
	return base64.StdEncoding.EncodeToString(data)
}

// read is the inverse of text.
func (v *visited) read(text string) error {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(data)%keyBytes != 0 {
		return work.Misfit("a set of keys is not one")
	}
	for ; len(data) > 0; data = data[keyBytes:] {
		v.add(model.Key{binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint64(data[8:])})
	}
	return nil
}
