package behaviour

import (
	"iter"
	"sync/atomic"
	"unsafe"
)

// Kind is what a session does at a node of its behaviour tree.
type Kind uint8

const (
	// Read: an external read of Var waits for its value.
	Read Kind = iota
	// Commit: the transaction commits Writes.
	Commit
	// Abort: the transaction ends without effect.
	Abort
	// End: the session has ended.
	End
	// Set, of database mode: UPDATE of Var to Val waits for its end.
	Set
	// Find, of database mode: an UPDATE by a function waits for the value that it
	// finds in Var.
	Find
	// Change, of database mode: that UPDATE, if the function Matches, changes Var to
	// Val, and waits for its end.
	Change
	// Ask, of database mode: a statement on a table, Query, waits for its answer.
	Ask
	// Save, of database mode: SAVEPOINT.
	Save
	// BackTo, of database mode: ROLLBACK TO the savepoint at Depth.
	BackTo
	// Release, of database mode: RELEASE the savepoint at Depth.
	Release
	// Serve, of database mode: the executor of a database asks its storage for what
	// Request says.
	Serve
	// Relay, on a real server: what the session has Sent waits for the answer.
	Relay
	// Await: the session waits for what whoever steps the program gives it. See Session.Given.
	Await
)

// String names the kind.
func (k Kind) String() string {
	return [...]string{"read", "commit", "abort", "end", "set", "find", "change", "ask", "savepoint", "rollback to", "release", "serve", "relay", "await"}[k]
}

// Node is a point of a session's behaviour tree: what the session does next
// after one sequence of read values. A node stands for the straight line of events
// since the point before it. The line ends at an external read, at the end of a
// transaction or of the session; in database mode at every operation.
// Only a node that Waits has several successors. Nodes are never changed once they
// can be reached, except for the successors of these, which grow.
type Node struct {
	Kind    Kind
	Waits   bool // it has a successor for each answer
	Session int32
	Txn     int32 // index of the transaction in its session; of End: their number
	Loc     Loc   // of what is done here: the user's line
	Operation
	OnDatabase
	ID int64 // counted from 0 in the order of recording, unique in a Client
	Trace
	Looks

	branch
}

// Trace is what has happened up to a node.
type Trace struct {
	Writes []Write // of Commit: the last write of each variable, by variable
	Events []Event // what happened since the point before, this one excluded
	Text   string  // of Abort: the error's message
	// Printed is what client code has printed since the point before.
	Printed []Print
	// Failures are the broken assertions on the path from the root to here.
	Failures []*Failure
	// Dropped: an assumption on that path does not hold. Histories that lead here do
	// not count.
	Dropped bool
}

// Looks is who has looked at a node last, to see whether sessions are alike.
type Looks struct {
	Mirrored atomic.Int32  // number of the Symmetry
	Class    atomic.Uint64 // in the Copies, with their number
}

// branch is where a node stands in its tree.
type branch struct {
	parent *Node
	Via    ValueID // when parent Waits: the answer that leads here
	next   *Node   // after Commit and Abort
	kids   atomic.Pointer[[]kid]
}

// Write is a variable and the value written to it.
type Write struct {
	Var VarID
	Val ValueID
}

type kid struct {
	val  ValueID
	node *Node
}

// Next returns the node after one that does not wait.
func (n *Node) Next() *Node { return n.next }

// Known returns the node after n when the answer is v. n waits for an answer. Known
// returns nil when no run has recorded that node yet.
func (n *Node) Known(v ValueID) *Node {
	if kids := n.kids.Load(); kids != nil {
		for _, k := range *kids {
			if k.val == v {
				return k.node
			}
		}
	}
	return nil
}

// Add makes k the node after n when the answer is v.
func (n *Node) Add(v ValueID, k *Node) {
	var grown []kid
	if old := n.kids.Load(); old != nil {
		grown = append(grown, *old...)
	}
	grown = append(grown, kid{v, k})
	n.kids.Store(&grown)
}

