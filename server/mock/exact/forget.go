package exact

import (
	"time"

	"github.com/txmc/txmc/program/access"
)

// Memory. Versions that no transaction can see are forgotten when none is open. When there
// are many versions, transactions that begin wait for such a moment, but not for long. A
// client with an open transaction may wait for another client that begins one.

// patience is how long transactions that begin are held up.
const patience = 200 * time.Millisecond

// gathers reports whether transactions that begin have to wait until no transaction is
// open.
func (s *Store) gathers() bool {
	if s.rows.Versions() < s.limit {
		return false
	}
	if s.since.IsZero() {
		s.since = time.Now()
		s.held.Reset(patience)
	}
	if time.Since(s.since) >= patience {
		s.since = time.Time{}
		s.limit += s.options.Versions // later again
		return false
	}
	return true
}

// forget forgets what it can when there is much.
func (s *Store) forget() {
	if s.rows.Versions() < s.limit || !s.quiet() {
		return
	}
	moved := s.records.mover()
	if !s.rows.Settle(moved) {
		return
	}
	s.records.moved()
	s.since, s.limit = time.Time{}, s.options.Versions
	var rows []access.Initial
	s.rows.EachSettled(func(r access.Initial) { rows = append(rows, r) })
	for _, c := range s.queue { // what they are about to ask is not forgotten
		if q := c.asked; q != nil {
			rows = append(rows, access.Initial{Table: q.Table, Row: q.Row})
		}
	}
	s.catalog.Forget(rows)
}

// quiet reports whether nobody has a transaction, and nobody knows rows that the store has
// not been asked for.
func (s *Store) quiet() bool {
	for c := range s.sessions {
		if c.open && !(c.queued && c.slot == none) || c.working && !c.queued {
			return false
		}
	}
	return true
}
