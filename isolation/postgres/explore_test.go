package postgres

import (
	"slices"
	"testing"

	"github.com/txmc/txmc/isolation/statement"
)

// explorer visits the executions of a program depth first. It keeps one machine
// for each depth. Without reduction it visits all interleavings; with sleep sets
// (Godefroid 1996, section 5) it leaves out steps that commute with what was done
// before; with a cache it visits each state once. With both, a state is visited
// again only for the steps that slept on all visits before (section 5.3).
type explorer struct {
	sleep, cache bool
	check        func(m *Machine) // called with every state, nil for nothing

	frames     []*frame
	keyer      Keyer
	seen       map[Key]uint64 // sessions that have slept on all visits
	outcomes   map[string]bool
	executions int
	steps      int
	stuck      int
}

type frame struct {
	machine *Machine
	choices []Choice
	certain bool // nothing on the way was left to time
}

// sleeper is a session whose next step need not be taken, and the step's
// footprint.
type sleeper struct {
	session int8
	print   Footprint
}

func newExplorer(t testing.TB, p *statement.Program, races bool) *explorer {
	t.Helper()
	m, err := NewMachine(p, races)
	if err != nil {
		t.Fatal(err)
	}
	return &explorer{frames: []*frame{{machine: m, certain: true}}, outcomes: map[string]bool{}, seen: map[Key]uint64{}}
}

func (x *explorer) run() *explorer {
	if x.sleep {
		x.frames[0].machine.Record()
	}
	x.frames[0].choices = x.frames[0].machine.Enabled(nil)
	x.visit(0, nil)
	return x
}

func exploreAll(t testing.TB, p *statement.Program, races bool) *explorer {
	return newExplorer(t, p, races).run()
}

func exploreReduced(t testing.TB, p *statement.Program, races, sleep, cache bool) *explorer {
	x := newExplorer(t, p, races)
	x.sleep, x.cache = sleep, cache
	return x.run()
}

func (x *explorer) frame(d int) *frame {
	for len(x.frames) <= d {
		x.frames = append(x.frames, &frame{machine: &Machine{}})
	}
	return x.frames[d]
}

// visit explores what follows the state of frame d, where sessions may begin
// actions: the frame's choices.
func (x *explorer) visit(d int, asleep []sleeper) {
	f := x.frames[d]
	if x.check != nil {
		x.check(f.machine)
	}
	skip := sleepers(asleep)
	if x.cache {
		key := f.machine.Key(&x.keyer)
		before, again := x.seen[key]
		if again && before&^skip == 0 {
			return
		}
		if again {
			// All but these were taken on an earlier visit.
			skip |= ^before
			x.seen[key] = before & sleepers(asleep)
		} else {
			x.seen[key] = skip
		}
	}
	if len(f.choices) == 0 {
		x.end(f)
		return
	}
	for _, c := range f.choices {
		if skip>>c.N&1 == 1 {
			continue
		}
		var print Footprint
		x.step(d, c, asleep, &print)
		if x.sleep {
			asleep = append(asleep[:len(asleep):len(asleep)], sleeper{c.N, print})
		}
	}
}

func sleepers(asleep []sleeper) (set uint64) {
	for _, s := range asleep {
		set |= 1 << s.session
	}
	return set
}

// step takes a choice in frame d, and then everything that is left to time; it
// collects the footprints of all these ways.
func (x *explorer) step(d int, c Choice, asleep []sleeper, print *Footprint) {
	n := x.frame(d + 1)
	n.machine.CopyFrom(x.frames[d].machine)
	n.machine.Step(c)
	n.certain = x.frames[d].certain && c.Kind == RunSession && !deadlocked(n.machine)
	x.steps++
	n.choices = n.machine.Enabled(n.choices[:0])
	if len(n.choices) > 0 && n.choices[0].Kind != RunSession {
		n.certain = false
		for _, c := range slices.Clone(n.choices) {
			x.step(d+1, c, asleep, print)
		}
		return
	}
	var inherited []sleeper
	if x.sleep {
		own := n.machine.Footprint()
		*print = append(*print, own...)
		for _, s := range asleep {
			if !s.print.Conflicts(own, n.machine.Tables()) {
				inherited = append(inherited, s)
			}
		}
	}
	x.visit(d+1, inherited)
}

func deadlocked(m *Machine) bool {
	return slices.ContainsFunc(m.Done(), func(c Completion) bool { return c.Result.Code == DeadlockDetected.String() })
}

func (x *explorer) end(f *frame) {
	x.executions++
	if f.machine.Stuck() {
		x.stuck++
	}
	o := f.machine.Outcome()
	x.outcomes[o] = x.outcomes[o] || f.certain
}