// Answered yields the answers for which the node after n is recorded, with these nodes.
func (n *Node) Answered() iter.Seq2[ValueID, *Node] {
	return func(yield func(ValueID, *Node) bool) {
		kids := n.kids.Load()
		if kids == nil {
			return
		}
		for _, k := range *kids {
			if !yield(k.val, k.node) {
				return
			}
		}
	}
}

// Cut forgets the nodes that follow n with an answer.
func (n *Node) Cut() { n.kids.Store(nil) }

// Follow puts n, a new node, behind another one, with the answer that leads to it if that one waits.
func (n *Node) Follow(before *Node, answer ValueID) {
	n.parent = before
	if before.Waits {
		n.Via = answer
	} else {
		before.next = n
	}
}

// Before returns the node before n, nil before the root.
func (n *Node) Before() *Node { return n.parent }

// Path returns the nodes from the root of the tree to n.
func (n *Node) Path() []*Node {
	var depth int
	for m := n; m != nil; m = m.parent {
		depth++
	}
	path := make([]*Node, depth)
	for m := n; m != nil; m = m.parent {
		depth--
		path[depth] = m
	}
	return path
}

// Value returns the answer that the node before n got to lead to n.
func (n *Node) Value() ValueID { return n.Via }

// Written returns the value that the Commit n writes to x, and whether it does.
func (n *Node) Written(x VarID) (ValueID, bool) {
	for _, w := range n.Writes {
		if w.Var == x {
			return w.Val, true
		}
	}
	return 0, false
}

// Saw stands for what the client of a session that ended at n has seen. Under the
// model of a database two ways may differ inside and look the same to the client.
func (n *Node) Saw() int64 {
	if n.Past != 0 {
		return -int64(n.Past)
	}
	return n.ID
}

// Same reports whether both nodes do the same.
func (n *Node) Same(o *Node) bool {
	return n.Kind == o.Kind && n.Waits == o.Waits && n.Dropped == o.Dropped && n.OnDatabase == o.OnDatabase && n.Operation.same(&o.Operation)
}

// Informs reports whether the node is answered with more than that it is done, and for good.
// What an UPDATE by a function has found is not: it may find a newer version instead.
func (n *Node) Informs() bool { return n.Kind == Read || n.Kind == Change || n.Kind == Ask }

// Size is the memory that n takes, in bytes, without what it points to that
// other nodes share.
func (n *Node) Size() int64 {
	bytes := unsafe.Sizeof(*n) + unsafe.Sizeof(kid{}) +
		uintptr(len(n.Events))*unsafe.Sizeof(Event{}) + uintptr(len(n.Writes))*unsafe.Sizeof(Write{})
	return int64(bytes) + int64(len(n.Text))
}

// Print is what a session has printed at one place between two nodes.
type Print struct {
	Before int // the index of the event that came next
	Text   string
}

// Transaction is the name of the transaction in which n is, of the last one before n when it is in
// none, and "" when there is none before.
func (n *Node) Transaction() string { return n.Begun().Text }

// Begun is the BeginEvent of that transaction; the zero Event when there is none.
func (n *Node) Begun() (last Event) {
	begun := int32(0)
	for _, m := range n.Path() {
		for _, e := range m.Events {
			if e.Kind != BeginEvent {
				continue
			}
			if last = e; begun == n.Txn {
				return last
			}
			begun++
		}
	}
	return last
}

// VarsWritten are the variables written before n, since the node before it.
func (n *Node) VarsWritten() (list []VarID) {
	for _, e := range n.Events {
		if e.Kind == WriteEvent {
			list = append(list, e.Var)
		}
	}
	return list
}

// Abrupt reports whether the session may have ended its goroutine: nothing runs after it
// in the same call of the Explore function.
func (n *Node) Abrupt() bool { return n.Dropped || len(n.Failures) > 0 }
