package dpor

// algorithm is a way to go through the executions of a client program. Each worker has
// one of its own and runs it on one goroutine. The work below a point of a search does
// not depend on the rest of it: so workers share it, a checkpoint keeps it, and
// estimates sample it. All of them ask the algorithm through this interface. The
// interface knows nothing of histories. swap (explore-ce, explore-ce*), serial and dfs
// explore histories; an algorithm over the steps of a database model has states of its
// own.
type algorithm interface {
	// all returns the task of exploring everything.
	all() (task, error)
	// do explores all that a task stands for. It counts each call with
	// [worker.enter], and looks there whether it has to pause, stop or share.
	do(t task) error
	// split makes a task of the oldest work that the present task has left, and
	// takes it off that task. It returns nil when there is none.
	split() task
	// remaining describes all work that the present task has left, the call that
	// is about to be made last. It changes nothing.
	remaining() []Subtree
	// restore makes a task of a description that another process has made. It is
	// a [*MisfitError] when the program has no such point.
	restore(sub *Subtree) (task, error)
	// tree returns the tree of calls for estimates of its size, to be used beside
	// the search by another goroutine; nil when its size is not estimated.
	tree() tree
}

// task is work that any worker can do: it shares nothing that changes with the
// worker that has made it.
type task interface {
	// describe makes data of the task.
	describe() Subtree
	// depth returns the number of transactions in the task's present history.
	depth() int
}

// tree is a search tree that estimates walk from the root on.
type tree interface {
	// root returns the point at which the search begins, and the calls of
	// explore that it counts.
	root() (p point, calls float64, err error)
	// children hands the points after p to add, and returns the calls of explore
	// and the steps of transactions that p counts. The tree owns p afterwards.
	children(p point, add func(point)) (calls, steps float64, err error)
	// kind tells points apart whose subtrees are likely to differ in size.
	kind(p point) kind
	// drop gives p back.
	drop(p point)
}

// point is a point of a tree; what it is only the tree knows.
type point any
