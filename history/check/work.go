package check

// Work counts what a search for an order of commits does. It does not depend on the
// machine: two versions of the search compare by it.
type Work struct {
	Decisions    int64 // of choices, by the solver
	Conflicts    int64 // choices that contradict each other
	Propagations int64 // of literals
	Edges        int64 // of the graph, looked at to keep an order of it
}
