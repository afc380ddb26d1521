package program

import (
	"errors"
	"fmt"
)

// Sessions declares n sessions that run the same code: session i, from 0, is called
// name-i, and body gets its number. They are declared one after another, as by
// [Program.Session].
//
// Histories are one when they differ only in which session is which. An exploration takes
// one history of each kind, as long as the sessions do the same. Keys and values that
// belong to one session may differ. The number i may be such a value, or part of such a
// key. Under the model of a database they have to do the same with the same keys and
// values. Where the sessions turn out to differ, all histories are explored.
func (p *Program) Sessions(n int, name string, body func(s *Session, i int)) {
	loc := p.declaring("Sessions")
	p.needs(loc, fmt.Sprintf("the sessions %q", name), body != nil)
	if n < 1 {
		p.run.misuse(loc, "Sessions %q declares %d sessions: give a number of at least 1", name, n)
	}
	if name == "" {
		p.run.misuse(loc, "these sessions have no name: give them one")
	}
	set := 1
	for _, d := range p.sessions {
		set = max(set, d.set+1)
	}
	for i := range n {
		own := fmt.Sprintf("%s-%d", name, i)
		p.declare(declaration{what: "session", name: own, loc: loc})
		p.sessions = append(p.sessions, sessionDecl{own, func(s *Session) { body(s, i) }, set})
	}
}

// Alike returns the sets of sessions that calls of [Program.Sessions] declare, those
// of one session left out.
func (c *Client) Alike() (sets [][]int) {
	for i, d := range c.shape.sessions {
		if d.set == 0 {
			continue
		}
		for len(sets) < d.set {
			sets = append(sets, nil)
		}
		sets[d.set-1] = append(sets[d.set-1], i)
	}
	all := sets
	sets = nil
	for _, set := range all {
		if len(set) > 1 {
			sets = append(sets, set)
		}
	}
	return sets
}

// LookAlike returns sets of sessions that begin alike, up to a renaming of keys and values. Under
// the model of a database there is no renaming. The sets that are declared are among them.
// Whether they go on alike an exploration finds out.
func (c *Client) LookAlike() (sets [][]int, err error) {
	sets = c.Alike()
	placed := map[int]bool{}
	for _, set := range sets {
		for _, s := range set {
			placed[s] = true
		}
	}
	var others [][]int
	for s := range c.shape.sessions {
		if placed[s] {
			continue
		}
		i, err := c.likeOneOf(others, s)
		if err != nil {
			return nil, err
		}
		if i == len(others) {
			others = append(others, nil)
		}
		others[i] = append(others[i], s)
	}
	for _, set := range others {
		if len(set) > 1 {
			sets = append(sets, set)
		}
	}
	return sets, nil
}

// likeOneOf returns the first of the sets to whose sessions s is alike, or their number.
func (c *Client) likeOneOf(sets [][]int, s int) (int, error) {
	for i, set := range sets {
		err := c.begin([][]int{{set[len(set)-1], s}})
		var d *Difference
		if err == nil {
			return i, nil
		}
		if !errors.As(err, &d) {
			return 0, err
		}
	}
	return len(sets), nil
}

// begin looks at the roots of all sessions. Under the model of a database they have to do
// the same without a renaming.
func (c *Client) begin(sets [][]int) error {
	look := c.NewSymmetry(sets).Holds
	if c.opts.Database {
		look = c.NewCopies(sets).Look
	}
	for s := range c.trees {
		root, err := c.Root(s)
		if err == nil {
			err = look(root)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
