package states

import (
	"fmt"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/behaviour"
)

// A session that waits for itself. Its statement on one connection waits for a lock that another
// connection of the session has, and that one's transaction ends only when the statement has
// returned: as when code in a transaction calls a helper that uses the pool. The database sees no
// circle, as a part of it is in the client's code. So everybody waits for ever, and that is an
// outcome.

// hang is the failure of a state in which nothing can come next because sessions wait for
// themselves, by way of others or not; nil when there is none.
func (d *database) hang(m *state) *behaviour.Failure {
	for i := range m.nodes {
		if !m.blocked(i) {
			continue
		}
		if holder, found := m.idleHolder(i); found {
			return d.hung(m, i, holder)
		}
	}
	return nil
}

// idleHolder is a server session for which session i waits, by way of others or not, that does
// nothing because its session waits on another connection. The session's own comes first.
func (m *state) idleHolder(i int) (holder int, found bool) {
	var seen uint64
	reached := m.rows.WaitsFor(m.server(i))
	for todo := reached; todo != 0; todo = reached &^ seen {
		for s := 0; todo>>s != 0; s++ {
			if todo>>s&1 == 0 {
				continue
			}
			seen |= 1 << s
			if m.rows.Blocked(s) {
				reached |= m.rows.WaitsFor(s)
				continue
			}
			of := m.session(s)
			if own := of == i; m.blocked(of) && (own || !found) {
				if holder, found = s, true; own {
					return holder, true
				}
			}
		}
	}
	return holder, found
}

// hung says that session i waits for ever for a server session.
func (d *database) hung(m *state, i, holder int) *behaviour.Failure {
	n, of := m.nodes[i], m.session(holder)
	last := m.nodes[of] // what the holder's connection has done last
	for last.Before() != nil && m.serverOf(last) != holder {
		last = last.Before()
	}
	begun := last.Begun()
	f := &behaviour.Failure{Kind: behaviour.Hang, Session: i, Txn: int(n.Txn), Name: n.Transaction(), At: d.prog.Location(n.Loc)}
	whose := "the session's own transaction"
	if of != i {
		whose = fmt.Sprintf("session %s's transaction", d.prog.SessionName(of))
	}
	waits := "waits for ever"
	if d.level.Database() == isolation.InnoDB {
		waits = "waits until innodb_lock_wait_timeout is over, and fails with 1205,"
	}
	why := "is open on another connection and ends only after the statement: send it on the transaction, or before or after it"
	if of != i {
		why = "is open on one connection while a statement on another waits for this session"
	}
	f.Message = fmt.Sprintf("the statement %s for %s %q (begun at %v), which %s", waits, whose, begun.Text, d.prog.Location(begun.Loc), why)
	return f
}
