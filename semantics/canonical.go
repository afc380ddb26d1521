package semantics

import "encoding/binary"

// canonicalVersion is the first byte of a canonical form.
const canonicalVersion = 1

// AppendCanonical appends the canonical form of h. Two histories of a client program
// have the same form exactly when they are equal: they have the same transaction
// logs, session order and write-read relation. Names, error messages and source lines
// are left out: the reads determine them. Variables and values stand as their numbers
// in the program's tables.
func AppendCanonical(b []byte, h *History) []byte {
	b = append(b, canonicalVersion)
	b = binary.AppendVarint(b, int64(h.Sessions))
	b = binary.AppendVarint(b, int64(h.Final))
	b = binary.AppendVarint(b, int64(len(h.Txns)))
	for i := range h.Txns {
		t := &h.Txns[i]
		b = binary.AppendVarint(b, int64(t.Session))
		b = binary.AppendVarint(b, int64(t.Index))
		b = append(b, byte(t.Status))
		b = binary.AppendVarint(b, int64(len(t.Events)))
		for _, e := range t.Events {
			b = append(b, byte(e.Kind))
			b = binary.AppendVarint(b, int64(e.Var))
			b = binary.AppendVarint(b, int64(e.Val))
			b = binary.AppendVarint(b, int64(e.From))
		}
	}
	return b
}
