package anomaly_test

import (
	"fmt"
	"slices"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/anomaly"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// checker verifies proofs from the definitions alone: every edge stands in the
// history or follows by its rule from a premise that is checked in turn.
type checker struct {
	h       *semantics.History
	level   isolation.Level
	assumed []anomaly.Edge
}

// point is when a transaction reads or when its writes become visible; they are
// the same at serializability.
type point bool

const (
	reading point = false
	commits point = true
)

func (c *checker) proof(p *anomaly.Proof) error {
	set := 0
	for _, b := range []bool{p.Cycle != nil, p.Split != nil, p.BadRead != nil, p.Exhausted} {
		if b {
			set++
		}
	}
	switch {
	case set != 1 || p.Level != c.level:
		return fmt.Errorf("not one proof of %v: %+v", c.level, p)
	case p.Cycle != nil:
		return c.cycle(p.Cycle)
	case p.Split != nil:
		return c.split(p.Split)
	}
	return nil
}

func (c *checker) split(s *anomaly.Split) error {
	if s.A == s.B || s.A == 0 || s.B == 0 || !writes(c.h, s.A, s.Var) || !writes(c.h, s.B, s.Var) {
		return fmt.Errorf("%d and %d are not two writers of %d", s.A, s.B, s.Var)
	}
	n := len(c.assumed)
	defer func() { c.assumed = c.assumed[:n] }()
	c.assumed = append(c.assumed, anomaly.Edge{From: s.A, To: s.B, Var: s.Var})
	if err := c.proof(s.AFirst); err != nil {
		return err
	}
	c.assumed[n] = anomaly.Edge{From: s.B, To: s.A, Var: s.Var}
	return c.proof(s.BFirst)
}

func (c *checker) cycle(edges []anomaly.Edge) error {
	seen := map[int]bool{}
	for _, e := range edges {
		if seen[e.From] {
			return fmt.Errorf("%d stands twice in the cycle", e.From)
		}
		seen[e.From] = true
	}
	first := edges[0]
	if c.level <= isolation.CC {
		return c.weak(edges)
	}
	from, _ := c.points(first)
	return c.path(edges, first.From, from, first.From, from)
}

// weak checks a cycle at RC, RA or CC. It has so, wr and forced ww edges. Or it has an
// rw edge that so and wr justify, and the path that shows φ.
func (c *checker) weak(edges []anomaly.Edge) error {
	if err := c.chain(edges, edges[0].From, edges[0].From); err != nil {
		return err
	}
	for i, e := range edges {
		if err := c.edge(e); err != nil {
			return err
		}
		if e.Kind == anomaly.WW && !c.phi(e.Reason.Premise, e) || e.Kind == anomaly.RW && (i > 0 || !c.phi(edges[1:], e) || !basic(e.Reason.Premise)) {
			return fmt.Errorf("%v does not force %+v", c.level, e)
		}
	}
	return nil
}

// phi reports whether the path shows that the read of e sees where it begins.
func (c *checker) phi(path []anomaly.Edge, e anomaly.Edge) bool {
	if !basic(path) || len(path) == 0 || path[len(path)-1].To != e.Reader {
		return false
	}
	switch c.level {
	case isolation.RC:
		return len(path) == 1 && path[0].Kind == anomaly.WR && path[0].Event < e.Event
	case isolation.RA:
		return len(path) == 1
	}
	return true
}

func basic(path []anomaly.Edge) bool {
	return !slices.ContainsFunc(path, func(e anomaly.Edge) bool { return e.Kind == anomaly.WW || e.Kind == anomaly.RW })
}

// points says where an edge begins and ends.
func (c *checker) points(e anomaly.Edge) (from, to point) {
	switch {
	case e.Kind == anomaly.RW:
		return reading, commits
	case e.Kind == anomaly.WW && c.level == isolation.PC:
		return commits, commits
	}
	return commits, reading
}

func (c *checker) chain(edges []anomaly.Edge, from, to int) error {
	at := from
	for _, e := range edges {
		if e.From != at {
			return fmt.Errorf("%+v does not begin at %d", e, at)
		}
		at = e.To
	}
	if at != to || len(edges) == 0 {
		return fmt.Errorf("the path from %d ends at %d, not at %d", from, at, to)
	}
	return nil
}

// path checks that edges lead from a point to another: a transaction's read
// point comes before its write point and never the other way round.
func (c *checker) path(edges []anomaly.Edge, from int, p point, to int, q point) error {
	if err := c.chain(edges, from, to); err != nil {
		return err
	}
	for _, e := range edges {
		begin, end := c.points(e)
		if c.level < isolation.SER && p == commits && begin == reading {
			return fmt.Errorf("%+v begins before the path has come there", e)
		}
		if err := c.edge(e); err != nil {
			return err
		}
		p = end
	}
	if c.level < isolation.SER && p == commits && q == reading {
		return fmt.Errorf("the path ends after where it should")
	}
	return nil
}

// edge checks a single edge.
func (c *checker) edge(e anomaly.Edge) error {
	wrong := fmt.Errorf("wrong edge %+v", e)
	switch e.Kind {
	case anomaly.SO:
		if !sessionOrder(c.h, e.From, e.To) || e.Var != anomaly.NoVar || e.Reason != nil {
			return wrong
		}
		return nil
	case anomaly.WR:
		if e.Reader != e.To || !c.reads(e, e.Var, e.From) || e.Reason != nil {
			return wrong
		}
		return nil
	}
	if e.From == e.To || !writes(c.h, e.To, e.Var) {
		return wrong
	}
	if e.Kind == anomaly.RW {
		if e.Reader != e.From || e.Reason.Rule != anomaly.Overwritten || e.Reason.Source == e.To || !c.reads(e, e.Var, e.Reason.Source) {
			return wrong
		}
		return c.path(e.Reason.Premise, e.Reason.Source, commits, e.To, commits)
	}
	return c.writeWrite(e, wrong)
}

func (c *checker) writeWrite(e anomaly.Edge, wrong error) error {
	if !writes(c.h, e.From, e.Var) || e.Reason.Source != -1 {
		return wrong
	}
	switch e.Reason.Rule {
	case anomaly.Seen:
		if e.Reader == e.From || !c.reads(e, e.Var, e.To) {
			return wrong
		}
		return c.path(e.Reason.Premise, e.From, commits, e.Reader, reading)
	case anomaly.FirstCommitter:
		if c.level != isolation.SI || e.Reader != -1 {
			return wrong
		}
		return c.path(e.Reason.Premise, e.From, reading, e.To, commits)
	case anomaly.Assumed:
		if slices.ContainsFunc(c.assumed, func(a anomaly.Edge) bool { return a.From == e.From && a.To == e.To && a.Var == e.Var }) {
			return nil
		}
	}
	return wrong
}

// reads reports whether the edge's read is an external one of x from a
// transaction.
func (c *checker) reads(e anomaly.Edge, x behaviour.VarID, from int) bool {
	r := c.h.Txns[e.Reader].Events[e.Event]
	return r.Kind == semantics.Read && r.Var == x && r.From == from && from != semantics.Own
}

func sessionOrder(h *semantics.History, a, b int) bool {
	t, u := h.Txns[a], h.Txns[b]
	switch {
	case a == 0 || b == 0:
		return a == 0 && b != 0
	case t.Session == u.Session:
		return t.Index < u.Index
	}
	return u.Session == h.Final
}

// show is a history, a line for each transaction.
func show(h *semantics.History) string {
	s := fmt.Sprintf("final session %d\n", h.Final)
	for i, t := range h.Txns[1:] {
		s += fmt.Sprintf("%d: session %d, %v:", i+1, t.Session, t.Status)
		for _, e := range t.Events {
			if e.Kind == semantics.Write {
				s += fmt.Sprintf(" w%c", 'x'+e.Var)
			} else {
				s += fmt.Sprintf(" r%c<%d", 'x'+e.Var, e.From)
			}
		}
		s += "\n"
	}
	return s
}
