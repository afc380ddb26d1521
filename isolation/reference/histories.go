package reference

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// ID names a transaction: its session, and its position among those of the
// session that took place.
type ID struct{ Session, Index int }

// Init is the initial transaction.
var Init = ID{-1, 0}

// Step is an event of a transaction log.
type Step struct {
	Write bool
	Var   int
	Val   int
	Own   bool // of a read: it returns the transaction's own write
	Lock  bool // of an external read: a locking read
	From  ID   // of an external read: where it reads from
}

// Log is what a transaction did.
type Log struct {
	Status semantics.Status
	Steps  []Step
}

// Written returns the value of x that the transaction makes visible.
func (l *Log) Written(x int) (val int, ok bool) {
	for _, s := range l.Steps {
		if s.Write && s.Var == x && l.Status == semantics.Committed {
			val, ok = s.Val, true
		}
	}
	return val, ok
}

// History is a history: the logs of each session in session order. The session
// Final, when not -1, comes after all others in session order.
type History struct {
	Sessions [][]Log
	Final    int
}

// Log returns the log of transaction id.
func (h *History) Log(id ID) *Log { return &h.Sessions[id.Session][id.Index] }

// String is the canonical form: equal for equal histories, different for
// different ones.
func (h *History) String() string { return h.Renamed(func(s int) int { return s }) }

// Renamed is the canonical form of the history whose session s is called name(s).
func (h *History) Renamed(name func(int) int) string {
	sessions := make([]string, len(h.Sessions))
	for i, logs := range h.Sessions {
		var b strings.Builder
		for _, l := range logs {
			b.WriteString(l.Status.String()[:1])
			for _, s := range l.Steps {
				s.write(&b, name)
			}
			b.WriteString("; ")
		}
		sessions[name(i)] = b.String()
	}
	return strings.Join(sessions, "| ")
}

func (s Step) write(b *strings.Builder, name func(int) int) {
	if s.Lock {
		b.WriteString(" locking")
	}
	switch {
	case s.Write:
		fmt.Fprintf(b, " w%d:%d", s.Var, s.Val)
	case s.Own:
		fmt.Fprintf(b, " r%d:%d", s.Var, s.Val)
	case s.From == Init:
		fmt.Fprintf(b, " r%d:%d<init", s.Var, s.Val)
	default:
		fmt.Fprintf(b, " r%d:%d<%d.%d", s.Var, s.Val, name(s.From.Session), s.From.Index)
	}
}

// Writers returns the committed transactions that write x, with their values;
// initial is that of Init.
func (h *History) Writers(x, initial int) (ids []ID, vals []int) {
	ids, vals = []ID{Init}, []int{initial}
	for s, logs := range h.Sessions {
		for i := range logs {
			if val, ok := logs[i].Written(x); ok {
				ids, vals = append(ids, ID{s, i}), append(vals, val)
			}
		}
	}
	return ids, vals
}

// IDs lists the transactions as they are numbered in Relations and Data.
func (h *History) IDs() []ID {
	ids := []ID{Init}
	for s, logs := range h.Sessions {
		for i := range logs {
			ids = append(ids, ID{s, i})
		}
	}
	return ids
}

// Number is the inverse of IDs.
func (h *History) Number() map[ID]int {
	number := map[ID]int{}
	for n, id := range h.IDs() {
		number[id] = n
	}
	return number
}

// Relations returns the relations of h.
func (h *History) Relations() *Relations {
	ids, number := h.IDs(), h.Number()
	reads, writes := make([][]ReadFrom, len(ids)), make([]map[int]bool, len(ids))
	for t3 := 1; t3 < len(ids); t3++ {
		log := h.Log(ids[t3])
		writes[t3] = map[int]bool{}
		for _, s := range log.Steps {
			switch {
			case s.Write && log.Status == semantics.Committed:
				writes[t3][s.Var] = true
			case !s.Write && !s.Own:
				reads[t3] = append(reads[t3], ReadFrom{number[s.From], t3, s.Var, s.Lock})
			}
		}
	}
	so := func(t, u int) bool {
		a, b := ids[t], ids[u]
		return a.Session == b.Session && a.Index < b.Index || b.Session == h.Final && a.Session != b.Session
	}
	return Relate(len(ids), so, reads, writes)
}

