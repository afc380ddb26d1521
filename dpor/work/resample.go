package work

import "slices"

// resampling is what resample works with.
type resampling struct {
	kinds          []Kind
	values, sorted []float64
}

// uniformShare is the share of the chances that is equal for all, whatever was
// learnt.
const uniformShare = 0.1

// resample draws a sample of g.most from the next cohort if it has more, and
// records it. The chance of a member is in proportion to its worth: the number of
// calls that it stands for times the size of subtrees like it. A member whose chance
// would exceed 1 is kept. The others are drawn at equal distances in the order in
// which they are listed: so some are drawn of those with a common ancestor.
func (g *Sampler) resample() {
	w := &g.resampling
	w.kinds = w.kinds[:0]
	for i := range g.then {
		w.kinds = append(w.kinds, g.tree.Kind(g.then[i].p))
	}
	distance := 0.0
	if len(g.then) > g.most {
		distance = g.distance()
	}
	kept, at := g.then[:0], g.Float64()*distance
	for i, m := range g.then {
		if distance > 0 && w.values[i] < distance {
			if at -= w.values[i]; at >= 0 {
				g.tree.Drop(m.p)
				continue
			}
			at += distance
			m.weight *= distance / w.values[i]
		}
		m.at = g.sizes.note(w.kinds[i], m.weight, m.at)
		kept = append(kept, m)
	}
	g.then = kept
}

// distance values the members. It returns the distance, in value, at which members are
// drawn, such that g.most are. Members that are worth more than that are drawn by
// themselves and do not count.
func (g *Sampler) distance() float64 {
	w := &g.resampling
	w.values = w.values[:0]
	var sum, weight float64
	for i, k := range w.kinds {
		v := g.sizes.of(k)
		w.values = append(w.values, v)
		if v > 0 {
			sum += v * g.then[i].weight
			weight += g.then[i].weight
		}
	}
	mean := 1.0
	if weight > 0 {
		mean = sum / weight
	}
	rest := 0.0
	for i, v := range w.values {
		if v == 0 {
			v = mean
		}
		w.values[i] = (v + uniformShare*mean) * g.then[i].weight
		rest += w.values[i]
	}
	w.sorted = append(w.sorted[:0], w.values...)
	slices.Sort(w.sorted)
	room := g.most
	for n := len(w.sorted) - 1; room > 1 && w.sorted[n]*float64(room) > rest; n-- {
		rest -= w.sorted[n]
		room--
	}
	return rest / float64(room)
}
