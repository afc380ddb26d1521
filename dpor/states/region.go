package states

import (
	"cmp"
	"errors"
	"slices"

	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// Regions are parts of the states of a program on a database. No step leaves a region: two
// processes that explore different ones have no state in common.
//
// A cut asks what a session has been answered first, up to some number of answers. Until it has
// that many, all is open. From then on each state that follows has the same beginning: its
// label. In equal states each session stands at the same node. So two states with different
// labels are different. An outcome has the label of its states. The states that a cut leaves
// open and the states of each label are together all states, each once; so are the outcomes.
// Each of these parts can be explored without the others.
//
// This is the partition of Lerda and Sisto (Distributed-memory model checking with SPIN,
// SPIN 1999), by the local state of one process, where steps that cross go to another
// owner. Here a label never changes once it is there. So only the steps to it cross, and
// a region begins at them, as schedules.
//
// A region may be divided again, by another cut. Which cuts are taken decides on time and
// on nothing else.

// Region is the kind of a Subtree that stands for a region.
const Region = "region"

// cut labels states by the first answers of a session.
type cut struct {
	prog    *program.Client
	session int
	answers int
	labels  []int64 // by node: 0 is not known, 1 open, and others the label
	handed  map[int64][]work.Subtree
	order   []int64 // of labels, as they were met
}

// open is what labels has of a node that has too few answers.
const open = 1

// labelOf is the label of a state, or open.
func (c *cut) labelOf(m *state) int64 {
	n := m.nodes[c.session]
	if int(n.ID) < len(c.labels) && c.labels[n.ID] != 0 {
		return c.labels[n.ID]
	}
	label := int64(open)
	if c.prog.Storage() != nil {
		// What the client has not seen is no part of an outcome.
		if past := c.prog.PastAt(n.Past, c.answers); past != 0 {
			label = open + int64(past)
		}
	} else if at := answered(n, c.answers); at != nil {
		label = open + 1 + at.ID
	}
	if grown := int(n.ID) + 1 - len(c.labels); grown > 0 {
		c.labels = append(c.labels, make([]int64, grown)...)
	}
	c.labels[n.ID] = label
	return label
}

// answered is the node before n at which the session has so many answers; nil where
// it has fewer. Answers that say nothing but that it goes on do not count.
func answered(n *behaviour.Node, answers int) *behaviour.Node {
	for _, m := range n.Path() {
		if b := m.Before(); b != nil && b.Informs() {
			if answers--; answers == 0 {
				return m
			}
		}
	}
	return nil
}

// handOn notes where the region of a label begins.
func (c *cut) handOn(label int64, sub work.Subtree) {
	if c.handed[label] == nil {
		c.order = append(c.order, label)
	}
	c.handed[label] = append(c.handed[label], sub)
}

// crosses reports whether a state has a label. Then it is noted, once: a region begins there.
func (e *Engine) crosses(m *state, depth int) bool {
	label := e.cut.labelOf(m)
	if label != open && e.seen.add(e.keyOf(m)) {
		e.cut.handOn(label, work.Subtree{Kind: work.WholeCall, Steps: EncodeSchedule(e.scheduleTo(depth))})
	}
	return label != open
}

// begins is crosses of where a task begins: a state, or one that was visited and has
// choices left.
func (e *Engine) begins(s *task) bool {
	label := e.cut.labelOf(s.m)
	if label != open && (s.kind == work.RestOther || e.seen.add(e.keyOf(s.m))) {
		e.cut.handOn(label, s.Describe())
	}
	return label != open
}

// mostRegions is into how many regions one is divided at most.
const mostRegions = 64

// regions are the regions of the labels, those with most beginnings first. Where there
// are too many, some are joined.
func (c *cut) regions() []work.Subtree {
	labels := slices.Clone(c.order)
	slices.SortStableFunc(labels, func(a, b int64) int { return cmp.Compare(len(c.handed[b]), len(c.handed[a])) })
	list := make([]work.Subtree, min(len(labels), mostRegions))
	for i, label := range labels {
		r := &list[i%len(list)]
		r.Kind = Region
		r.Inner = append(r.Inner, c.handed[label]...)
	}
	return list
}

// attempt is what is tried when a region is divided.
type attempt struct {
	cut   *cut  // nil unless a region is divided
	limit int64 // of the calls when one is; 0: none
}

// errSpent ends an attempt to divide a region.
var errSpent = errors.New("more states than it may visit")

const (
	// firstCut is how many states may be visited before the first label, when it is
	// looked for a session that leaves few open.
	firstCut = 1 << 14
	// lastCut is how many are so many that the region is explored as a whole instead.
	lastCut = 1 << 20
)

// dividing divides a region.
type dividing struct {
	*Exploration
	e     *Engine
	small int64 // a region of so many states is explored as a whole
	todo  []work.Subtree
	cuts  []int32 // how many answers of each session the region has in common
	vain  []int32 // how often each session has left too many states open
	base  *Memory

	found   []*work.Found // of the present attempt
	send    func(*work.Found) error
	regions []work.Subtree
	done    kept // so far
}

// kept is what counts of the attempts to divide a region.
type kept struct {
	work.Totals
	errors map[errorKind]DatabaseError
	steps  int64
}

// Divide explores what the next cut of a region leaves open, and returns the other regions.
// One of few states is explored as a whole. The memory is what was known before.
func (c *Exploration) Divide(small int64, base *Memory, list []work.Subtree) (regions []work.Subtree, err error) {
	d := &dividing{Exploration: c, e: c.engines[0], small: small, base: base, todo: []work.Subtree{{Kind: work.WholeCall}}, cuts: make([]int32, c.Prog.Sessions()), vain: make([]int32, c.Prog.Sessions())}
	if list != nil {
		d.todo = Beginnings(list)
		if len(list) == 1 && len(list[0].Cuts) == len(d.cuts) {
			copy(d.cuts, list[0].Cuts)
			copy(d.vain, list[0].Vain)
		}
	}
	d.send = c.Delivery.Send
	c.Delivery.Send = func(f *work.Found) error { d.found = append(d.found, f); return nil }
	err = d.run()
	if err == work.ErrStopped && d.e.Reason() == work.ByViolation {
		err = cmp.Or(d.keep(), err)
	}
	return d.regions, err
}

func (d *dividing) run() error {
	ok, err := false, error(nil)
	if int64(len(d.todo)) < d.small {
		ok, err = d.attempt(nil, d.small)
	}
	for most := int64(firstCut); !ok && err == nil; most *= 8 {
		if most > lastCut {
			_, err = d.attempt(nil, 0)
			break
		}
		ok, err = d.attemptEach(most)
	}
	return err
}

// attemptEach tries the sessions one after another, those of whom least is known first,
// until one leaves few enough states open. It goes on where it has only found one region.
func (d *dividing) attemptEach(most int64) (ok bool, err error) {
	order := d.order()
	for tried := 0; tried < len(order); tried++ {
		c := &cut{prog: d.Prog, session: order[tried], answers: int(d.cuts[order[tried]]) + 1, handed: map[int64][]work.Subtree{}}
		if ok, err := d.attempt(c, most); err != nil {
			return false, err
		} else if !ok {
			d.vain[c.session]++
			continue
		}
		d.cuts[c.session]++
		list := c.regions()
		if len(list) != 1 {
			for i := range list {
				list[i].Cuts, list[i].Vain = slices.Clone(d.cuts), slices.Clone(d.vain)
			}
			d.regions = list
			return true, nil
		}
		d.todo, tried, order = list[0].Inner, -1, d.order()
	}
	return false, nil
}

// order is that in which sessions are tried. Those that have left too many states open come
// last. The Finals leave all.
func (d *dividing) order() (sessions []int) {
	for i := range d.cuts {
		if i != d.Prog.Final() && d.e.alike.cuts(i) {
			sessions = append(sessions, i)
		}
	}
	slices.SortStableFunc(sessions, func(a, b int) int {
		return cmp.Or(cmp.Compare(d.vain[a], d.vain[b]), cmp.Compare(d.cuts[a], d.cuts[b]))
	})
	return sessions
}

// attempt explores what the cut leaves open, all that there is without one. It is false,
// and nothing has happened, when there are more states than that.
func (d *dividing) attempt(c *cut, most int64) (ok bool, err error) {
	if err := d.reset(); err != nil {
		return false, err
	}
	d.e.cut, d.e.limit = c, 0
	if most > 0 {
		d.e.limit = d.done.Explored + most
	}
	for i := range d.todo {
		if err := d.e.Worker.Do(&d.todo[i]); err == errSpent {
			return false, d.reset()
		} else if err != nil {
			return false, err
		}
	}
	return true, d.keep()
}

// keep makes what was met count.
func (d *dividing) keep() error {
	d.done = kept{d.e.Count, map[errorKind]DatabaseError{}, d.e.steps}
	for k, m := range d.e.met {
		d.done.errors[k] = *m
	}
	for _, f := range d.found {
		if err := d.send(f); err != nil {
			return err
		}
	}
	d.found = nil
	return nil
}

// reset forgets what does not count.
func (d *dividing) reset() error {
	d.found = nil
	d.e.Count, d.e.steps, d.e.met = d.done.Totals, d.done.steps, map[errorKind]*DatabaseError{}
	for k, m := range d.done.errors {
		m.At = slices.Clone(m.At)
		d.e.met[k] = &m
	}
	d.Delivery.Counted.Store(d.done.Histories)
	*d.e.memory = memory{}
	return d.e.memory.know(d.base)
}

// Beginnings lists what regions consist of.
func Beginnings(list []work.Subtree) (out []work.Subtree) {
	for _, s := range list {
		if s.Kind == Region {
			out = append(out, s.Inner...)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// Everything is the region of all states.
func Everything() []work.Subtree {
	return []work.Subtree{{Kind: Region, Inner: []work.Subtree{{Kind: work.WholeCall}}}}
}
