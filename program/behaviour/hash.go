package behaviour

import (
	"crypto/sha256"
	"encoding/binary"
	"reflect"
)

// Hash names an answer, or a sequence of them.
type Hash [16]byte

// HashOf is the hash of a text.
func HashOf(text []byte) Hash {
	sum := sha256.Sum256(text)
	return Hash(sum[:16])
}

// Hash names a value, or an answer that is none.
func (t *Values) Hash(id ValueID) Hash {
	if id < 0 {
		return HashOf(binary.AppendVarint([]byte{0}, int64(id)))
	}
	if known, ok := t.hashes.Load(id); ok {
		return known.(Hash)
	}
	most := int(^uint(0) >> 1)
	e := encoder{forms: t.forms, buf: []byte{1}, most: most, limit: most}
	if v := t.Get(id); v != nil {
		if err := e.dynamic(reflect.ValueOf(v), 0); err != nil {
			panic(err) // it has been stored
		}
	}
	sum := HashOf(e.buf)
	t.hashes.Store(id, sum)
	return sum
}
