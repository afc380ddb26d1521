package dpor_test

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/reference"
	"github.com/txmc/txmc/program/deadlinetest"
)

// Locking reads (docs/levels.md): the engines against the reference, whose axiom
// is the definition.

// unlocked is all histories with plain reads in the place of locking reads.
func unlocked(all map[string]*reference.History) map[string]*reference.History {
	out := map[string]*reference.History{}
	for key, h := range all {
		out[key] = h.Unlocked()
	}
	return out
}

// lockingPrograms yields random programs, some or all of whose reads are locking.
func lockingPrograms(name string, n int, s shape) iter.Seq[*prog] {
	r := random(name + " locks")
	return func(yield func(*prog) bool) {
		for p := range randomPrograms(name, n, s) {
			in := 1 + r.IntN(3)
			for _, txns := range p.all() {
				for i := range txns {
					lock(r, txns[i].body, in)
				}
			}
			if !yield(p) {
				return
			}
		}
	}
}

// lock makes about one read in so many a locking one.
func lock(r *rand.Rand, ops []op, in int) {
	for i := range ops {
		o := &ops[i]
		lock(r, o.then, in)
		lock(r, o.orElse, in)
		switch {
		case r.IntN(in) > 0:
		case o.kind == opRead:
			o.kind = opLock
		case o.kind == opInc:
			o.kind = opUpd
		}
	}
}

// lockShards is shards for locking programs.
func lockShards(t *testing.T, n int, s shape, check func(*prog) error) {
	const k = 4
	for i := range k {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			checkPrograms(t, lockingPrograms(t.Name(), (n+k-1)/k, s), check)
		})
	}
}

// With locking reads the engines list exactly the histories of the reference, at
// all six levels, over every base.
func TestLockingPrograms(t *testing.T) { lockShards(t, countFlag.N()/6, rich, exploreCEStar) }

// The same for more transactions with fewer operations.
func TestLockingWidePrograms(t *testing.T) { lockShards(t, countFlag.N()/8, wide, exploreCE) }

// The same by the baseline.
func TestLockingProgramsDFS(t *testing.T) { lockShards(t, countFlag.N()/8, small, dfs) }

// Deciding a history with locking reads agrees with the axioms by definition, also
// for histories that no program has to give.
func TestLockingByDefinition(t *testing.T) {
	t.Parallel()
	r := random(t.Name())
	decided := map[isolation.Level][2]int{}
	n := historiesFlag.N() / 4
	enough := func() bool {
		return !slices.ContainsFunc(isolation.Levels(), func(l isolation.Level) bool {
			c := decided[l]
			return c[0] < n/20 || c[1] < n/500 && l != isolation.SER
		})
	}
	for range deadlinetest.Until(t, n, enough) {
		h := randomHistory(r)
		in := 1 + r.IntN(4)
		for _, logs := range h.Sessions {
			for _, l := range logs {
				for i := range l.Steps {
					s := &l.Steps[i]
					s.Lock = !s.Write && !s.Own && r.IntN(in) == 0
				}
			}
		}
		g, data, plain := h.Relations(), h.Data(), h.Unlocked().Relations()
		for l := isolation.True; l <= isolation.SER; l++ {
			want := g.Satisfies(l)
			if got := isolation.Satisfies(data, l); got != want {
				t.Fatalf("-seed=%d: %v is decided %v, by definition %v: %v (final session %d)", seed(), l, got, want, h, h.Final)
			}
			if count := decided[l]; want {
				decided[l] = [2]int{count[0] + 1, count[1]}
			} else if plain.Satisfies(l) {
				decided[l] = [2]int{count[0], count[1] + 1}
			}
		}
	}
	t.Logf("of %d histories or more, by level: allowed, and forbidden by locking reads alone: %v", n, decided)
	if c := decided[isolation.SER]; c[1] > 0 {
		t.Errorf("locking reads alone forbid %d serializable histories", c[1])
	}
}

// Counts of histories at rc, ra, cc, pc, si and ser, by the engines and by
// definition; docs/levels.md has most of these programs.
func TestLockingGolden(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		program string
		counts  [6]int
	}{
		{"upd x | upd x", [6]int{2, 2, 2, 2, 2, 2}}, // no update is lost
		{"upd x | upd x | upd x", [6]int{6, 6, 6, 6, 6, 6}},
		{"upd x ; upd x | upd x ; upd x", [6]int{6, 6, 6, 6, 6, 6}},
		{"inc x | upd x", [6]int{3, 3, 3, 3, 2, 2}},                 // but one is that a plain read and a write overwrite
		{"l x w y | l y w x", [6]int{2, 2, 2, 2, 2, 2}},             // each waits for the other
		{"r x w y | l y w x", [6]int{3, 3, 3, 3, 3, 2}},             // write skew, as one lock is not enough
		{"l z r y w y | l z r y w y", [6]int{3, 3, 3, 3, 2, 2}},     // a guard that is locked
		{"upd z r y w y | upd z r y w y", [6]int{2, 2, 2, 2, 2, 2}}, // and one that is written
		{"l x r y w x | l x r y w y", [6]int{3, 3, 3, 3, 3, 2}},
		{"w x w y | l x r y", [6]int{2, 2, 2, 2, 2, 2}}, // rc: what was read before counts
		{"w x w y | r x l y", [6]int{3, 2, 2, 2, 2, 2}},
		{"w x | l x abort ; r x", [6]int{4, 4, 3, 3, 3, 3}}, // aborted transactions' too
		{"w x | r x upd x", [6]int{3, 2, 2, 2, 2, 2}},
	} {
		p := parse(row.program)
		for i, l := range isolation.Levels() {
			if got := len(allowed(histories(p, 0), l)); got != row.counts[i] {
				t.Errorf("%s at %v: %d histories by definition, want %d", row.program, l, got, row.counts[i])
			}
			if s := count(t, p, at(l)); s.Histories != int64(row.counts[i]) {
				t.Errorf("%s at %v: %d histories, want %d", row.program, l, s.Histories, row.counts[i])
			}
		}
	}
}

// What locking reads forbid is filtered: the end states are the histories of the
// base, at rc, ra and cc too. The serial engine never leaves the level.
func TestLockingEndStates(t *testing.T) {
	t.Parallel()
	p := parse("upd x | upd x | upd x")
	for _, l := range isolation.Levels() {
		if s := count(t, p, at(l)); s.Histories != 6 || s.EndStates != 16 {
			t.Errorf("%v: %d histories of %d end states, want 6 of 16", l, s.Histories, s.EndStates)
		}
	}
	for _, l := range serialLevels {
		if s := count(t, p, serially(l)); s.Histories != 6 || s.EndStates != 6 {
			t.Errorf("serial, %v: %d histories of %d end states, want 6", l, s.Histories, s.EndStates)
		}
	}
}
