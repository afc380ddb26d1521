package check

import "slices"

// builder makes a form, transaction by transaction, chain by chain.
type builder struct{ f *form }

// newBuilder begins a form with the initial transaction, which precedes all
// others when init.
func newBuilder(keys int, init bool) *builder {
	return &builder{&form{n: 1, keys: keys, init: init, chaining: chaining{chain: []int32{0}, start: []int32{0}, prev: []int32{-1}},
		accesses: accesses{readOff: []int32{0, 0}, writeOff: []int32{0, 0}}}}
}

// begin begins a transaction, of a new chain or the same as the last; after tells
// whether it follows that one in session order.
func (b *builder) begin(newChain, after bool) {
	f := b.f
	t := int32(f.n)
	f.n++
	if newChain {
		f.start = append(f.start, t)
	}
	switch {
	case !newChain && after:
		f.prev = append(f.prev, t-1)
	case f.init:
		f.prev = append(f.prev, 0)
	default:
		f.prev = append(f.prev, -1)
	}
	f.chain = append(f.chain, int32(len(f.start)-1))
	f.readOff = append(f.readOff, int32(len(f.reads)))
	f.writeOff = append(f.writeOff, int32(len(f.writes)))
}

// read adds a read to the last transaction, in program order.
func (b *builder) read(key, from int32) {
	b.f.reads = append(b.f.reads, read{key, from})
	b.f.readOff[b.f.n] = int32(len(b.f.reads))
}

// write adds a key that the last transaction writes; it may be added before.
func (b *builder) write(key int32) {
	f := b.f
	own := f.writes[f.writeOff[f.n-1]:]
	if i, ok := slices.BinarySearch(own, key); !ok {
		f.writes = slices.Insert(f.writes, int(f.writeOff[f.n-1])+i, key)
		f.writeOff[f.n] = int32(len(f.writes))
	}
}

// end returns the form.
func (b *builder) end() *form {
	b.f.start = append(b.f.start, int32(b.f.n))
	return b.f
}
