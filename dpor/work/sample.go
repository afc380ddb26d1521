package work

import "math/rand/v2"

// Sampler estimates the size of a search tree. It follows a cohort of calls from the
// root on, one depth after another. The next cohort is all children of the calls. When
// they are too many, resample.go draws a sample of them. A call that was drawn stands
// for as many calls as the inverse of its chance. So the sum is right on average,
// whatever the chances are. Chances follow the sizes of subtrees that were seen before
// (size.go). A cohort of one, drawn with equal chances, is Knuth's descent ("Estimating
// the efficiency of backtrack programs", Mathematics of Computation 29, 1975); keeping
// some of each kind is Chen's idea ("Heuristic sampling: a method for predicting the
// performance of tree searching programs", SIAM Journal on Computing 21, 1992).
type Sampler struct {
	tree Tree
	*rand.Rand
	halted     func() bool // the exploration is over
	most       int         // calls of a cohort
	now, then  []member
	sizes      sizes
	resampling resampling

	calls float64 // of explore or serial
	steps float64 // reads and ends of transactions
}

// member is a point of the search, and how many it stands for.
type member struct {
	p      Point
	weight float64
	at     int // in the record of sizes
}

// NewSampler samples a tree until it is halted.
func NewSampler(t Tree, r *rand.Rand, halted func() bool) *Sampler {
	return &Sampler{tree: t, Rand: r, halted: halted, sizes: sizes{fine: map[Kind]*size{}, coarse: map[Kind]*size{}}}
}

// Sample makes one estimate of the numbers of calls and steps, from cohorts of at
// most so many.
func (g *Sampler) Sample(most int) (calls, steps float64, err error) {
	p, calls, err := g.tree.Root()
	if err != nil {
		return 0, 0, err
	}
	g.most, g.calls, g.steps = most, calls, 0
	g.sizes.begin()
	g.now = append(g.now[:0], member{p, 1, g.sizes.note(g.tree.Kind(p), 1, -1)})
	for err == nil && len(g.now) > 0 {
		g.then = g.then[:0]
		for i := 0; i < len(g.now) && err == nil; i++ {
			err = g.extend(&g.now[i])
		}
		g.resample()
		g.now, g.then = g.then, g.now
	}
	if err == nil {
		g.sizes.learn()
	}
	return g.calls, g.steps, err
}

// extend adds the children of m to the next cohort.
func (g *Sampler) extend(m *member) error {
	if g.halted() {
		return ErrStopped
	}
	calls, steps, err := g.tree.Children(m.p, func(p Point) {
		g.then = append(g.then, member{p, m.weight, m.at})
	})
	g.calls += calls * m.weight
	g.steps += steps * m.weight
	return err
}
