package dpor

import "github.com/txmc/txmc/semantics"

// An orbit is a set of histories that permutations of sessions turn into each other.
// The serial engine outputs one of them: the first that it would come to. The engine
// decides step by step: what the next transaction of a session reads, or that it is
// skipped. So a complete history is a list of decisions, and lists are compared
// decision by decision: positions of writers in the order of the reads, and skipping is
// the greatest. The history is output when no permutation makes a history with a
// smaller list of it.
//
// Each prefix of the list decides about some images. A smaller image ends the search there. A
// greater one is not compared any more. The others are compared further on. At a complete
// history the images that are left are equal to it: so the size of its orbit is known.
// docs/symmetry.md has the argument.

// decision is what was decided of a transaction: its position in the history, or that
// its session was skipped.
type decision struct {
	session, index int32
	base           int32 // transactions in the history then
	txn            int32 // -1: skipped
}

// image is a permutation of the present history, whose decisions are equal to the
// history's before number next.
type image struct{ perm, next int32 }

// least compares the decisions that have led to a history with those of its images.
type least struct {
	*group // nil: nothing is compared
	taken  []decision
	images []image // after each decision those that are left, on top of those before
	begins []int32 // by decision, and of none: where they begin
	ended  int     // transactions of the history that are known to the end
}

// reset begins at the initial history.
func (l *least) reset(g *group) {
	l.group = g
	l.taken, l.images, l.begins = l.taken[:0], l.images[:0], l.begins[:0]
	if g == nil {
		return
	}
	l.begins = append(l.begins, 0)
	for i := range g.perms {
		l.images = append(l.images, image{perm: int32(i)})
	}
}

// continueFrom begins where g is after n decisions, in the history h, which may be
// a part of g's.
func (l *least) continueFrom(g *least, n int, h *semantics.Ordered) {
	l.reset(g.group)
	if l.group == nil {
		return
	}
	l.taken = append(l.taken, g.taken[:n]...)
	l.ended = h.Ended()
	left := l.images[:0]
	for _, m := range l.images {
		if l.compare(h, &m) == undecided {
			left = append(left, m)
		}
	}
	l.images = left
	for range n {
		l.begins = append(l.begins, 0)
	}
}

// copyFrom makes l what g is now; what g was before is not needed any more.
func (l *least) copyFrom(g *least) {
	l.group = g.group
	l.taken, l.images, l.begins = l.taken[:0], l.images[:0], l.begins[:0]
	if g.group == nil {
		return
	}
	l.taken, l.images = append(l.taken, g.taken...), append(l.images, g.present()...)
	for range len(g.taken) + 1 {
		l.begins = append(l.begins, 0)
	}
}

// present returns the images that are left.
func (l *least) present() []image { return l.images[l.begins[len(l.taken)]:] }

// add adds a decision. If there is a pending transaction it has made all its reads. It
// reports false, and takes nothing, when an image is smaller.
func (l *least) add(h *semantics.Ordered, d decision) bool {
	if l.group == nil {
		return true
	}
	from, to := int(l.begins[len(l.taken)]), len(l.images)
	l.taken = append(l.taken, d)
	l.ended = h.Len()
	for i := from; i < to; i++ {
		m := l.images[i]
		switch l.compare(h, &m) {
		case smaller:
			l.images, l.taken = l.images[:to], l.taken[:len(l.taken)-1]
			return false
		case undecided:
			l.images = append(l.images, m)
		}
	}
	l.begins = append(l.begins, int32(to))
	return true
}

// undo takes back the decisions after the first n.
func (l *least) undo(n int) {
	if l.group == nil || n == len(l.taken) {
		return
	}
	l.images = l.images[:l.begins[n+1]]
	l.begins, l.taken = l.begins[:n+1], l.taken[:n]
}

// orbit is the number of histories that permutations make of the complete history.
func (l *least) orbit() int64 {
	if l.group == nil {
		return 1
	}
	return l.order() / int64(len(l.present())+1)
}

// comparison of an image with the history.
type comparison int8

const (
	undecided comparison = iota // or equal, as far as decisions were taken
	smaller
	greater
)

// compare goes on comparing an image.
func (l *least) compare(h *semantics.Ordered, m *image) comparison {
	p := &l.perms[m.perm]
	for ; int(m.next) < len(l.taken); m.next++ {
		d := &l.taken[m.next]
		if d.txn >= 0 {
			if from, to := h.ReadsOf(int(d.txn)); from == to {
				continue // there was nothing to decide
			}
		}
		t := h.Place(p.from[d.session], d.index)
		if t < 0 || t >= l.ended {
			switch {
			case !l.skips(h, p, d):
				return undecided
			case d.txn >= 0:
				return greater
			}
			continue
		}
		if c := p.against(h, d, t); c != undecided {
			return c
		}
	}
	return undecided
}

// skips reports whether the image of a transaction that is not there yet is known to
// skip where the decision was taken. It is known when the image's session was skipped
// at a history. That history must have all transactions that the image has at the
// decision.
func (l *least) skips(h *semantics.Ordered, p *permutation, d *decision) bool {
	base := l.skippedAt(p.from[d.session], d.index)
	for t := int32(1); base > 0 && t < d.base; t++ {
		log := &h.Txns[t]
		if u := h.Place(p.from[log.Session], log.Index); u < 0 || u >= base {
			return false
		}
	}
	return base > 0
}

// skippedAt is for transaction i of session s, if its session was skipped: it is the number
// of transactions that there were at the last such decision. Without one it is 0.
func (l *least) skippedAt(s, i int32) int {
	for k := len(l.taken) - 1; k >= 0; k-- {
		if d := &l.taken[k]; d.txn < 0 && d.session == s && d.index == i {
			return int(d.base)
		}
	}
	return 0
}

// against compares the decision with the one that the image takes there: transaction
// t, permuted. It is undecided when they are equal.
func (p *permutation) against(h *semantics.Ordered, d *decision, t int) comparison {
	order := undecided
	at, end := 0, 0
	if d.txn >= 0 {
		at, end = h.ReadsOf(int(d.txn))
	}
	from, to := h.ReadsOf(t)
	for _, r := range h.Reads[from:to] {
		writer := p.position(h, r.From)
		if writer < 0 || writer >= int(d.base) { // the image skips
			if d.txn < 0 {
				return undecided
			}
			return greater
		}
		if order == undecided && at < end {
			switch own := int(h.Reads[at].From); {
			case writer < own:
				order = smaller
			case writer > own:
				order = greater
			}
			at++
		}
	}
	if d.txn < 0 {
		return smaller
	}
	return order
}

// position is the position of the transaction that takes the place of the one at position
// t, or -1.
func (p *permutation) position(h *semantics.Ordered, t int32) int {
	if t == 0 {
		return 0
	}
	log := &h.Txns[t]
	return h.Place(p.to[log.Session], log.Index)
}
