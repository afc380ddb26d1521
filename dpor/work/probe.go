package work

// Probe is how a search for the first violation looks at random histories when it has
// gone on for a while without one. A depth-first search stays long where it happens to
// begin: a violation that needs an early decision to be another one is far, however many
// histories have it. The random histories are made transaction by transaction, each of a
// random session, and read from later writers more often than from earlier ones. A history may be met
// several times, and again by the search, which counts all.
type Probe struct {
	After int64 // histories of the search; 0: there is no probe
	Most  int   // random histories
}
