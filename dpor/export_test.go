package dpor

// ShareAtOnce lets workers share from the first call of explore on.
func ShareAtOnce(o Options) Options {
	o.shareAtOnce = true
	return o
}
