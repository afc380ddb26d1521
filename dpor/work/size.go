package work

import "math"

// Kind tells points of a search apart whose subtrees are likely to differ in
// size. The algorithm says what its features are.
type Kind struct {
	Features [5]int32
	Places   uint64 // how far each session is; 0 when it does not matter
}

// size is what was seen of the subtrees of a kind.
type size struct{ seen, number, squares float64 }

// mean is the root of the mean square: chances proportional to it make the
// samples spread least.
func (z *size) mean() float64 { return math.Sqrt(z.squares / z.number) }

// sizes learns from samples how large the subtrees of each kind are.
type sizes struct {
	fine, coarse map[Kind]*size
	record       []record // of the sample that is being made
}

// record is a member of a cohort, and what the members below it and itself stand
// for.
type record struct {
	kind         Kind
	weight, mass float64
	parent       int
}

func (z *sizes) begin() { z.record = z.record[:0] }

// note records a member and returns its place.
func (z *sizes) note(k Kind, weight float64, parent int) int {
	z.record = append(z.record, record{k, weight, weight, parent})
	return len(z.record) - 1
}

// learn adds the sample that has been made.
func (z *sizes) learn() {
	for i := len(z.record) - 1; i >= 0; i-- {
		r := &z.record[i]
		if r.parent >= 0 {
			z.record[r.parent].mass += r.mass
		}
		add(z.fine, r.kind, r)
		r.kind.Places = 0
		add(z.coarse, r.kind, r)
	}
}

func add(m map[Kind]*size, k Kind, r *record) {
	z := m[k]
	if z == nil {
		z = &size{}
		m[k] = z
	}
	z.seen++
	z.number += r.weight
	z.squares += r.mass / r.weight * r.mass
}

// of returns how large a subtree of kind k is, or 0 when nothing like it was seen.
func (z *sizes) of(k Kind) float64 {
	const trust = 8 // of how many subtrees of the kind count as much as those like it
	fine := z.fine[k]
	k.Places = 0
	coarse := z.coarse[k]
	switch {
	case coarse == nil:
		return 0
	case fine == nil:
		return coarse.mean()
	}
	return (fine.seen*fine.mean() + trust*coarse.mean()) / (fine.seen + trust)
}
