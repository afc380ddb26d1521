package orbit

import (
	"encoding/binary"
	"iter"
	"slices"

	"github.com/txmc/txmc/semantics"
)

// Names yields the names of a history and of those that permutations make of it.
func (y *Symmetry) Names(h *semantics.History) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !yield(Name(h)) || y == nil {
			return
		}
		for i := range y.group.perms {
			if !yield(named(h, &y.group.perms[i])) {
				return
			}
		}
	}
}

// Name is a text that stands for a history: reads by their writers, in order. What the
// sessions do follows from that.
func Name(h *semantics.History) string { return named(h, nil) }

// named is the name of a history that is permuted, unless p is nil.
func named(h *semantics.History, p *permutation) string {
	name := func(s int) int { return s }
	if p != nil {
		name = func(s int) int { return int(p.to[s]) }
	}
	sessions := make([][]byte, h.Sessions)
	for i := range h.Txns[1:] {
		t := &h.Txns[1+i]
		text := &sessions[name(t.Session)]
		for _, e := range t.Events {
			if e.Kind != semantics.Read || e.From == semantics.Own {
				continue
			}
			writer := &h.Txns[e.From]
			if e.From == 0 {
				*text = binary.AppendVarint(*text, -1)
				continue
			}
			*text = binary.AppendVarint(*text, int64(name(writer.Session)))
			*text = binary.AppendVarint(*text, int64(writer.Index))
		}
		*text = binary.AppendVarint(*text, -2)
	}
	for i := range sessions {
		sessions[i] = binary.AppendVarint(sessions[i], -3)
	}
	return string(slices.Concat(sessions...))
}
