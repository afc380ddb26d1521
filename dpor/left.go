package dpor

import (
	"encoding/binary"

	"github.com/txmc/txmc/isolation/postgres"
)

// appendLeft appends what the tables of an executor are left with to a key.
func appendLeft(key []byte, r *postgres.Rows) []byte {
	for t := range r.Tables() {
		left := r.Left(t)
		key = binary.AppendUvarint(key, uint64(len(left)))
		for _, v := range left {
			key = binary.AppendUvarint(key, uint64(v))
		}
	}
	return key
}
