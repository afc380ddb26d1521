package dpor

import (
	"github.com/txmc/txmc/dpor/serial"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation"
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
	return err, x.pool.Halted()
}

// What the serial engine can leave out.
const (
	ByRows      = serial.ByRows
	NoOrder     = serial.NoOrder
	NoForcing   = serial.NoForcing
	NoLookahead = serial.NoLookahead
	NoSleep     = serial.NoSleep
)

// Ablate lets the serial engine do less against dead ends.
func Ablate(o Options, a serial.Ablation) Options {
	o.ablation = a
	return o
}

// EveryPath are options of the engine States, which visits a state by each way to it
// if every is true.
func EveryPath(every bool) Options { return Options{inTests: inTests{everyPath: every}} }

// Repeats reports whether f was handed on before the exploration began again.
func (x *Exploration) Repeats(f *work.Found) bool { return x.symmetric.repeats(f, x.prog) }

// LookAtAll lets states of the engine States differ also by what no statement looks at.
func LookAtAll(o Options) Options {
	o.lookAtAll = true
	return o
}
