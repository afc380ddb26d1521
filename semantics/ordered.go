package semantics

import "github.com/txmc/txmc/program/behaviour"

// Log is a transaction of an ordered history. Its reads are the external ones.
type Log struct {
	Session, Index int32
	Status         Status
	First          int32 // index in Ordered.Reads of its first read
	Prev           int32 // position of the session's transaction before, 0 if none
	Writes         []behaviour.Write
	// Node is the point of the behaviour tree at which a pending transaction
	// stands, or the one that ended it. It is nil in histories that were not
	// explored.
	Node *behaviour.Node
}

// ReadFrom is an external read with its write-read edge.
type ReadFrom struct {
	Txn, From int32 // positions of reader and writer
	Var       behaviour.VarID
	// Free is a note of the package isolation. It is the number of a level whose axiom
	// forces nothing because of this read, and 0 when no level is known. It stays true
	// when a swap keeps the read.
	Free uint8
	// Past tells whether the read is from the reader's own causal past, and from
	// the last writer there. A swap that keeps the read keeps that too.
	Past Recency
	Lock bool            // a locking read
	Node *behaviour.Node // where the reader stood before the read
}

// Recency says how a read's writer stands to the writers of the variable in the
// reader's causal past just before the read.
type Recency uint8

const (
	// Unseen: the writer is not in the causal past.
	Unseen Recency = iota
	// Overtaken: it is, and a <-later one is too.
	Overtaken
	// Newest: it is the <-latest one there.
	Newest
)

// progress is how far a session has come.
type progress struct {
	node *behaviour.Node // what it does next when none of its transactions is pending
	last int32           // position of its last transaction, 0 if none
	done int32           // number of its transactions
}

// Ordered is an ordered history h<: a history with a total order < on its
// events that extends program order, so and wr (PLDI 2023, section 5.1). As at
// most one transaction is pending and it is the last, < is an order of whole
// transactions; a transaction is named by its position in <, and the initial
// transaction is 0. Sets of transactions are rows of bits by position.
//
// The only changes are at the end of <, and each has its inverse.
type Ordered struct {
	Txns  []Log
	Reads []ReadFrom // in <

	final    int32
	roots    []*behaviour.Node
	progress []progress
	words    int  // of a row
	past     Rows // by transaction: causal past, (so ∪ wr)⁺
	before   Rows // by read: causal past of the reader just before the read
	writers  Rows // by variable: committed transactions that write it

	moved []int32 // scratch of Cut
}

// Reset makes h the initial history of sessions that start at roots, or of
// sessions of unknown behaviour when roots are nil. Session final, when not -1,
// follows all others in session order.
func (h *Ordered) Reset(sessions, final int, roots []*behaviour.Node) {
	h.final, h.roots = int32(final), roots
	if h.Txns == nil { // most programs need no more
		h.Txns, h.Reads, h.progress = make([]Log, 0, 16), make([]ReadFrom, 0, 32), make([]progress, 0, sessions)
	}
	h.progress = h.progress[:0]
	for i := range sessions {
		p := progress{}
		if roots != nil {
			p.node = roots[i]
		}
		h.progress = append(h.progress, p)
	}
	h.words = max(h.words, 1)
	h.past.Reset(h.words)
	h.before.Reset(h.words)
	h.writers.Reset(h.words)
	h.Reads = h.Reads[:0]
	h.Txns = append(h.Txns[:0], Log{Session: -1, Status: Committed})
	h.past.Push()
}

// Len returns the number of transactions, the initial one included.
func (h *Ordered) Len() int { return len(h.Txns) }

// Words returns the width of the rows in words of 64 bits.
func (h *Ordered) Words() int { return h.words }

// Final returns the session that follows all others, or -1.
func (h *Ordered) Final() int { return int(h.final) }

// Sessions returns the number of sessions.
func (h *Ordered) Sessions() int { return len(h.progress) }

// Last returns the last transaction in <.
func (h *Ordered) Last() *Log { return &h.Txns[len(h.Txns)-1] }

// Ended returns the number of transactions that are not pending.
func (h *Ordered) Ended() int {
	if h.Last().Status == Pending {
		return len(h.Txns) - 1
	}
	return len(h.Txns)
}

// ReadsOf returns the range in Reads of the reads of transaction t.
func (h *Ordered) ReadsOf(t int) (from, to int) {
	if t+1 < len(h.Txns) {
		return int(h.Txns[t].First), int(h.Txns[t+1].First)
	}
	return int(h.Txns[t].First), len(h.Reads)
}

// Past returns the causal past of transaction t, without t.
func (h *Ordered) Past(t int) Row { return h.past.Row(t) }

// Before returns the causal past of the reader of read k just before the read.
func (h *Ordered) Before(k int) Row { return h.before.Row(k) }

// PastWord is Past where rows are single words.
func (h *Ordered) PastWord(t int) uint64 { return h.past.bits[t] }

// BeforeWord is Before where rows are single words.
func (h *Ordered) BeforeWord(k int) uint64 { return h.before.bits[k] }

