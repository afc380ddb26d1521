package statement

import "encoding/binary"

// Pasts numbers the sequences of results that sessions have seen. A sequence
// is a node of a tree, and a model's state holds the node's number: copying a
// state copies an integer, and equal numbers are equal sequences. Number 0 is
// the empty sequence. Pasts only grow; one goroutine may use them at a time.
type Pasts struct {
	nodes []past
	next  map[string]int32
	key   []byte
}

type past struct {
	before int32
	result Result
}

// NewPasts returns the numbering that knows the empty sequence.
func NewPasts() *Pasts {
	return &Pasts{nodes: []past{{before: -1}}, next: map[string]int32{}}
}

// Append is the number of the sequence with a result more.
func (p *Pasts) Append(before int32, r Result) int32 {
	p.key = appendResult(binary.AppendVarint(p.key[:0], int64(before)), r)
	if n, known := p.next[string(p.key)]; known {
		return n
	}
	n := int32(len(p.nodes))
	p.nodes = append(p.nodes, past{before, r})
	p.next[string(p.key)] = n
	return n
}

// appendResult encodes a result so that different results differ.
func appendResult(b []byte, r Result) []byte {
	b = append(b, byte(r.Kind))
	switch r.Kind {
	case Rows:
		for _, row := range r.Rows {
			b = binary.AppendVarint(b, int64(row.ID))
			b = binary.AppendVarint(b, int64(row.V))
		}
	case Failed:
		b = append(b, r.Code...)
	default:
		b = binary.AppendVarint(b, int64(r.N))
		b = binary.AppendVarint(b, int64(r.Sum))
	}
	return b
}

// Results lists the results of a sequence, oldest first.
func (p *Pasts) Results(n int32) []Result {
	var out []Result
	for ; n > 0; n = p.nodes[n].before {
		out = append(out, p.nodes[n].result)
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// Texts is Results as text.
func (p *Pasts) Texts(n int32) []string {
	rs := p.Results(n)
	out := make([]string, len(rs))
	for i, r := range rs {
		out[i] = r.String()
	}
	return out
}
