package innodb

import "github.com/txmc/txmc/isolation/model"

// Sessions in each other's places. No rule of the server asks for the number of a session,
// as transactions have numbers of their own, in the order of their beginnings. So the future
// of a state in which sessions have exchanged their numbers is the state's own, with the
// numbers exchanged.

var _ model.Permutable = (*Rows)(nil)

// Permute gives each session another number.
func (r *Rows) Permute(to []int8) {
	for i := range r.state.trxs {
		if x := &r.state.trxs[i]; x.owner != none {
			x.owner = int32(to[x.owner])
		}
	}
	model.Reorder(r.runs, to)
	model.Reorder(r.execs, to)
	model.Reorder(r.calls, to)
	for i := range r.names {
		r.names[i].session = to[r.names[i].session]
	}
}

// Rank compares sessions by what they have: 0 is nothing at all.
func (r *Rows) Rank(sess int) uint64 {
	run := &r.runs[sess]
	if run.trx != none {
		return 2 + uint64(run.trx)
	}
	for _, n := range r.names {
		if int(n.session) == sess {
			return 1
		}
	}
	if run.open { // an error has ended its transaction
		return 1
	}
	return 0
}

// Sessions is the number of sessions.
func (r *Rows) Sessions() int { return len(r.runs) }

// Grow makes the sessions so many, at least.
func (r *Rows) Grow(sessions int) {
	for len(r.runs) < sessions {
		r.runs = append(r.runs, byKey{session: session{trx: none}})
		r.calls = append(r.calls, call{})
	}
}

// lastOpen is the number of sessions without those behind the last one that is open. These say
// nothing: so a state is the same whether or not a client has opened another connection.
func (r *Rows) lastOpen() int {
	n := len(r.runs)
	for n > 0 && !r.runs[n-1].open && !r.runs[n-1].busy {
		n--
	}
	return n
}
