package dpor

// Bound limits an exploration by its work, which is the same in every run, however
// fast the machine is. A bounded exploration has one worker.
type Bound struct {
	// Calls of explore, up to the next multiple of publishEvery; 0 means no limit.
	Calls int64
	// Nodes of behaviour trees that the exploration goes through, each counted once:
	// whether they were recorded before or client code runs for them.
	Nodes int
}
