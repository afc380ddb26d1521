// Package work lets workers go through a search together. It knows no algorithm: what it asks
// of one is an [Algorithm], which makes tasks, splits them, and describes them as data.
//
// A [Pool] has the workers of an exploration. They share tasks, pause for checkpoints, and stop
// for a [Reason], all between two calls ([Worker.Enter], [Worker.Attend]). What they count are
// [Totals], what they leave are subtrees ([Subtree]), and what they find they hand to a
// [Delivery]. An [Estimator] samples the [Tree] of calls for its size.
package work

// Algorithm is a way to go through the executions of a client program. Each worker has
// one of its own and runs it on one goroutine. The work below a point of a search does
// not depend on the rest of it: so workers share it, a checkpoint keeps it, and
// estimates sample it. All of them ask the algorithm through this interface. The
// interface knows nothing of histories: explore-ce, the serial engine and the baseline explore
// those, and the engine over a database's model has states.
type Algorithm interface {
	// All returns the task of exploring everything.
	All() (Task, error)
	// Do explores all that a task stands for. It counts each call with
	// [Worker.Enter], and looks there whether it has to pause, stop or share.
	Do(t Task) error
	// Split makes a task of the oldest work that the present task has left, and
	// takes it off that task. It returns nil when there is none.
	Split() Task
	// Remaining describes all work that the present task has left, the call that
	// is about to be made last. It changes nothing.
	Remaining() []Subtree
	// Restore makes a task of a description that another process has made. It is
	// a [*MisfitError] when the program has no such point.
	Restore(sub *Subtree) (Task, error)
	// Tree returns the tree of calls for estimates of its size, to be used beside
	// the search by another goroutine; nil when its size is not estimated.
	Tree() Tree
}

// Task is work that any worker can do: it shares nothing that changes with the
// worker that has made it.
type Task interface {
	// Describe makes data of the task.
	Describe() Subtree
	// Depth returns the number of transactions in the task's present history.
	Depth() int
}

// Tree is a search tree that estimates walk from the root on.
type Tree interface {
	// Root returns the point at which the search begins, and the calls of
	// explore that it counts.
	Root() (p Point, calls float64, err error)
	// Children hands the points after p to add, and returns the calls of explore
	// and the steps of transactions that p counts. The tree owns p afterwards.
	Children(p Point, add func(Point)) (calls, steps float64, err error)
	// Kind tells points apart whose subtrees are likely to differ in size.
	Kind(p Point) Kind
	// Drop gives p back.
	Drop(p Point)
}

// Point is a point of a tree; what it is only the tree knows.
type Point any