// Satisfies reports whether h satisfies level l by definition.
func (h *History) Satisfies(l isolation.Level) bool { return h.Relations().Satisfies(l) }

// SatisfiesLiterally is the same by all total orders.
func (h *History) SatisfiesLiterally(l isolation.Level) bool {
	return h.Relations().SatisfiesLiterally(l)
}

// Unlocked returns h with plain reads in the place of locking reads.
func (h *History) Unlocked() *History {
	g := &History{Sessions: make([][]Log, len(h.Sessions)), Final: h.Final}
	for s, logs := range h.Sessions {
		for _, l := range logs {
			l.Steps = slices.Clone(l.Steps)
			for i := range l.Steps {
				l.Steps[i].Lock = false
			}
			g.Sessions[s] = append(g.Sessions[s], l)
		}
	}
	return g
}

// Data returns h as the engines have it. Variables and values are numbered as they
// are.
func (h *History) Data() *semantics.History {
	number := h.Number()
	out := &semantics.History{Sessions: len(h.Sessions), Final: h.Final}
	out.Txns = append(out.Txns, semantics.Txn{Session: -1, Status: semantics.Committed})
	for s, logs := range h.Sessions {
		for i, l := range logs {
			t := semantics.Txn{Session: s, Index: i, Status: l.Status}
			for _, st := range l.Steps {
				e := semantics.Event{Var: behaviour.VarID(st.Var), Val: behaviour.ValueID(st.Val)}
				switch {
				case st.Write:
					e.Kind = semantics.Write
				case st.Own:
					e.From = semantics.Own
				default:
					e.From, e.Lock = number[st.From], st.Lock
				}
				t.Events = append(t.Events, e)
			}
			out.Txns = append(out.Txns, t)
		}
	}
	return out
}

// Of reads what the engines have as a history of the reference. It reports what
// breaks the rules for histories as data (semantics.History). The functions number
// variables and values.
func Of(h *semantics.History, variable func(behaviour.VarID) int, value func(behaviour.ValueID) int) (*History, error) {
	r := &History{make([][]Log, h.Sessions), h.Final}
	if len(h.Txns) == 0 || h.Txns[0].Session != -1 || h.Txns[0].Status != semantics.Committed || len(h.Txns[0].Events) > 0 {
		return nil, fmt.Errorf("the initial transaction is missing or not an empty committed one")
	}
	session := 0
	for i, t := range h.Txns[1:] {
		if t.Session < session || t.Session >= h.Sessions || t.Index != len(r.Sessions[t.Session]) {
			return nil, fmt.Errorf("transaction %d of session %d stands at %d: not in order", t.Index, t.Session, i+1)
		}
		session = t.Session
		if t.Err != "" && t.Status != semantics.Aborted {
			return nil, fmt.Errorf("transaction %d has the error %q and is %v", i+1, t.Err, t.Status)
		}
		log := Log{Status: t.Status}
		for _, e := range t.Events {
			s := Step{Write: e.Kind == semantics.Write, Var: variable(e.Var), Val: value(e.Val)}
			switch {
			case s.Write && e.From != 0:
				return nil, fmt.Errorf("a write of transaction %d reads from %d", i+1, e.From)
			case s.Write:
			case e.From == semantics.Own:
				s.Own = true
			default:
				s.From, s.Lock = ID{h.Txns[e.From].Session, h.Txns[e.From].Index}, e.Lock
			}
			log.Steps = append(log.Steps, s)
		}
		r.Sessions[session] = append(r.Sessions[session], log)
	}
	return r, nil
}
