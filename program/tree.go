package program

import (
	"sync/atomic"

	"github.com/txmc/txmc/program/access"
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
	looks

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

// looks is who has looked at a node last.
type looks struct {
	mirrored atomic.Int32  // number of the Symmetry that has looked at it last
	class    atomic.Uint64 // in the Copies that have looked at it last: see classBits
}

// Operation is what is asked at a node that Waits.
type Operation struct {
	Var     VarID           // of Read
	Lock    bool            // of Read: a locking read
	Matches bool            // of Change
	How     ReadOption      // of Read in database mode
	Val     ValueID         // of Set and Change
	Depth   int32           // of BackTo and Release: the savepoint's place, from 1
	Query   *Query          // of Ask
	Request *access.Request // of Serve
	Sent    *access.Sent    // of Relay
}

func (p *Operation) same(o *Operation) bool {
	return p.Var == o.Var && p.Lock == o.Lock && p.Matches == o.Matches && p.How == o.How && p.Val == o.Val && p.Depth == o.Depth &&
		p.Query.same(o.Query) && p.Request.Same(o.Request) && p.Sent.Same(o.Sent)
}

// OnDatabase is what a node has in database mode beside its operation.
type OnDatabase struct {
	Auto   bool   // the transaction is this statement
	Joins  bool   // it belongs to the step of the node before
	Conn   int32  // the session's connection on which it is done, from 0
	Joined bool   // the read of the node before, whose answer leads here, is a locking read: see Backend.Join
	Mode   Mode   // of the transaction
	Past   int32  // stands for all that a database has answered to the client before, 0 for nothing
	Level  string // the level that the transaction asks for, or ""
}

// branch is where a node stands in its tree.
type branch struct {
	parent *Node
	via    ValueID // when parent Waits: the answer that leads here
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

// EventKind is the kind of an [Event].
type EventKind uint8

const (
	// BeginEvent starts a transaction; Text is its name.
	BeginEvent EventKind = iota
	// WriteEvent writes Val to Var.
	WriteEvent
	// OwnReadEvent reads Val, which the transaction itself wrote to Var: an
	// internal read.
	OwnReadEvent
	// ObserveEvent records Val under the name Text.
	ObserveEvent
	// FailEvent is a failed assertion or a panic.
	FailEvent
	// StatementEvent begins a statement of a Backend; Text is the statement.
	StatementEvent
	// ChangeEvent is where a Backend's statement wrote Val to Var. The write is a
	// WriteEvent before the commit, unless it has been undone or written over.
	ChangeEvent
	// UndoEvent undoes changes: the transaction is rolled back to a savepoint.
	UndoEvent
	// AnswerEvent is what a database has answered to a statement, in words: Text; that of
	// an error is ! and the SQLSTATE, a blank and the message.
	AnswerEvent
	// ShownEvent is what a client has seen of an answer of its database: Val, as text.
	ShownEvent
	// NoticeEvent is a message that a database has sent in the middle of a statement: Text, with its
	// severity, as psql shows it.
	NoticeEvent
	// RefuseEvent says that the session has told its user to try again: see Backend.Refused.
	RefuseEvent
)

// Event is a step of a session that needs no answer from the store.
type Event struct {
	Kind EventKind
	Var  VarID
	Val  ValueID
	Loc  Loc
	Text string
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

func (n *Node) addKid(v ValueID, k *Node) {
	var grown []kid
	if old := n.kids.Load(); old != nil {
		grown = append(grown, *old...)
	}
	grown = append(grown, kid{v, k})
	n.kids.Store(&grown)
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
func (n *Node) Value() ValueID { return n.via }

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
