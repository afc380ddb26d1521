package serial

import (
	"math/rand/v2"
	"testing"

	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/semantics"
)

// With words the same sessions are picked as with rows, whatever is known, unfinished and asleep.
func TestAmongWord(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	defer func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	}()
	met := map[string]int{}
	for range deadlinetest.Until(t, 4000, func() bool { return met["dead end"] > 100 && met["forced"] > 100 && met["several"] > 50 }) {
		known, h := randomAccesses(r)
		ahead := newLookahead(known, len(known.sessions))
		if len(ahead.word) == 0 {
			t.Fatal("sets of a few transactions are no words")
		}
		c := &chooser{}
		c.reset(ahead.words())
		for s := range known.sessions {
			k := ahead.number(s, r.IntN(len(known.sessions[s])+1))
			if r.IntN(4) > 0 {
				c.unfinished.Add(k)
				if r.IntN(3) == 0 {
					c.asleep.Add(k)
				}
			}
		}
		if c.unfinished[0] == 0 {
			continue
		}
		unfinished, asleep := c.unfinished[0], c.asleep[0]
		k, forced := amongWord(h, ahead, unfinished, asleep)
		if l, also := c.among(h, ahead, asleep != 0); k != l || forced != also {
			t.Fatalf("transaction %d, forced %v; with rows %d, %v: unfinished %b, asleep %b, known %v", k, forced, l, also, unfinished, asleep, known.sessions)
		}
		switch {
		case k < 0:
			met["dead end"]++
		case forced:
			met["forced"]++
		default:
			met["several"]++
		}
	}
	t.Logf("%v", met)
}

// randomAccesses are those of a few sessions on four variables, and a history with some writes.
func randomAccesses(r *rand.Rand) (*Accesses, *semantics.Ordered) {
	known, h := &Accesses{}, &semantics.Ordered{}
	sessions := 2 + r.IntN(4)
	h.Reset(sessions, -1, nil)
	for s := range sessions {
		for i := range 1 + r.IntN(3) {
			a := known.at(s, i)
			var writes []behaviour.Write
			for x := range behaviour.VarID(4) {
				if r.IntN(3) == 0 {
					a.reads.add(x)
				}
				if r.IntN(4) == 0 {
					a.writes.add(x)
					writes = append(writes, behaviour.Write{Var: x})
				}
			}
			if r.IntN(3) == 0 && i == h.Done(s) {
				h.Begin(s)
				h.Commit(writes)
			}
		}
	}
	known.settle(sessions)
	return known, h
}
