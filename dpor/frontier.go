package dpor

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/semantics"
)

// Frontier is an exploration that is under way, as data: what it has counted,
// and the subtrees of explore that are left. Subtrees are independent, so that
// another process can go on with them and ends with the same counts. A point of
// the search is named by its history alone, transaction by transaction in <, each
// read by the position of its writer: client code is deterministic, so that this
// says which values were read and what the sessions did, and no number of a
// variable or value of this process is in it.
//
// It is encoded by encoding/json. Whatever is decoded can be resumed without
// harm: what does not fit the program is an error.
type Frontier struct {
	Shape    string        `json:"shape"` // what the program declares: program.Client.Shape
	Level    string        `json:"level"`
	Base     string        `json:"base"`
	Engine   Engine        `json:"engine"`
	Why      string        `json:"why,omitempty"`
	All      bool          `json:"all,omitempty"`
	List     bool          `json:"list,omitempty"`
	Counts   Counts        `json:"counts"`
	Elapsed  time.Duration `json:"elapsed"`    // so far, in ns
	Peak     uint64        `json:"peak_bytes"` // so far
	Subtrees []Subtree     `json:"subtrees"`   // the last is the next
	Passes   *Passes       `json:"passes,omitempty"`
}

// Counts are those of [Stats].
type Counts struct {
	Histories  int64 `json:"histories"`
	EndStates  int64 `json:"end_states"`
	Explored   int64 `json:"explored"`
	Blocked    int64 `json:"blocked"`
	Violations int64 `json:"violations"`
}

// Subtree is a call of explore, or the rest of one.
type Subtree struct {
	Kind  string  `json:"kind"`            // call, read (writers left to try) or rest (swaps to look at, or sessions to decide on)
	Txns  [][]int `json:"txns,omitempty"`  // in <: the session, then the positions from which its reads are
	Open  bool    `json:"open,omitempty"`  // the last transaction is pending
	Next  int     `json:"next,omitempty"`  // where the rest of a call begins
	Skips []int32 `json:"skips,omitempty"` // of the second engine: skip.go
}

const (
	wholeCall = "call"
	restReads = "read"
	restOther = "rest"
)

// Passes is where the second engine stands with its passes: pass.go. Accesses are
// keys by session and position.
type Passes struct {
	Known  [][]Access `json:"known"`
	Before [][]Access `json:"before,omitempty"`
	First  bool       `json:"first,omitempty"` // there was no pass before
	Noted  [][]Access `json:"noted,omitempty"`
	News   bool       `json:"news,omitempty"`
}

// Access are the keys that a transaction may read from others, and write.
type Access struct {
	Reads  []string `json:"r,omitempty"`
	Writes []string `json:"w,omitempty"`
}

func (c *Counts) add(d counts) {
	c.Histories += d.histories
	c.EndStates += d.endStates
	c.Explored += d.explored
	c.Blocked += d.blocked
	c.Violations += d.violations
}

func (c Counts) split() counts {
	return counts{c.Histories, c.EndStates, c.Explored, c.Blocked, c.Violations}
}

// describe makes data of the first txns transactions and the first reads reads of
// h, the last transaction pending at node unless that is nil.
func describe(h *semantics.Ordered, txns, reads int, open bool) Subtree {
	s := Subtree{Open: open}
	for t := 1; t < txns; t++ {
		from, to := h.ReadsOf(t)
		row := make([]int, 1, 1+to-from)
		row[0] = int(h.Txns[t].Session)
		for _, r := range h.Reads[from:min(to, max(reads, from))] {
			row = append(row, int(r.From))
		}
		s.Txns = append(s.Txns, row)
	}
	return s
}

// remains lists what this worker has left to do, the call of explore for s, which
// it is about to make, as the last.
func (e *engine) remains(s *state) []Subtree {
	var list []Subtree
	for i := range e.frames {
		f := &e.frames[i]
		if f.next < 0 {
			continue
		}
		t := describe(&f.s.h, f.txns, f.reads, f.node != nil)
		t.Kind, t.Next = restOther, f.next
		if f.node != nil {
			t.Kind = restReads
		}
		if e.serially {
			t.Skips = slices.Clone(f.s.skips[f.skips:][:f.s.h.Sessions()])
		}
		list = append(list, t)
	}
	if s == nil {
		return list
	}
	h := &s.h
	t := describe(h, h.Len(), len(h.Reads), h.Last().Status == semantics.Pending)
	t.Kind = wholeCall
	if n := len(s.skips) - h.Sessions(); e.serially && n >= 0 {
		t.Skips = slices.Clone(s.skips[n:])
	}
	return append(list, t)
}

