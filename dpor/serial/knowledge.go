package serial

import (
	"reflect"
	"slices"

	"github.com/txmc/txmc/dpor/orbit"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// What the passes of the serial engine know, as data of any process.

// Passes is where the serial engine stands with its passes: passes.go. Accesses are
// keys by session and position.
type Passes struct {
	Known  [][]Access `json:"known"`
	Before [][]Access `json:"before,omitempty"`
	First  bool       `json:"first,omitempty"` // there was no pass before
	Noted  [][]Access `json:"noted,omitempty"`
	News   bool       `json:"news,omitempty"`
}

// Access are the keys that a transaction may read from others, and write.
type Access struct {
	Reads  []string `json:"r,omitempty"`
	Writes []string `json:"w,omitempty"`
}

// Sessions is of how many sessions something is known.
func (p *Passes) Sessions() int { return max(len(p.Known), len(p.Before), len(p.Noted)) }

// keys turns accesses into keys.
func (a *Accesses) keys(c *program.Client) [][]Access {
	if a == nil {
		return nil
	}
	list := func(v varSet) (keys []string) {
		for x := range behaviour.VarID(len(v) * 64) {
			if v.has(x) {
				keys = append(keys, c.RawKey(x))
			}
		}
		return keys
	}
	out := make([][]Access, len(a.sessions))
	for s := range a.sessions {
		for _, t := range a.sessions[s] {
			out[s] = append(out[s], Access{list(t.reads), list(t.writes)})
		}
	}
	return out
}

// fromKeys is the inverse of keys.
func fromKeys(c *program.Client, rows [][]Access) *Accesses {
	a := &Accesses{}
	for s, row := range rows {
		for i, t := range row {
			at := a.at(s, i)
			for _, k := range t.Reads {
				at.reads.add(c.Variable(k))
			}
			for _, k := range t.Writes {
				at.writes.add(c.Variable(k))
			}
		}
	}
	return a
}

// union joins accesses by session and position.
func union(a, b [][]Access) [][]Access {
	out := make([][]Access, max(len(a), len(b)))
	for _, rows := range [][][]Access{a, b} {
		for s, row := range rows {
			for i, t := range row {
				if i == len(out[s]) {
					out[s] = append(out[s], Access{})
				}
				at := &out[s][i]
				at.Reads, at.Writes = joined(at.Reads, t.Reads), joined(at.Writes, t.Writes)
			}
		}
	}
	return out
}

// joined is the ascending union of two lists of keys.
func joined(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// Add adds what a part of the pass has noted.
func (p *Passes) Add(part *Passes) {
	p.Noted = union(p.Noted, part.Noted)
	p.News = p.News || part.News
}

// Next is the pass in which is known what was noted.
func (p *Passes) Next() *Passes { return &Passes{Known: union(p.Noted, p.Known), Before: p.Known} }

// NextClosed is next, with knowledge that is closed under the renamings. It is nil when nothing
// was noted and the knowledge of the pass was closed already.
func (p *Passes) NextClosed(y *orbit.Symmetry, prog *program.Client) *Passes {
	known := fromKeys(prog, p.Known)
	if p.News {
		known.union(fromKeys(prog, p.Noted))
	}
	known.close(y)
	all, before := union(known.keys(prog), p.Known), union(p.Known, nil)
	if !p.News && reflect.DeepEqual(all, before) {
		return nil
	}
	return &Passes{Known: all, Before: p.Known}
}
