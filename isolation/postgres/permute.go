package postgres

import (
	"cmp"
	"slices"

	"github.com/txmc/txmc/isolation/model"
)

// Sessions in each other's places. No rule of the server asks for the number of a session:
// so the future of a state in which sessions have exchanged their numbers is the state's
// own, with the numbers exchanged. Two lists are kept in an order that says nothing,
// because all of their members are choices: the list of the woken, and the list of those
// whose deadlock check is due.

var _ model.Permutable = (*Rows)(nil)

// Permute gives each session another number.
func (r *Rows) Permute(to []int8) {
	r.state.permute(to)
	model.Reorder(r.runs, to)
	model.Reorder(r.execs, to)
	model.Reorder(r.calls, to)
	auto := r.auto
	r.auto = 0
	for s, t := range to {
		r.auto |= auto >> s & 1 << t
	}
}

func (s *State) permute(to []int8) {
	model.Reorder(s.sessions, to)
	for i := range s.xids {
		renumber(&s.xids[i].session, to)
	}
	for i := range s.queue {
		renumber(&s.queue[i].session, to)
	}
	for i := range s.advisory {
		renumber(&s.advisory[i].session, to)
	}
	for i := range s.ssi.records {
		renumber(&s.ssi.records[i].session, to)
	}
	for i := range s.woken {
		renumber(&s.woken[i].session, to)
	}
	for i := range s.fresh {
		renumber(&s.fresh[i], to)
	}
	slices.SortStableFunc(s.woken, func(a, b task) int { return cmp.Compare(a.session, b.session) })
	if s.races {
		slices.Sort(s.fresh)
	}
}

func renumber(session *int8, to []int8) {
	if *session != none {
		*session = to[*session]
	}
}

// Rank compares sessions by what they have: 0 is nothing at all.
func (r *Rows) Rank(sess int) uint64 {
	ses := &r.state.sessions[sess]
	if !ses.open && r.auto>>sess&1 == 0 && !r.state.keeps(sess) {
		return 0
	}
	x := uint64(ses.xid + 1)
	if !r.state.ordersHolders() {
		x = b2u(ses.xid != none)
	}
	return 1<<63 | b2u(r.Blocked(sess))<<62 | r.state.ssi.degree(ses.record)<<48 | x&(1<<24-1)<<24 | uint64(ses.snapshot+1)&(1<<24-1)
}

// degree is how many conflicts a record has, out and in.
func (q *ssi) degree(id int32) (n uint64) {
	if id == none {
		return 0
	}
	for _, c := range q.conflicts {
		n += b2u(c.reader == id)<<7 + b2u(c.writer == id)
	}
	return n & (1<<14 - 1)
}

// keeps reports whether something of the session outlasts its transactions.
func (s *State) keeps(sess int) bool {
	return slices.ContainsFunc(s.advisory, func(a advice) bool { return int(a.session) == sess }) ||
		slices.ContainsFunc(s.ssi.records, func(r record) bool { return r.used && int(r.session) == sess })
}

// Sessions is the number of sessions.
func (r *Rows) Sessions() int { return len(r.state.sessions) }

// Grow makes the sessions so many, at least.
func (r *Rows) Grow(sessions int) {
	for len(r.state.sessions) < sessions {
		r.state.sessions = append(r.state.sessions, idleSession)
		r.calls = append(r.calls, call{})
	}
}