// describe makes data of a task that nobody has begun.
func (t *task) describe() Subtree {
	if t.stored != nil {
		return *t.stored
	}
	s := describe(&t.s.h, t.s.h.Len(), len(t.s.h.Reads), t.node != nil)
	s.Kind, s.Next, s.Skips = restOther, t.next, t.s.skips
	if t.node != nil {
		s.Kind = restReads
	}
	return s
}

// errMisfit is what a subtree that the program does not have ends with.
func errMisfit(format string, args ...any) error {
	return fmt.Errorf("the checkpoint does not fit the program: %s", fmt.Sprintf(format, args...))
}

// restore makes a state of a subtree by following its history.
func (e *engine) restore(sub *Subtree) (*state, error) {
	s, err := e.initial()
	if err != nil {
		return nil, err
	}
	for i, row := range sub.Txns {
		if err := e.follow(s, row, sub.Open && i == len(sub.Txns)-1); err != nil {
			return nil, err
		}
	}
	return s, e.fits(s, sub)
}

// follow extends s by a transaction.
func (e *engine) follow(s *state, row []int, open bool) error {
	h := &s.h
	if len(row) == 0 || row[0] < 0 || row[0] >= h.Sessions() || h.Node(row[0]).Kind == program.End {
		return errMisfit("a transaction of a session that has none")
	}
	h.Begin(row[0])
	for _, from := range row[1:] {
		node := h.Last().Node
		if node.Kind != program.Read || from < 0 || from >= h.Len()-1 || !h.Writers(node.Var).Has(from) {
			return errMisfit("a read from where nothing was written")
		}
		h.Read(node.Var, from)
		if !s.known.Read(h) {
			return errMisfit("a history that the base does not allow")
		}
		child, err := e.prog.Child(node, e.value(h, from, node.Var))
		if err != nil {
			return err
		}
		h.Last().Node = child
	}
	switch node := h.Last().Node; {
	case open:
		return nil
	case node.Kind == program.Commit:
		h.Commit(node.Writes)
	case node.Kind == program.Abort:
		h.Abort()
	default:
		return errMisfit("a transaction that does not end where it did")
	}
	e.ended(s)
	return nil
}

// fits checks the rest of a subtree.
func (e *engine) fits(s *state, sub *Subtree) error {
	h := &s.h
	pending := h.Last().Status == semantics.Pending
	if pending != sub.Open {
		return errMisfit("no transaction is open")
	}
	if n := len(sub.Skips); n != 0 && n != h.Sessions() || (n != 0) && !e.serially {
		return errMisfit("%d numbers for %d sessions", n, h.Sessions())
	}
	for _, n := range sub.Skips {
		if n < 0 || int(n) > h.Len() {
			return errMisfit("a session is skipped at a place that is not there")
		}
	}
	ok := false
	switch sub.Kind {
	case wholeCall:
		ok = !e.serially || !pending
	case restReads:
		ok = pending && (len(sub.Skips) > 0 || !e.serially) && h.Last().Node.Kind == program.Read && sub.Next >= 0 && sub.Next < h.Len()-1 &&
			h.Writers(h.Last().Node.Var).Has(sub.Next)
	case restOther:
		ok = !pending && sub.Next >= 0 && (e.serially && len(sub.Skips) > 0 && sub.Next < h.Sessions() || !e.serially && sub.Next < len(h.Reads))
	}
	if !ok {
		return errMisfit("the rest %q at %d of a call that does not have it", sub.Kind, sub.Next)
	}
	s.skips = append(s.skips[:0], sub.Skips...)
	return nil
}

// Decode reads a frontier that was encoded as JSON.
func (f *Frontier) Decode(data []byte) error {
	if err := json.Unmarshal(data, f); err != nil {
		return fmt.Errorf("not the state of an exploration: %w", err)
	}
	return nil
}

// keys turns accesses into keys.
func (a *accesses) keys(c *program.Client) [][]Access {
	if a == nil {
		return nil
	}
	list := func(v varSet) (keys []string) {
		for x := range program.VarID(len(v) * 64) {
			if v.has(x) {
				keys = append(keys, c.Key(x))
			}
		}
		return keys
	}
	out := make([][]Access, len(a.sessions))
	for s := range a.sessions {
		for _, t := range a.sessions[s] {
			out[s] = append(out[s], Access{list(t.reads), list(t.writes)})
		}
	}
	return out
}

// fromKeys is the inverse of keys.
func fromKeys(c *program.Client, rows [][]Access) *accesses {
	a := &accesses{}
	for s, row := range rows {
		for i, t := range row {
			at := a.at(s, i)
			for _, k := range t.Reads {
				at.reads.add(c.Variable(k))
			}
			for _, k := range t.Writes {
				at.writes.add(c.Variable(k))
			}
		}
	}
	return a
}
