package check

import (
	"context"
	"iter"
)

// Likely orders in which transactions committed. The simulated store takes the transactions in
// such an order. The nearer the order is to a right one, the less there is to search.

// mostSettled bounds the steps of the springs; with fewer than leastSettled they tell too little.
const (
	mostSettled  = 200
	leastSettled = 20
)

// likely gives the ranks of the transactions, and whether writes should wait, for one order after
// another. misses is the least that one of them has come to so far. The last order takes
// long, and is left out where it would take longer than a search from there.
func (f *form) likely(ctx context.Context, misses *int64) iter.Seq2[[]float64, bool] {
	return func(yield func([]float64, bool) bool) {
		if f.timed && !(yield(f.ranks(f.hinted), true) && yield(f.ranks(f.hinted), false)) || !yield(f.ranks(f.fraction), true) {
			return
		}
		if !f.timed && f.hint != nil && !(yield(f.ranks(f.hinted), false) && yield(f.ranks(f.hinted), true)) {
			return
		}
		if steps := 10 * *misses / int64(f.n+len(f.reads)); steps >= leastSettled {
			s := newSprings(f)
			s.settle(ctx, int(min(steps, mostSettled)))
			yield(f.ranks(s.at), false)
		}
	}
}

// ranks puts transactions that write nothing first, the others as a time says.
func (f *form) ranks(time func(t int32) float64) []float64 {
	rank := make([]float64, f.n)
	for t := range rank {
		if rank[t] = -1; f.writeOff[t] < f.writeOff[t+1] {
			rank[t] = time(int32(t))
		}
	}
	return rank
}

// hinted is what the database or the order of the recording tells.
func (f *form) hinted(t int32) float64 { return f.hint[t] }

// fraction is the fraction of the session that has gone before.
func (f *form) fraction(t int32) float64 {
	c := f.chain[t]
	return float64(f.at(t)) / float64(f.start[c+1]-f.start[c])
}

// springs estimates when transactions committed, as a number from 0 to 1, from who reads from
// whom. It has two assumptions. The transactions of a session are at equal distances. The time
// from a write to a read of it is about the time from one write of the key to the next. So a key
// that is written often tells exactly when its readers ran. Each distance is a spring between two
// transactions, or between one and the beginning or the end. A shorter spring is a stronger one.
// The estimate is where all come to rest: least squares, by conjugate gradients (Hestenes and
// Stiefel, "Methods of conjugate gradients for solving linear systems", 1952), divided by the
// diagonal.
type springs struct {
	list  []spring
	place []float64 // by transaction, and of the end
	force []float64
	stiff []float64 // the diagonal
}

// spring holds to about a distance after from.
type spring struct {
	from, to int32
	distance float64
}

func (p *spring) weight() float64 { return 1 / (p.distance * p.distance) }

// newSprings begins with the shares of the sessions.
func newSprings(f *form) *springs {
	s := &springs{place: make([]float64, f.n+1), force: make([]float64, f.n+1), stiff: make([]float64, f.n+1)}
	writers := make([]int32, f.keys)
	for _, x := range f.writes {
		writers[x]++
	}
	end := int32(f.n)
	s.place[end] = 1
	for t := int32(1); t < end; t++ {
		c := f.chain[t]
		distance := 1 / float64(f.start[c+1]-f.start[c])
		s.place[t] = (float64(f.at(t)) + 0.5) * distance
		if before := t - 1; t > f.start[c] {
			s.hold(before, t, distance)
		} else {
			s.hold(0, t, distance/2)
		}
		if t+1 == f.start[c+1] {
			s.hold(t, end, distance/2)
		}
		for _, r := range f.readsOf(t) {
			if n := writers[r.key]; n > 0 {
				s.hold(r.from, t, 1/float64(n))
			}
		}
	}
	return s
}

func (s *springs) at(t int32) float64 { return s.place[t] }

func (s *springs) hold(from, to int32, distance float64) {
	p := spring{from, to, distance}
	s.list = append(s.list, p)
	s.stiff[from] += p.weight()
	s.stiff[to] += p.weight()
}

// isFree reports whether t is neither the beginning nor the end.
func (s *springs) isFree(t int) bool { return t > 0 && t < len(s.place)-1 }

// settle takes so many steps towards the rest, or fewer when the context ends.
func (s *springs) settle(ctx context.Context, steps int) {
	way, pull := make([]float64, len(s.place)), make([]float64, len(s.place))
	s.pull(s.place, s.force, true)
	before := 0.0
	for range steps {
		now := 0.0
		for t, d := range s.force {
			if s.isFree(t) {
				now += d * d / s.stiff[t]
			}
		}
		if now < 1e-12 || ctx.Err() != nil {
			return
		}
		for t, d := range s.force {
			if s.isFree(t) {
				way[t] = d/s.stiff[t] + now*before*way[t]
			}
		}
		before = 1 / now
		s.pull(way, pull, false)
		against := 0.0
		for t, d := range pull {
			against -= way[t] * d
		}
		for t, d := range pull {
			s.place[t] += now / against * way[t]
			s.force[t] += now / against * d
		}
	}
}

// pull computes with what force the springs pull at each transaction when all stand there. Without their
// lengths they are springs that hold their ends together.
func (s *springs) pull(place, force []float64, lengths bool) {
	clear(force)
	for i := range s.list {
		p := &s.list[i]
		d := place[p.from] - place[p.to]
		if lengths {
			d += p.distance
		}
		d *= p.weight()
		force[p.to] += d
		force[p.from] -= d
	}
}
