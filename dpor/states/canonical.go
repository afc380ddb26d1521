package states

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/txmc/txmc/dpor/orbit"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// Symmetry under the model of a database. Sessions that are copies of each other have the
// same future in each other's places. In an image of a state the sessions of a set have
// exchanged their places. A state stands for all its images: its key is the least of their
// keys. So one state of each orbit is visited.
//
// Not all images are looked at. The sessions of a set are put in an order that they carry
// along: by what each has done, and by what it has in the database. Only those that are
// equal in this are permuted. Where they are too many the key is that of some image: then
// several of an orbit may be visited. docs/symmetry.md has the argument.

// alike makes images of states.
type alike struct {
	copies    *program.Copies
	sets      [][]int
	image     model.Permutable
	standings []standing // by session
	order     []int      // of a set
	renaming
	ties  [][]int // places that sessions take that are equal so far
	least model.Key
	saws  []int64 // by session: what it saw
	pinned
	work.Verdicts
}

// renaming is permutations of sessions.
type renaming struct {
	to   []int8 // the place that each session takes
	swap []int8 // an exchange
	wide []int8 // one of them as a permutation of server sessions
}

// standing is what a session carries along.
type standing struct {
	class int64
	last  bool   // it has made the last step, where that matters
	rank  uint64 // model.Permutable
}

