package dpor

// ShareAtOnce lets workers share from the first call of explore on.
func ShareAtOnce(o Options) Options {
	o.shareAtOnce = true
	return o
}

// LearnNothing lets the serial engine begin without knowing any access, so that
// it needs many passes.
func LearnNothing(o Options) Options {
	o.learnNothing = true
	return o
}

// What the serial engine can leave out.
const (
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
func EveryPath(every bool) Options { return Options{everyPath: every} }
