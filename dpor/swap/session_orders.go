package swap

import (
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// SerialSessions reports whether a history is that of an order of its sessions, one after
// another: whether it is serializable when each session is one transaction.
func SerialSessions(h *semantics.History) bool {
	m, ok := merged(h)
	return ok && isolation.Satisfies(m, isolation.SER)
}

// merged is the history in which each session is one transaction. It is false when a
// transaction reads what its session, or another one, has overwritten later on: no such
// transaction does.
func merged(h *semantics.History) (*semantics.History, bool) {
	last := lastWrites(h)
	m := &semantics.History{Sessions: h.Sessions, Final: h.Final, Txns: h.Txns[:1:1]}
	places := make([]int, h.Sessions)
	for t := 1; t < len(h.Txns); t++ {
		if one := &h.Txns[t]; one.Index == 0 {
			places[one.Session] = len(m.Txns)
			m.Txns = append(m.Txns, semantics.Txn{Session: one.Session, Name: one.Name, Status: semantics.Committed, Loc: one.Loc})
		}
	}
	var written map[behaviour.VarID]int // by the session, until now
	for t := 1; t < len(h.Txns); t++ {
		one := &h.Txns[t]
		if one.Index == 0 {
			written = map[behaviour.VarID]int{}
		}
		whole := &m.Txns[places[one.Session]]
		for _, e := range one.Events {
			own, wrote := written[e.Var]
			switch {
			case e.Kind == semantics.Write && one.Status == semantics.Committed:
				whole.Events = append(whole.Events, e)
			case e.Kind == semantics.Write || e.From == semantics.Own:
			case wrote && e.From != own:
				return nil, false
			case !wrote && e.From > 0:
				from := h.Txns[e.From].Session
				if e.From != last[from][e.Var] {
					return nil, false
				}
				e.From = places[from]
				whole.Events = append(whole.Events, e)
			case !wrote:
				whole.Events = append(whole.Events, e)
			}
		}
		for _, e := range one.Events {
			if e.Kind == semantics.Write && one.Status == semantics.Committed {
				written[e.Var] = t
			}
		}
	}
	return m, true
}

// lastWrites are the transactions that have written variables last, by session.
func lastWrites(h *semantics.History) []map[behaviour.VarID]int {
	last := make([]map[behaviour.VarID]int, h.Sessions)
	for i := range last {
		last[i] = map[behaviour.VarID]int{}
	}
	for t := 1; t < len(h.Txns); t++ {
		for _, e := range h.Txns[t].Events {
			if e.Kind == semantics.Write && h.Txns[t].Status == semantics.Committed {
				last[h.Txns[t].Session][e.Var] = t
			}
		}
	}
	return last
}
