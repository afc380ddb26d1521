package dpor_test

import (
	"fmt"
	"strings"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/semantics"
)

// toReference reads a history of the engine as one of the reference. It reports
// what breaks the rules for histories as data (semantics.History).
func toReference(h *semantics.History, client *program.Client) (*refHistory, error) {
	r := &refHistory{make([][]txnLog, h.Sessions), h.Final}
	if len(h.Txns) == 0 || h.Txns[0].Session != -1 || h.Txns[0].Status != semantics.Committed || len(h.Txns[0].Events) > 0 {
		return nil, fmt.Errorf("the initial transaction is missing or not an empty committed one")
	}
	session := 0
	for i, t := range h.Txns[1:] {
		if t.Session < session || t.Session >= h.Sessions || t.Index != len(r.sessions[t.Session]) {
			return nil, fmt.Errorf("transaction %d of session %d stands at %d: not in order", t.Index, t.Session, i+1)
		}
		session = t.Session
		if t.Err != "" && t.Status != semantics.Aborted {
			return nil, fmt.Errorf("transaction %d has the error %q and is %v", i+1, t.Err, t.Status)
		}
		log := txnLog{status: status(t.Status.String())}
		for _, e := range t.Events {
			s := step{write: e.Kind == semantics.Write, v: strings.Index(variables, client.Key(e.Var)), val: client.Value(e.Val).(int)}
			switch {
			case s.write && e.From != 0:
				return nil, fmt.Errorf("a write of transaction %d reads from %d", i+1, e.From)
			case s.write:
			case e.From == semantics.Own:
				s.own = true
			default:
				s.from = txnID{h.Txns[e.From].Session, h.Txns[e.From].Index}
			}
			log.steps = append(log.steps, s)
		}
		r.sessions[session] = append(r.sessions[session], log)
	}
	return r, nil
}

// fromReference makes a reference history data for the engine. Variables and
// values are numbered as they are.
func fromReference(r *refHistory) *semantics.History {
	h := &semantics.History{Sessions: len(r.sessions), Final: r.final}
	h.Txns = append(h.Txns, semantics.Txn{Session: -1, Status: semantics.Committed})
	number := map[txnID]int{initID: 0}
	for s, logs := range r.sessions {
		for i := range logs {
			number[txnID{s, i}] = len(number)
		}
	}
	for s, logs := range r.sessions {
		for i, l := range logs {
			t := semantics.Txn{Session: s, Index: i, Status: statuses[l.status]}
			for _, st := range l.steps {
				e := semantics.Event{Var: program.VarID(st.v), Val: program.ValueID(st.val)}
				switch {
				case st.write:
					e.Kind = semantics.Write
				case st.own:
					e.From = semantics.Own
				default:
					e.From = number[st.from]
				}
				t.Events = append(t.Events, e)
			}
			h.Txns = append(h.Txns, t)
		}
	}
	return h
}

var statuses = map[status]semantics.Status{
	pending: semantics.Pending, committed: semantics.Committed, aborted: semantics.Aborted,
}
