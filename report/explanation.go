package report

// Explanation says why stronger levels forbid a history, and in which order its
// operations can be told. Transactions are named by their IDs.
type Explanation struct {
	// Allowed and Forbidden share out the levels, weakest first.
	Allowed   []string `json:"allowed"`
	Forbidden []string `json:"forbidden"`
	// ForbiddenBy is the weakest level of Forbidden. Anomaly and Proof speak of it. It
	// is empty when the history is serializable: then isolation is not the cause of
	// what the history breaks.
	ForbiddenBy string   `json:"forbidden_by,omitempty"`
	Anomaly     *Anomaly `json:"anomaly,omitempty"`
	Proof
	Words Words `json:"words"`
	// Steps are all operations but those of the initial transaction, in an order
	// that extends session order and write-read.
	Steps []Step `json:"steps"`
	// FirstNonSerial is the index in Steps of the first step after which no serial order
	// explains what has happened so far; -1 when one explains all.
	FirstNonSerial int `json:"leaves"`
	// Dependencies are ww and rw edges that hold at every level from causal
	// consistency on, since session order and write-read imply them. Those that
	// follow from others by transitivity are left out.
	Dependencies []Dependency `json:"dependencies,omitempty"`
	// After has the last value of each key that the history writes.
	After []Last `json:"after,omitempty"`
}

// Anomaly is the common name of what went wrong.
type Anomaly struct {
	Name       string `json:"name"`
	Aka        string `json:"aka,omitempty"`   // other names
	Class      string `json:"class,omitempty"` // Adya's class of the cycle
	Definition string `json:"definition,omitempty"`
	Source     string `json:"source,omitempty"` // of the definition
}

// Proof shows that a level forbids the history. It shows this by a cycle, by a case
// distinction in which each case has a cycle, or because all orders were tried.
type Proof struct {
	Cycle  []Dependency `json:"cycle,omitempty"` // each edge begins where the one before ends
	Split  *Split       `json:"split,omitempty"`
	Search bool         `json:"search,omitempty"`
}

// Split is a case distinction: A and B write Key, and one of them came first.
type Split struct {
	A      string `json:"a"`
	B      string `json:"b"`
	Key    string `json:"key"`
	AFirst Proof  `json:"a_first"`
	BFirst Proof  `json:"b_first"`
}

// Dependency is an edge: From comes before To.
type Dependency struct {
	Kind string `json:"kind"` // so, wr, ww, rw
	From string `json:"from"`
	To   string `json:"to"`
	Key  string `json:"key,omitempty"` // none for so
	// Reader and Event name the read that the edge is about, by its position in
	// the transaction from 1. There is none for so and for some ww.
	Reader string  `json:"reader,omitempty"`
	Event  int     `json:"event,omitempty"`
	Reason *Reason `json:"reason,omitempty"` // of ww and rw
}

// Reason is why a ww or rw edge holds.
type Reason struct {
	// Rule is overwritten, seen, first-committer-wins or assumed (in a case of a
	// Split).
	Rule string `json:"rule"`
	// Source is, for overwritten, the transaction that the reader reads from.
	Source string `json:"source,omitempty"`
	// Premise is the path that the rule asks for. The reasons of its own edges
	// are left out when they are nested too deep.
	Premise []Dependency `json:"premise,omitempty"`
}

// Words is the explanation for people.
type Words struct {
	Title     string   `json:"title,omitempty"` // the anomaly with its other names
	Levels    string   `json:"levels"`          // which allow and which forbid it
	Sentences []string `json:"sentences,omitempty"`
}

// Step is an operation.
type Step struct {
	Transaction string `json:"transaction"`
	Op          string `json:"op"`              // begin, read, write, commit, abort
	Event       int    `json:"event,omitempty"` // of a read or write: its position in the transaction, from 1
	// Misses is what a read misses: the last transaction that had committed a write of the
	// key by then. It is empty when the read is from that one.
	Misses string `json:"misses,omitempty"`
}

// Last is a key with the values it may have after the history: several when the
// history does not say which write came last.
type Last struct {
	Key    string    `json:"key"`
	Values []Written `json:"values"`
}

// Written is a value with the transaction that wrote it.
type Written struct {
	Value any    `json:"value"` // as in Event
	Text  string `json:"text,omitempty"`
	By    string `json:"by"`
}
