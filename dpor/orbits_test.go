package dpor_test

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/reference"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
)

// Orbits of histories under permutations of sessions, by their definition.

// sets are those of sessions that a random program says are alike.
type sets [][]int

// alike returns random programs in which some sessions are copies of each other, but
// for the values that they write. One program in four has no copies, and says all the
// same that it has.
func alike(t testing.TB, name string, n int, s shape, enough func() bool) iter.Seq2[*prog, sets] {
	r := random(name)
	return func(yield func(*prog, sets) bool) {
		for range deadlinetest.Until(t, n, enough) {
			p, which := copies(r, s)
			for len(histories(p, s.histories)) < few {
				p, which = copies(r, s)
			}
			if !yield(p, which) {
				return
			}
		}
	}
}

func copies(r *rand.Rand, s shape) (*prog, sets) {
	p := s.sketch(r)
	if len(p.final) > 0 && r.IntN(2) == 0 {
		p.final = nil
	}
	n := 2 + r.IntN(3)
	if r.IntN(4) > 0 {
		for len(p.sessions) < n {
			p.sessions = append(p.sessions, nil)
		}
		text := (&prog{sessions: p.sessions[:1]}).String()
		for i := 1; i < n; i++ {
			p.sessions[i] = parse(text).sessions[0]
		}
	}
	p.number()
	n = min(n, len(p.sessions))
	var which sets
	switch {
	case n == 4 && r.IntN(3) == 0:
		which = sets{{0, 2}, {1, 3}}
	default:
		which = sets{{}}
		for i := range n {
			which[0] = append(which[0], i)
		}
	}
	return p, which
}

// text of a program with its sets, for messages.
func (s sets) of(p *prog) string { return fmt.Sprintf("%v with alike %v", p, [][]int(s)) }

// orbit returns the histories that permutations of the sets make of a history, as
// structures.
func orbitOf(h *reference.History, s [][]int) map[string]bool {
	to := make([]int, len(h.Sessions))
	for i := range to {
		to[i] = i
	}
	out := map[string]bool{}
	var permute func(i, k int)
	permute = func(i, k int) {
		switch {
		case i == len(s):
			out[structure(h, func(a int) int { return to[a] })] = true
		case k == len(s[i]):
			permute(i+1, 0)
		default:
			for j := k; j < len(s[i]); j++ {
				a, b := s[i][k], s[i][j]
				to[a], to[b] = to[b], to[a]
				permute(i, k+1)
				to[a], to[b] = to[b], to[a]
			}
		}
	}
	permute(0, 0)
	return out
}

// structure is who reads from whom, with sessions called by name. What is read and
// written follows from that.
func structure(h *reference.History, name func(int) int) string {
	sessions := make([]string, len(h.Sessions))
	for i, logs := range h.Sessions {
		var b strings.Builder
		for _, l := range logs {
			for _, s := range l.Steps {
				switch {
				case s.Write || s.Own:
				case s.From == reference.Init:
					b.WriteString("init ")
				default:
					fmt.Fprintf(&b, "%d.%d ", name(s.From.Session), s.From.Index)
				}
			}
			b.WriteString("; ")
		}
		sessions[name(i)] = b.String()
	}
	return strings.Join(sessions, "| ")
}

// upToSymmetry compares an exploration up to symmetry with the reference: each orbit
// once, its size, and the sum.
func upToSymmetry(client *program.Client, all map[string]*reference.History, opts dpor.Options) (stats dpor.Stats, err error) {
	opts.All, opts.List = true, true
	x := dpor.Explore(context.Background(), client, opts)
	var found []representative
	for f, err := range x.Histories() {
		if err != nil {
			return stats, err
		}
		h, err := toReference(f.History, client)
		if err != nil {
			return stats, err
		}
		found = append(found, representative{h, f.Orbit})
	}
	stats = x.Stats()
	return stats, coverOrbits(found, all, stats, opts.Level)
}

// representative is a history that was handed on, and how large its orbit is said to be.
type representative struct {
	h    *reference.History
	size int64
}

// coverOrbits compares what an exploration has found with the reference.
func coverOrbits(found []representative, all map[string]*reference.History, stats dpor.Stats, level isolation.Level) error {
	left := map[string]bool{}
	for _, h := range all {
		if h.Satisfies(level) {
			left[structure(h, func(s int) int { return s })] = true
		}
	}
	total := int64(len(left))
	if !stats.Complete {
		return fmt.Errorf("not complete: %v", stats.Stopped)
	}
	if stats.Symmetry.Histories != total {
		return fmt.Errorf("%d histories by orbits, want %d", stats.Symmetry.Histories, total)
	}
	again := len(stats.Symmetry.Off) > 0 // what was handed on before has another orbit
	if int64(len(found)) != stats.Histories {
		return fmt.Errorf("%d histories handed on, %d counted", len(found), stats.Histories)
	}
	for _, f := range found {
		images := orbitOf(f.h, stats.Symmetry.Sets)
		for s := range images {
			if !left[s] {
				return fmt.Errorf("an image of %v is no history, or comes twice: %v", f.h, s)
			}
			delete(left, s)
		}
		if f.size != int64(len(images)) && !again {
			return fmt.Errorf("the orbit of %v has %d histories, said to be %d", f.h, len(images), f.size)
		}
	}
	for s := range left {
		return fmt.Errorf("%d histories are in no orbit, such as %v", len(left), s)
	}
	return nil
}
