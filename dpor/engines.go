package dpor

// Engine is an algorithm.
type Engine string

const (
	// Swap is explore-ce and explore-ce*.
	Swap Engine = "swap"
	// Serial extends histories by whole transactions and never leaves the level
	// asked for, which is PC, SI or SER. Options.Base is ignored.
	Serial Engine = "serial"
	// States visits the states of a database's model: it is the engine of the levels
	// of databases, and of no other.
	States Engine = "states"
	// Auto takes the one of the two that is likely to be faster.
	Auto Engine = "auto"
)
