// Sequences: the server has its own, and hooks that share them among instances say which numbers others have had.

package engine

import "github.com/txmc/txmc/pg/engine/emscripten"

// onNext is told of nextval_internal(sequence, …).
func onNext(p *emscripten.Process, st []uint64) {
	x, ok := p.Owner.(*Instance)
	if !ok || x.injecting > 0 {
		return
	}
	h, ok := x.hooks.(StatementHooks)
	if !ok {
		return
	}
	sequence := st[0]
	skip := h.Next(&x.call, OID(sequence))
	x.injecting++
	defer func() { x.injecting-- }()
	for range skip {
		p.Must("nextval_internal", sequence, 0)
	}
}

// onSetSequence is told of setval(sequence, …).
func onSetSequence(p *emscripten.Process, _ []uint64) {
	x, ok := p.Owner.(*Instance)
	if !ok {
		return
	}
	if h, ok := x.hooks.(StatementHooks); ok {
		h.Utility(&x.call, "setval")
	}
}
