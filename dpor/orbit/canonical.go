package orbit

import (
	"errors"

	"github.com/txmc/txmc/semantics"
)

// An orbit is a set of histories that permutations of sessions turn into each other.
// The serial engine outputs one of them: the first that it would come to. The engine
// decides step by step: what the next transaction of a session reads, or that it is
// skipped. So a complete history is a list of decisions, and lists are compared
// decision by decision: positions of writers in the order of the reads, and skipping is
// the greatest. The history is output when no permutation makes a history with a
// smaller list of it.
//
// Each prefix of the list decides about some permuted histories. A smaller one ends the search there. A
// greater one is not compared any more. The others are compared further on. At a complete
// history the permuted histories that are left are equal to it: so the size of its orbit is known.
// docs/symmetry.md has the argument.

// decision is what was decided of a transaction: its position in the history, or that
// its session was skipped.
type decision struct {
	session, index int32
	base           int32 // transactions in the history then
	txn            int32 // -1: skipped
}

// permuted is a permutation of the present history, whose decisions are equal to the
// history's before number next.
type permuted struct{ perm, next int32 }

// Canonical compares the decisions that have led to a history with those of its permuted histories.
type Canonical struct {
	*Group   // nil: nothing is compared
	taken    []decision
	permuted []permuted // after each decision those that are left, on top of those before
	begins   []int32    // by decision, and of none: where they begin
	ended    int        // transactions of the history that are known to the end
}

// Reset begins at the initial history.
func (l *Canonical) Reset(g *Group) {
	l.Group = g
	l.taken, l.permuted, l.begins = l.taken[:0], l.permuted[:0], l.begins[:0]
	if g == nil {
		return
	}
	l.begins = append(l.begins, 0)
	for i := range g.perms {
		l.permuted = append(l.permuted, permuted{perm: int32(i)})
	}
}

// ContinueFrom begins where g is after n decisions, in the history h, which may be
// a part of g's.
func (l *Canonical) ContinueFrom(g *Canonical, n int, h *semantics.Ordered) {
	l.Reset(g.Group)
	if l.Group == nil {
		return
	}
	l.taken = append(l.taken, g.taken[:n]...)
	l.ended = h.Ended()
	left := l.permuted[:0]
	for _, m := range l.permuted {
		if l.compare(h, &m) == undecided {
			left = append(left, m)
		}
	}
	l.permuted = left
	for range n {
		l.begins = append(l.begins, 0)
	}
}

// CopyFrom makes l what g is now; what g was before is not needed any more.
func (l *Canonical) CopyFrom(g *Canonical) {
	l.Group = g.Group
	l.taken, l.permuted, l.begins = l.taken[:0], l.permuted[:0], l.begins[:0]
	if g.Group == nil {
		return
	}
	l.taken, l.permuted = append(l.taken, g.taken...), append(l.permuted, g.present()...)
	for range len(g.taken) + 1 {
		l.begins = append(l.begins, 0)
	}
}

// present returns the permuted histories that are left.
func (l *Canonical) present() []permuted { return l.permuted[l.begins[len(l.taken)]:] }

// add adds a decision. If there is a pending transaction it has made all its reads. It
// reports false, and takes nothing, when a permuted history is smaller.
func (l *Canonical) add(h *semantics.Ordered, d decision) bool {
	if l.Group == nil {
		return true
	}
	from, to := int(l.begins[len(l.taken)]), len(l.permuted)
	l.taken = append(l.taken, d)
	l.ended = h.Len()
	for i := from; i < to; i++ {
		m := l.permuted[i]
		switch l.compare(h, &m) {
		case smaller:
			l.permuted, l.taken = l.permuted[:to], l.taken[:len(l.taken)-1]
			return false
		case undecided:
			l.permuted = append(l.permuted, m)
		}
	}
	l.begins = append(l.begins, int32(to))
	return true
}

// Undo takes back the decisions after the first n.
func (l *Canonical) Undo(n int) {
	if l.Group == nil || n == len(l.taken) {
		return
	}
	l.permuted = l.permuted[:l.begins[n+1]]
	l.begins, l.taken = l.begins[:n+1], l.taken[:n]
}

// Orbit is the number of histories that permutations make of the complete history.
func (l *Canonical) Orbit() int64 {
	if l.Group == nil {
		return 1
	}
	return l.order() / int64(len(l.present())+1)
}

// comparison of a permuted history with the history.
type comparison int8

const (
	undecided comparison = iota // or equal, as far as decisions were taken
	smaller
	greater
)

// compare goes on comparing a permuted history.
func (l *Canonical) compare(h *semantics.Ordered, m *permuted) comparison {
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

// skips reports whether the permuted form of a transaction that is not there yet is known to
// skip where the decision was taken. It is known when its session was skipped
// at a history. That history must have all transactions that the permuted history has at the
// decision.
func (l *Canonical) skips(h *semantics.Ordered, p *permutation, d *decision) bool {
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
func (l *Canonical) skippedAt(s, i int32) int {
	for k := len(l.taken) - 1; k >= 0; k-- {
		if d := &l.taken[k]; d.txn < 0 && d.session == s && d.index == i {
			return int(d.base)
		}
	}
	return 0
}

// against compares the decision with the one that the permuted history takes there: transaction
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
		if writer < 0 || writer >= int(d.base) { // the permuted history skips
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

// Numbers makes numbers of the decisions before number n, four of each.
func (l *Canonical) Numbers(n int) (out []int32) {
	for _, d := range l.taken[:n] {
		out = append(out, d.session, d.index, d.base, d.txn)
	}
	return out
}

// Restore gives a history the decisions that have led to it, which another process has
// made numbers of. Its error says what the history does not have.
func (l *Canonical) Restore(g *Group, h *semantics.Ordered, numbers []int32) error {
	other := Canonical{Group: g}
	if g == nil && len(numbers) > 0 || len(numbers)%4 != 0 {
		return errors.New("decisions where none are taken")
	}
	for i := 0; i < len(numbers); i += 4 {
		d := decision{numbers[i], numbers[i+1], numbers[i+2], numbers[i+3]}
		if d.session < 0 || int(d.session) >= h.Sessions() || d.index < 0 || d.base < 1 || int(d.base) > h.Len() || d.txn < -1 || d.txn == 0 || int(d.txn) >= h.Len() {
			return errors.New("a decision of what is not there")
		}
		other.taken = append(other.taken, d)
	}
	l.ContinueFrom(&other, len(other.taken), h)
	return nil
}

// Decisions is how many decisions have been taken.
func (l *Canonical) Decisions() int { return len(l.taken) }

// Skip adds the decision that the next transaction of a session reads from one that is not
// there yet.
func (l *Canonical) Skip(h *semantics.Ordered, session int) bool {
	return l.add(h, decision{int32(session), int32(h.Done(session)), int32(h.Len()), -1})
}

// End adds the decision that the pending transaction reads as it has read.
func (l *Canonical) End(h *semantics.Ordered) bool {
	t := h.Last()
	return l.add(h, decision{t.Session, t.Index, int32(h.Len() - 1), int32(h.Len() - 1)})
}
