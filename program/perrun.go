package program

import "sync"

// PerRun is what a database keeps of each run of a session in a call of the Explore
// function. Several may have begun there: one after the other, and one while another is at
// one of its operations. The zero PerRun is empty.
type PerRun[T any] struct{ kept sync.Map }

// Of returns what is kept of the run of b.
func (p *PerRun[T]) Of(b *Backend) (v T, ok bool) {
	kept, ok := p.kept.Load(b.run)
	if ok {
		v = kept.(T)
	}
	return v, ok
}

// Keep keeps v until the run of b ends.
func (p *PerRun[T]) Keep(b *Backend, v T) {
	p.kept.Store(b.run, v)
	b.AtEnd(func() { p.kept.Delete(b.run) })
}