// WritersWord is Writers where rows are single words.
func (h *Ordered) WritersWord(x behaviour.VarID) uint64 {
	if h.writers.n <= int(x) {
		h.discover(x)
	}
	return h.writers.bits[x]
}

// Writers returns the committed transactions that write x.
func (h *Ordered) Writers(x behaviour.VarID) Row {
	if h.writers.n <= int(x) {
		h.discover(x)
	}
	return h.writers.Row(int(x))
}

// discover makes room for the variables up to x, which only init has written.
func (h *Ordered) discover(x behaviour.VarID) {
	for h.writers.Len() <= int(x) {
		h.writers.Push().Add(0)
	}
}

// Variables returns the number of variables that have been read or written.
func (h *Ordered) Variables() int { return h.writers.Len() }

// Node returns what session s does next.
func (h *Ordered) Node(s int) *behaviour.Node { return h.progress[s].node }

// Done returns the number of ended transactions of session s.
func (h *Ordered) Done(s int) int { return int(h.progress[s].done) }

// Latest returns the position of the last ended transaction of session s, 0 when none has.
func (h *Ordered) Latest(s int) int { return int(h.progress[s].last) }

// Place returns the position of transaction i of session s, which has begun, or -1.
func (h *Ordered) Place(s, i int32) int {
	if last := h.Last(); last.Session == s && last.Status == Pending {
		if last.Index == i {
			return len(h.Txns) - 1
		}
	}
	if i >= h.progress[s].done {
		return -1
	}
	t := h.progress[s].last
	for h.Txns[t].Index != i {
		t = h.Txns[t].Prev
	}
	return int(t)
}

// Begin starts the next transaction of session s.
func (h *Ordered) Begin(s int) {
	t := len(h.Txns)
	if t == h.words*64 {
		h.widen(2 * h.words)
	}
	p := &h.progress[s]
	if t == cap(h.Txns) {
		h.Txns = append(h.Txns, Log{})
	}
	h.Txns = h.Txns[:t+1]
	log := &h.Txns[t] // as in addRead
	log.Session, log.Index, log.Status, log.First = int32(s), p.done, Pending, int32(len(h.Reads))
	log.Prev, log.Writes, log.Node = p.last, nil, p.node
	if h.words == 1 && int32(s) != h.final && cap(h.past.bits) > 0 {
		h.past.pushWord(h.past.bits[p.last] | 1<<p.last)
		return
	}
	past := h.past.Push()
	if int32(s) == h.final {
		for i := range t {
			past.Add(i)
		}
		return
	}
	past.Union(h.past.Row(int(p.last)))
	past.Add(int(p.last))
}

// UndoBegin is the inverse of Begin.
func (h *Ordered) UndoBegin() {
	h.Txns = h.Txns[:len(h.Txns)-1]
	h.past.Truncate(len(h.Txns))
}

// Commit ends the pending transaction, which makes its writes visible.
func (h *Ordered) Commit(writes []behaviour.Write) {
	t := h.end(Committed)
	h.Txns[t].Writes = writes
	if h.words == 1 {
		for _, w := range writes {
			if h.writers.n <= int(w.Var) {
				h.discover(w.Var)
			}
			h.writers.bits[w.Var] |= 1 << t
		}
		return
	}
	for _, w := range writes {
		h.Writers(w.Var).Add(t)
	}
}

// UndoCommit is the inverse of Commit.
func (h *Ordered) UndoCommit() {
	t := h.undoEnd()
	if h.words == 1 {
		for _, w := range h.Txns[t].Writes {
			h.writers.bits[w.Var] &^= 1 << t
		}
	} else {
		for _, w := range h.Txns[t].Writes {
			h.Writers(w.Var).Remove(t)
		}
	}
	h.Txns[t].Writes = nil
}

// Abort ends the pending transaction without effect.
func (h *Ordered) Abort() { h.end(Aborted) }

// UndoAbort is the inverse of Abort.
func (h *Ordered) UndoAbort() { h.undoEnd() }

func (h *Ordered) end(s Status) int {
	t := len(h.Txns) - 1
	log := &h.Txns[t]
	log.Status = s
	p := &h.progress[log.Session]
	p.last = int32(t)
	p.done++
	if log.Node != nil {
		p.node = log.Node.Next()
	}
	return t
}

func (h *Ordered) undoEnd() int {
	t := len(h.Txns) - 1
	log := &h.Txns[t]
	log.Status = Pending
	p := &h.progress[log.Session]
	p.last = log.Prev
	p.done--
	p.node = h.start(log.Session, log.Prev)
	return t
}

// start is the point at which the transaction after position prev of session s
// begins.
func (h *Ordered) start(s, prev int32) *behaviour.Node {
	if h.roots == nil {
		return nil
	}
	if prev == 0 {
		return h.roots[s]
	}
	return h.Txns[prev].Node.Next()
}

func (h *Ordered) widen(words int) {
	h.words = words
	h.past.Widen(words)
	h.before.Widen(words)
	h.writers.Widen(words)
}
