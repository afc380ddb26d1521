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