// compare compares what two sessions carry along.
func (a *standing) compare(b *standing) int {
	last := func(s *standing) int {
		if s.last {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(a.class, b.class), last(a)-last(b), cmp.Compare(a.rank, b.rank))
}

// newAlike returns nil without symmetry. In a part of an exploration a session is pinned.
func newAlike(y *orbit.Symmetry, prog *program.Client, part bool) *alike {
	if y.Copies() == nil {
		return nil
	}
	n := prog.Sessions()
	a := &alike{copies: y.Copies(), sets: y.Sets(), standings: make([]standing, n), renaming: renaming{to: make([]int8, n), swap: make([]int8, n)}}
	if a.free = a.sets; part {
		a.pin(prog)
	}
	return a
}

// mostImages bounds the images of a state that are looked at for one key.
const mostImages = 120

// leastKey is the least key of the images of a state.
func (e *Engine) leastKey(m *state) model.Key {
	a := e.alike
	if a.image == nil {
		a.image = m.rows.Empty().(model.Permutable)
		for s := range a.swap {
			a.swap[s] = int8(s)
		}
	}
	moved := a.arrange(m, e.Bounded || e.Switches > 0)
	e.ids = e.ids[:0]
	for range m.nodes {
		e.ids = append(e.ids, 0)
	}
	last := m.last
	if last >= 0 {
		last = int(a.to[last])
	}
	for s, n := range m.nodes {
		e.ids[a.to[s]] = uint64(n.ID)
		if class, ok := a.copies.Class(n); ok {
			e.ids[a.to[s]] = uint64(class)
		}
	}
	e.addSwitched(m, last)
	if !moved && len(a.ties) == 0 && (len(m.choices) < 2 || m.choices[0].Kind == model.RunSession) {
		return e.keyer.Key(m.rows, e.ids)
	}
	a.image.CopyFrom(m.rows)
	a.image.Permute(a.inServers(a.to))
	a.least = e.keyer.Key(a.image, e.ids)
	e.breakTies()
	return a.least
}

// arrange finds the place that each session takes, and the ties. It reports whether one
// takes another's place.
func (a *alike) arrange(m *state, path bool) (moved bool) {
	for s := range a.to {
		a.to[s] = int8(s)
	}
	rows := m.rows.(model.Permutable)
	a.ties = a.ties[:0]
	for _, set := range a.free {
		a.order = append(a.order[:0], set...)
		for _, s := range set {
			class, _ := a.copies.Class(m.nodes[s])
			a.standings[s] = standing{class, path && s == m.last, m.rank(rows, s)}
		}
		slices.SortStableFunc(a.order, func(s, t int) int { return a.standings[s].compare(&a.standings[t]) })
		for i, s := range a.order {
			a.to[s] = int8(set[i])
			moved = moved || s != set[i]
		}
		a.findTies(set)
	}
	return moved
}

// findTies finds the places of a set where sessions are equal so far. Those that have
// nothing in the database are equal.
func (a *alike) findTies(set []int) {
	for i := 0; i < len(set); {
		k := i + 1
		for k < len(set) && a.standings[a.order[i]] == a.standings[a.order[k]] {
			k++
		}
		if k > i+1 && a.standings[a.order[i]].rank != 0 {
			a.ties = append(a.ties, set[i:k])
		}
		i = k
	}
}

// exchange exchanges two places in the image.
func (a *alike) exchange(s, t int) {
	a.swap[s], a.swap[t] = int8(t), int8(s)
	a.image.Permute(a.inServers(a.swap))
	a.swap[s], a.swap[t] = int8(s), int8(t)
}

// breakTies permutes the sessions that are equal so far, and looks for the image with the least
// key. Neighbours are equal when their exchange leaves the key as it is. Where all are equal,
// there is nothing to look for.
func (e *Engine) breakTies() {
	a := e.alike
	images, unequal := 1, a.ties[:0]
	for _, tie := range a.ties {
		if e.equal(tie) {
			continue
		}
		for k := range tie {
			images *= k + 1
		}
		if images > mostImages {
			break
		}
		unequal = append(unequal, tie)
	}
	if a.ties = unequal; len(unequal) > 0 {
		e.permute(0, 0)
	}
}

// equal reports whether all exchanges of neighbours leave the key as it is.
func (e *Engine) equal(tie []int) bool {
	a := e.alike
	for i := range tie[1:] {
		a.exchange(tie[i], tie[i+1])
		equal := e.keyer.Key(a.image, e.ids) == a.least
		a.exchange(tie[i], tie[i+1])
		if !equal {
			return false
		}
	}
	return true
}

// permute permutes the places of ties from number i on, and of that one those from k on.
func (e *Engine) permute(i, k int) {
	a := e.alike
	if i == len(a.ties) {
		key := e.keyer.Key(a.image, e.ids)
		if cmp.Or(cmp.Compare(key[0], a.least[0]), cmp.Compare(key[1], a.least[1])) < 0 {
			a.least = key
		}
		return
	}
	tie := a.ties[i]
	if k == len(tie)-1 {
		e.permute(i+1, 0)
		return
	}
	e.permute(i, k+1)
	for j := k + 1; j < len(tie); j++ {
		a.exchange(tie[k], tie[j])
		e.permute(i, k+1)
		a.exchange(tie[k], tie[j])
	}
}

// appendSaw adds what the sessions saw to a key, in an order that is the same for all images.
// It returns how many images are different.
func (e *Engine) appendSaw(ends []*behaviour.Node) (orbit int64) {
	a := e.alike
	a.saws, orbit = a.saws[:0], 1
	for _, n := range ends {
		saw := n.Saw()
		if class, ok := a.copies.Class(n); ok && n.Past == 0 {
			saw = class
		}
		a.saws = append(a.saws, saw)
	}
	for _, set := range a.sets {
		orbit *= a.sort(set)
	}
	for _, saw := range a.saws {
		e.key = binary.AppendUvarint(e.key, uint64(saw))
	}
	return orbit
}

// sort sorts what the sessions of a set saw, and returns in how many different orders it
// can be: the permutations of the set, by those of what is equal.
func (a *alike) sort(set []int) (orders int64) {
	var saws []int64
	for _, s := range set {
		saws = append(saws, a.saws[s])
	}
	slices.Sort(saws)
	orders = 1
	equal := int64(0)
	for i, saw := range saws {
		if a.saws[set[i]] = saw; i > 0 && saw == saws[i-1] {
			equal++
		} else {
			equal = 1
		}
		orders = orders * int64(i+1) / equal
	}
	return orders
}

// invariants judges the outcome of sessions that ended there, and with symmetry its images.
func (e *Engine) invariants(ends []*behaviour.Node) ([]*behaviour.Failure, error) {
	if e.alike == nil {
		return e.prog.Judge(ends)
	}
	v := &e.alike.Verdicts
	broken, err := v.Of(e.prog, ends)
	if err != nil {
		return nil, err
	}
	return broken, v.Mirrored(e.prog, e.alike.copies)
}
