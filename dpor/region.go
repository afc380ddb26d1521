package dpor

import (
	"cmp"
	"errors"
	"slices"

	"github.com/txmc/txmc/program"
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
// a region begins at them, as ways.
//
// A region may be divided again, by another cut. Which cuts are taken decides on time and
// on nothing else.

// region is the kind of a Subtree that stands for a region.
const region = "region"

// cut labels states by the first answers of a session.
type cut struct {
	prog    *program.Client
	session int
	answers int
	labels  []int64 // by node: 0 is not known, 1 open, and others the label
	handed  map[int64][]Subtree
	order   []int64 // of labels, as they were met
}

// open is what labels has of a node that has too few answers.
const open = 1

// labelOf is the label of a state, or open.
func (c *cut) labelOf(m *moment) int64 {
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

// answered is the node on the way to n at which the session has so many answers; nil where
// it has fewer. Answers that say nothing but that it goes on do not count.
func answered(n *program.Node, answers int) *program.Node {
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
func (c *cut) handOn(label int64, sub Subtree) {
	if c.handed[label] == nil {
		c.order = append(c.order, label)
	}
	c.handed[label] = append(c.handed[label], sub)
}

// crosses reports whether a moment has a label. Then it is noted, once: a region begins there.
func (e *states) crosses(m *moment, depth int) bool {
	label := e.cut.labelOf(m)
	if label != open && e.seen.add(e.keyOf(m)) {
		e.cut.handOn(label, Subtree{Kind: wholeCall, Steps: EncodeSchedule(e.wayTo(depth))})
	}
	return label != open
}

// begins is crosses of where a task begins: a moment, or one that was visited and has
// choices left.
func (e *states) begins(s *stretch) bool {
	label := e.cut.labelOf(s.m)
	if label != open && (s.kind == restOther || e.seen.add(e.keyOf(s.m))) {
		e.cut.handOn(label, s.describe())
	}
	return label != open
}

// mostRegions is into how many regions one is divided at most.
const mostRegions = 64

// regions are the regions of the labels, those with most beginnings first. Where there
// are too many, some are joined.
func (c *cut) regions() []Subtree {
	labels := slices.Clone(c.order)
	slices.SortStableFunc(labels, func(a, b int64) int { return cmp.Compare(len(c.handed[b]), len(c.handed[a])) })
	list := make([]Subtree, min(len(labels), mostRegions))
	for i, label := range labels {
		r := &list[i%len(list)]
		r.Kind = region
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

// dividing divides a region: see Part.Divide.
type dividing struct {
	*Exploration
	e    *states
	todo []Subtree
	cuts []int32 // how many answers of each session the region has in common
	vain []int32 // how often each session has left too many states open
	base *Memory

	found []*Found // of the present attempt
	send  func(*Found) error
	done  counts                 // of what counts so far
	met   map[errorKind]ErrorMet // likewise
	steps int64
}

// divide explores what the region's next cut leaves open, and hands on the others. A
// small region is explored as a whole.
func (x *Exploration) divide(f *Frontier) error {
	d := &dividing{Exploration: x, e: x.workers[0].algorithm.(*states), todo: []Subtree{{Kind: wholeCall}}, cuts: make([]int32, x.prog.Sessions()), vain: make([]int32, x.prog.Sessions())}
	if f != nil {
		d.base, d.todo = f.Memory, beginnings(f.Subtrees)
		if len(f.Subtrees) == 1 && len(f.Subtrees[0].Cuts) == len(d.cuts) {
			copy(d.cuts, f.Subtrees[0].Cuts)
			copy(d.vain, f.Subtrees[0].Vain)
		}
	}
	x.share.tasks = nil
	d.send = x.delivery.send
	x.delivery.send = func(f *Found) error { d.found = append(d.found, f); return nil }
	err := d.run()
	if r := x.share.halt.Load(); err == errStopped && r != nil && *r == ByViolation {
		return cmp.Or(d.keep(), err)
	}
	return err
}

func (d *dividing) run() error {
	ok, err := false, error(nil)
	if small := d.opts.Part.Divide; int64(len(d.todo)) < small {
		ok, err = d.attempt(nil, small)
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
		c := &cut{prog: d.prog, session: order[tried], answers: int(d.cuts[order[tried]]) + 1, handed: map[int64][]Subtree{}}
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
		if i != d.prog.Final() && d.e.alike.cuts(i) {
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
		d.e.limit = d.done.explored + most
	}
	for i := range d.todo {
		if err := d.e.worker.do(&d.todo[i]); err == errSpent {
			return false, d.reset()
		} else if err != nil {
			return false, err
		}
	}
	return true, d.keep()
}

// keep makes what was met count.
func (d *dividing) keep() error {
	d.done, d.steps, d.met = d.e.count, d.e.steps, map[errorKind]ErrorMet{}
	for k, m := range d.e.met {
		d.met[k] = *m
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
	d.e.count, d.e.steps, d.e.met = d.done, d.steps, map[errorKind]*ErrorMet{}
	for k, m := range d.met {
		m.At = slices.Clone(m.At)
		d.e.met[k] = &m
	}
	d.delivery.counted.Store(d.done.histories)
	*d.e.memory = memory{}
	return d.e.memory.know(d.base)
}

// beginnings lists what regions consist of.
func beginnings(list []Subtree) (out []Subtree) {
	for _, s := range list {
		if s.Kind == region {
			out = append(out, s.Inner...)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// Everything is the region of all states.
func Everything() []Subtree { return []Subtree{{Kind: region, Inner: []Subtree{{Kind: wholeCall}}}} }

// Regions are what is left: of the engine States regions, and of others subtrees.
func (f *Frontier) Regions() []Subtree {
	isRegion := func(s Subtree) bool { return s.Kind == region }
	if f.Engine != States || len(f.Subtrees) == 0 || slices.ContainsFunc(f.Subtrees, isRegion) {
		return f.Subtrees
	}
	return []Subtree{{Kind: region, Inner: f.Subtrees}}
}
