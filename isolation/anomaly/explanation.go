package anomaly

import (
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/behaviour"
)

// Kind is the kind of a dependency between two transactions.
type Kind uint8

const (
	// SO is session order: To comes after From in its session, or in the final
	// session, or From is the initial transaction.
	SO Kind = iota
	// WR is write-read: To reads Var from From.
	WR
	// WW is write-write: From's write of Var comes before To's in every commit
	// order.
	WW
	// RW is read-write, or anti-dependency: From reads a value of Var that To
	// overwrites.
	RW
)

// String returns so, wr, ww or rw.
func (k Kind) String() string { return [...]string{"so", "wr", "ww", "rw"}[k] }

// NoVar is Edge.Var of a session order edge.
const NoVar behaviour.VarID = -1

// Edge is a dependency: From comes before To.
type Edge struct {
	Kind     Kind
	From, To int
	Var      behaviour.VarID // NoVar for so
	// Reader and Event name the read that the edge is about, as an event of
	// History.Txns[Reader]. For wr it is the read, of To; for rw the read, of
	// From; for ww the read that shows the order, of a third transaction. Reader
	// is -1 when there is none: for so, and for some ww.
	Reader, Event int
	// Reason tells why From must come before To; nil for so and wr, which stand
	// in the history.
	Reason *Reason
}

// Rule is an argument from which a ww or rw edge follows.
type Rule uint8

const (
	// Overwritten gives rw: the reader reads Var from Source, and Source comes
	// before To, which writes Var too. So the reader comes before To.
	Overwritten Rule = iota
	// Seen gives ww: the reader reads Var from To although it sees From, which
	// writes Var too. So From's write came first.
	Seen
	// FirstCommitter gives ww at snapshot isolation: From and To both write
	// Var, and From has read before To wrote. As one must see the other, From
	// was the first.
	FirstCommitter
	// Assumed gives ww in a case of a [Split].
	Assumed
)

// String names the rule.
func (r Rule) String() string {
	return [...]string{"overwritten", "seen", "first-committer-wins", "assumed"}[r]
}

// Reason is why a derived edge holds.
type Reason struct {
	Rule Rule
	// Source is, for Overwritten, the transaction that the reader reads from;
	// -1 for the other rules.
	Source int
	// Premise is the path that the rule asks for. Each edge begins where the one before
	// ends. For Overwritten it leads from Source to To, for Seen from From to the
	// reader, and for FirstCommitter from From to To. It is empty for Assumed.
	Premise []Edge
}

// Proof shows that a level forbids a history. Exactly one of Cycle, Split,
// BadRead and Exhausted is set; with Given none may be.
type Proof struct {
	Level isolation.Level
	// Cycle lists the edges of a cycle, each beginning where the one before
	// ends, the last ending where the first begins. No transaction occurs twice.
	Cycle []Edge
	// Split is set when no cycle is certain, but either order of two writers
	// closes one.
	Split *Split
	// BadRead is set when a read is from a transaction that has not committed a
	// write of the variable. That never happens in histories of programs.
	BadRead *BadRead
	// Exhausted is set when no short proof was found: every commit order was
	// tried.
	Exhausted bool
	// Given is true when the order of versions that a recording gives forbids the
	// history; Cycle is then nil where no short cycle was found.
	Given bool
	// Reads are, with Given, sentences on the reads that give the order.
	Reads []string
	// Rounds is the number of steps of reasoning: edges found in one round
	// follow from those of the rounds before.
	Rounds int
}

// Split is a case distinction: A and B write Var, and one of them came first.
type Split struct {
	A, B   int
	Var    behaviour.VarID
	AFirst *Proof
	BFirst *Proof
}

// BadRead is a read of something that was never committed.
type BadRead struct {
	Reader, Event int
}

// Explanation is what can be said of a complete history.
type Explanation struct {
	// Allowed and Forbidden share out the six levels, weakest first.
	Allowed, Forbidden []isolation.Level
	// Proof shows why the weakest level in Forbidden forbids the history; nil
	// when the history is serializable.
	Proof *Proof
	// Anomaly is the history's anomaly at that level; zero when the history is
	// serializable.
	Anomaly Anomaly
}

// Anomaly is a name for what went wrong.
type Anomaly struct {
	Name       string // common name, in lower case: lost update
	Aka        string // other names, as in "P4; G-cursor"; may be empty
	Class      string // Adya's class of the cycle: G0, G1c, G-single, …; empty when there is no single cycle
	Definition string // one sentence
	Source     string // where the definition is from
}

// Namer gives names to the numbers of a history.
type Namer interface {
	// Txn names a transaction as a user would: "teller1", "init".
	Txn(t int) string
	Session(s int) string
	Var(x behaviour.VarID) string
	// Value is a value; where it is long it may be what differs from the value before.
	Value(before, v behaviour.ValueID) string
}

// Words is an explanation for people.
type Words struct {
	// Levels says which levels allow and which forbid the history.
	Levels string
	// Title is the anomaly's name with its other names.
	Title string
	// Sentences tell the cycle, two to five of them.
	Sentences []string
}

// Op is the kind of a [Step].
type Op uint8

const (
	// Begin starts a transaction.
	Begin Op = iota
	// Access is a read or a write.
	Access
	// End commits or aborts a transaction.
	End
)

// Step is an operation in the order of a story.
type Step struct {
	Txn   int
	Op    Op
	Event int // of an Access, index in Txn.Events; else -1
	// Misses is what a read misses: the last transaction that had committed a write of the
	// variable by then. It is -1 when the read is from that one.
	Misses int
}

// Story is an order of all operations but the initial transaction's. It extends
// program order, session order and write-read: a transaction that is read from
// has committed before.
type Story struct {
	Steps []Step
	// FirstNonSerial is the index in Steps of the first step after which what has
	// happened so far has no serial explanation; -1 when all has one.
	FirstNonSerial int
}

// Rank orders violations by how little there is to understand.
type Rank struct {
	Sessions  int // with a transaction
	Txns      int // without the initial one
	NonLatest int // reads that may have missed a newer write
}
