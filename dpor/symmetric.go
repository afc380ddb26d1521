package dpor

import (
	"encoding/binary"
	"errors"
	"slices"
	"sync"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/semantics"
)

// An exploration takes the sets of sessions that it is given for alike until it meets
// what tells two of them apart. Then it begins again with smaller sets, as often as it
// takes: each time a set falls into two. What it has handed on by then is not handed on
// again.

// symmetric is the symmetry of an exploration.
type symmetric struct {
	now *symmetry // nil: none
	off []string

	engine Engine // without symmetry
	base   isolation.Level

	mu      sync.Mutex
	anew    bool // it has begun again
	handed  map[string]bool
	given   []Outcome // under the model of a database: what was handed on
	wanting bool      // what is handed on has to be remembered
	parts   [][]program.Met
	misfit  error
}

// sets are those of sessions that are taken for alike.
func (y *symmetric) sets() [][]int {
	if y.now == nil {
		return nil
	}
	return y.now.sets
}

// images are the nodes that stand for a node where sessions are exchanged; of the engine
// States.
func (y *symmetric) images(n *program.Node) []*program.Node {
	if copies := y.now.copied(); copies != nil {
		return copies.All(n)
	}
	return []*program.Node{n}
}

// beginSymmetry begins with the sets of the options, where an engine can use them; swaps
// says that the engine Swap was asked for.
func (x *Exploration) beginSymmetry(swaps bool) {
	o, y := &x.opts, &x.symmetric
	sets := o.Symmetric
	if o.Bound != nil {
		return
	}
	var before *Alike
	if o.Resume != nil {
		before = o.Resume.Symmetry
	}
	switch why := x.noSymmetry(); {
	case before != nil && why == "":
		if y.misfit = x.resumeSymmetry(before); !o.Resume.Untouched {
			sets = before.Sets
		}
		if y.misfit == nil && !fitSets(sets, x.prog) {
			y.misfit = misfit("sessions are said to be alike that are not there")
		}
		if y.misfit != nil {
			return
		}
	case len(sets) == 0:
		return
	case why == "" && o.Resume != nil && !o.Resume.Untouched:
		why = "it was begun on a cluster, or without symmetry: all histories are explored"
		fallthrough
	case why != "":
		y.off = []string{why}
		return
	default:
		y.wanting, y.handed = (o.All || o.List) && o.Part == nil, map[string]bool{}
	}
	if y.handed = y.renamed(); len(sets) == 0 {
		return
	}
	y.engine, y.base = o.Engine, o.Base
	if o.Engine != States && !swaps {
		o.Engine, o.Base = Serial, o.Level.Base()
	}
	y.now = newSymmetry(x.prog, sets, o.Engine)
	y.handed = y.renamed()
}

// noSymmetry says why all histories are explored, or "".
func (x *Exploration) noSymmetry() string {
	switch o := &x.opts; {
	case o.Engine == States && o.Ways:
		return "where executions are counted, and not outcomes, all are explored"
	case x.prog.Grows():
		return "of a program whose statements a database evaluates all histories are explored"
	case o.DFS:
		return "the baseline without reduction explores all histories"
	}
	return ""
}

// symmetrically explores, and again with smaller sets when sessions turn out to differ.
func (x *Exploration) symmetrically(round func() error) error {
	for {
		err := round()
		var d *program.Difference
		if x.symmetric.now == nil || !errors.As(err, &d) {
			return err
		}
		if x.opts.Part != nil {
			return x.opts.Checkpoint(&Frontier{Engine: x.opts.Engine, Symmetry: &Alike{Sets: x.symmetric.sets(), Apart: d}})
		}
		if err := x.apart(d); err != nil {
			return err
		}
	}
}

// apart lets the exploration begin again, with the two sessions in different sets.
func (x *Exploration) apart(d *program.Difference) error {
	sets := Separate(x.symmetric.sets(), d)
	x.mu.Lock()
	x.symmetric.now, x.symmetric.off = newSymmetry(x.prog, sets, x.opts.Engine), append(x.symmetric.off, d.What)
	x.symmetric.anew, x.symmetric.handed = true, x.symmetric.renamed()
	if x.symmetric.now == nil {
		x.opts.Engine, x.opts.Base = x.symmetric.engine, x.symmetric.base
	}
	x.mu.Unlock()
	return x.renew()
}

// Separate cuts the set of the two sessions, which are neighbours there, between them.
func Separate(sets [][]int, d *program.Difference) (parts [][]int) {
	for _, set := range sets {
		i := slices.Index(set, d.B)
		if i < 1 || set[i-1] != d.A {
			parts = append(parts, set)
			continue
		}
		for _, part := range [][]int{set[:i], set[i:]} {
			if len(part) > 1 {
				parts = append(parts, part)
			}
		}
	}
	return parts
}

// repeats reports whether a history was handed on before the exploration began again,
// or an image of it.
func (y *symmetric) repeats(f *Found, prog *program.Client) bool {
	if !y.wanting {
		return false
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	if f.History == nil {
		return y.repeatsOutcome(f, prog)
	}
	name := named(f.History, func(s int) int { return s })
	if y.anew && len(y.handed) > 0 {
		if y.handed[name] {
			return true
		}
		for _, p := range y.perms() {
			if y.handed[named(f.History, func(s int) int { return int(p.to[s]) })] {
				return true
			}
		}
	}
	if y.now != nil {
		y.handed[name] = true
	}
	return false
}

func (y *symmetric) perms() []permutation {
	if y.now == nil {
		return nil
	}
	return y.now.group.perms
}

// named is a text that stands for the history whose session s is called name(s):
// reads by their writers, in order. What the sessions do follows from that.
func named(h *semantics.History, name func(int) int) string {
	sessions := make([][]byte, h.Sessions)
	for i := range h.Txns[1:] {
		t := &h.Txns[1+i]
		text := &sessions[name(t.Session)]
		for _, e := range t.Events {
			if e.Kind != semantics.Read || e.From == semantics.Own {
				continue
			}
			writer := &h.Txns[e.From]
			if e.From == 0 {
				*text = binary.AppendVarint(*text, -1)
				continue
			}
			*text = binary.AppendVarint(*text, int64(name(writer.Session)))
			*text = binary.AppendVarint(*text, int64(writer.Index))
		}
		*text = binary.AppendVarint(*text, -2)
	}
	for i := range sessions {
		sessions[i] = binary.AppendVarint(sessions[i], -3)
	}
	return string(slices.Concat(sessions...))
}
