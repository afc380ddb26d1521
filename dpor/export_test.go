package dpor

import (
	"fmt"
	"math/rand/v2"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program"
)

// ShareAtOnce lets workers share from the first call of explore on.
func ShareAtOnce(o Options) Options {
	o.ShareAtOnce = true
	return o
}

// LearnNothing lets the serial engine begin without knowing any access, so that
// it needs many passes.
func LearnNothing(o Options) Options {
	o.learnNothing = true
	return o
}

// Learned reports whether a client has kept what was learned of the accesses at a level.
func Learned(c *program.Client, l isolation.Level) bool { return c.Kept(learnedAt(l)) != nil }

// Trial lets auto decide for the engine after so many calls.
func Trial(o Options, calls int64, engine Engine) Options {
	o.trialCalls, o.decided = calls, engine
	return o
}

// Launched does something as the work of x, alone, and returns its error and whether x was stopped.
func Launched(x *Exploration, do func() error) (error, bool) {
	err := <-x.launch(func() error { return x.alone(func(int) error { return do() }) })
	return err, x.share.halted()
}

// What the serial engine can leave out.
const (
	ByRows      = byRows
	NoOrder     = noOrder
	NoForcing   = noForcing
	NoLookahead = noLookahead
	NoSleep     = noSleep
)

// Ablate lets the serial engine do less against dead ends.
func Ablate(o Options, a ablation) Options {
	o.ablation = a
	return o
}

// EveryPath are options of the engine States, which visits a state by each way to it
// if every is true.
func EveryPath(every bool) Options { return Options{inTests: inTests{everyPath: every}} }

// VisitedAsMap puts n keys into a set and into a map, takes some off, and writes and
// reads the set.
func VisitedAsMap(r *rand.Rand, n int) error {
	set, again, want := &visited{}, &visited{}, map[model.Key]bool{}
	for range n {
		k := model.Key{r.Uint64N(uint64(n)) | 1, r.Uint64N(3)}
		if set.add(k) == want[k] {
			return fmt.Errorf("%v is in the map: %v", k, want[k])
		}
		want[k] = true
		if r.IntN(n/10) == 0 {
			set.remove(k)
			delete(want, k)
		}
	}
	if err := again.read(set.text()); err != nil {
		return err
	}
	if set.len() != len(want) || again.len() != len(want) {
		return fmt.Errorf("%d keys, read %d, want %d", set.len(), again.len(), len(want))
	}
	for k := range want {
		if again.add(k) {
			return fmt.Errorf("%v was lost", k)
		}
	}
	return nil
}

// SerialSessions reports whether a history is that of an order of whole sessions.
var SerialSessions = serialSessions

// OutcomeOf says which outcome f is.
func OutcomeOf(f *Found, c *program.Client) Outcome { return outcomeOf(f, c) }

// Repeats reports whether f was handed on before the exploration began again.
func (x *Exploration) Repeats(f *Found) bool { return x.symmetric.repeats(f, x.prog) }
