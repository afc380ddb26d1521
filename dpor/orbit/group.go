package orbit

import "slices"

// A history is compared with its permuted histories under all permutations of a group: so their
// number is bounded, and that of the places in all of them.
const (
	maxGroup  = 50_000
	maxPlaces = 1_000_000
)

// maxOrbit bounds the size of an orbit where permuted states are not listed, so that sums of sizes
// are exact.
const maxOrbit = 1e12

// permutation is one of the sessions: to[s] takes the place of s, and s that of
// from[s].
type permutation struct{ to, from []int32 }

// Group is all permutations of some sets of sessions, which have no session in common;
// the others stay where they are.
type Group struct {
	sets  [][]int
	perms []permutation // without the one that moves nothing
}

// newGroup returns the group of the sets.
func newGroup(sets [][]int, sessions int) *Group {
	g := &Group{sets: cutSets(sets, min(maxGroup, maxPlaces/float64(sessions)))}
	to := make([]int32, sessions)
	for i := range to {
		to[i] = int32(i)
	}
	g.permute(to, 0, 0)
	return g
}

// cutSets cuts sets in two until there are not too many permutations: those that are left
// are a group too.
func cutSets(sets [][]int, most float64) [][]int {
	sets = slices.Clone(sets)
	for permutations(sets) > most {
		sets = divideOne(sets, most)
	}
	return sets
}

// permutations is the number of permutations of the sets.
func permutations(sets [][]int) float64 {
	n := 1.0
	for _, set := range sets {
		for k := range set {
			n *= float64(k + 1)
		}
	}
	return n
}

// divideOne cuts the largest set where as many permutations are left as there may be; into
// halves if there are too many anyway.
func divideOne(sets [][]int, most float64) (parts [][]int) {
	largest := 0
	for i, set := range sets {
		if len(set) > len(sets[largest]) {
			largest = i
		}
	}
	set := sets[largest]
	for k := len(set) - 1; k >= len(set)/2; k-- {
		parts = slices.Concat(sets[:largest], [][]int{set[:k], set[k:]}, sets[largest+1:])
		if permutations(parts) <= most {
			break
		}
	}
	return parts
}

// permute adds the permutations that agree with to on the sets before number i and on
// the first k sessions of that one.
func (g *Group) permute(to []int32, i, k int) {
	if i == len(g.sets) {
		g.add(to)
		return
	}
	set := g.sets[i]
	if k == len(set) {
		g.permute(to, i+1, 0)
		return
	}
	for j := k; j < len(set); j++ {
		a, b := set[k], set[j]
		to[a], to[b] = to[b], to[a]
		g.permute(to, i, k+1)
		to[a], to[b] = to[b], to[a]
	}
}

func (g *Group) add(to []int32) {
	p := permutation{slices.Clone(to), make([]int32, len(to))}
	moves := false
	for s, t := range to {
		p.from[t] = int32(s)
		moves = moves || int(t) != s
	}
	if moves {
		g.perms = append(g.perms, p)
	}
}

// order is the number of permutations.
func (g *Group) order() int64 { return int64(len(g.perms)) + 1 }
