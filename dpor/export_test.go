package dpor

// ShareAtOnce lets workers share from the first call of explore on.
func ShareAtOnce(o Options) Options {
	o.shareAtOnce = true
	return o
}

// LearnNothing lets the second engine begin without knowing any access, so that
// it needs many passes.
func LearnNothing(o Options) Options {
	o.learnNothing = true
	return o
}

// The levels of Less: what the second engine leaves out.
const (
	NothingLess = nothingLess
	NoForcing   = noForcing
	NoOutlook   = noOutlook
	NoSleep     = noSleep
)

// Less lets the second engine do less against dead ends.
func Less(o Options, l less) Options {
	o.less = l
	return o
}
