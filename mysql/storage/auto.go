package storage

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// The numbers of AUTO_INCREMENT. Without a model of the database each session has numbers of
// its own; under a model all sessions share them.

// PeekNextAutoIncrementValue implements sql.AutoIncrementGetter.
func (t *Table) PeekNextAutoIncrementValue(ctx *sql.Context) (uint64, error) {
	if t.Modelled(ctx) {
		return t.def.auto, nil
	}
	return runOf(ctx).next(t.def), nil
}

// GetNextAutoIncrementValue implements sql.AutoIncrementTable. A number that the
// statement gives itself is taken out of those that come.
func (t *Table) GetNextAutoIncrementValue(ctx *sql.Context, given any) (uint64, error) {
	s := sessionOf(ctx)
	if t.Modelled(ctx) {
		return t.number(ctx, s, given)
	}
	next := s.run.next(t.def)
	own := s.own(t.def)
	if n, ok := number(ctx, given); ok {
		s.run.auto[t.def] = max(next, n+1)
		if own {
			s.given = n
		}
		return n, nil
	}
	s.run.auto[t.def] = next + 1
	s.unmade = func() { s.run.auto[t.def] = next }
	if own && s.made == 0 {
		s.made = next
	}
	return next, nil
}

// own reports whether the statement inserts into the table itself, and not a trigger of its.
// Numbers that triggers make are no numbers of the statement (MySQL 8.0 Reference Manual, 14.15).
func (s *Session) own(d *Def) bool {
	own := s.statement.into(d)
	s.aside = s.aside || !own
	return own
}

// reserve is the numbers that a statement has taken for the rows of a table.
type reserve struct {
	t          *Table
	next, left uint64
	times      int  // how often numbers were taken
	want       int  // rows that the statement has left, since it took numbers first
	last       bool // the last row has got the number before next
}

// restore gives the number of the last row to the next one: the row has not come, because
// another one has its key.
func (r *reserve) restore() {
	if r.last {
		r.next, r.left, r.last = r.next-1, r.left+1, false
	}
}

// number is GetNextAutoIncrementValue under a model of the database: all sessions share the
// numbers. A statement takes as many numbers as it has rows, then as many as it has rows left. A
// statement that does not know takes one number, then two, then four (MySQL 8.0 Reference Manual,
// 17.6.1.6; MariaDB's handler::update_auto_increment and ha_innobase::get_auto_increment).
func (t *Table) number(ctx *sql.Context, s *Session, given any) (uint64, error) {
	m, r := s.run.model, &s.reserve
	if !s.own(t.def) { // a trigger inserts row by row
		if n, ok := number(ctx, given); ok {
			return n, m.Skip(t.def.model, n, false)
		}
		return m.Numbers(t.def.model, 1, false)
	}
	bulk := s.statement.Rows == 0
	if r.t == nil {
		*r = reserve{t: t}
	}
	r.want--
	r.last = false
	if n, ok := number(ctx, given); ok {
		s.given = n
		if r.left > 0 && n >= r.next {
			skipped := min(r.left, n+1-r.next)
			r.next, r.left = r.next+skipped, r.left-skipped
		}
		return n, m.Skip(t.def.model, n, bulk)
	}
	s.unmade = nil
	if r.left == 0 {
		if err := t.draw(s, r, bulk); err != nil {
			return 0, err
		}
	}
	n := r.next
	r.next, r.left, r.last = n+1, r.left-1, true
	if s.made == 0 {
		s.made = n
	}
	return n, nil
}

// draw takes numbers for a statement.
func (t *Table) draw(s *Session, r *reserve, bulk bool) error {
	const most = 1<<16 - 1 // MariaDB's AUTO_INC_DEFAULT_NB_MAX
	if r.times == 0 {
		r.want = s.statement.Rows
	}
	many := max(1, r.want)
	if bulk {
		many = min(1<<r.times, most)
	}
	first, err := s.run.model.Numbers(t.def.model, many, bulk)
	if err != nil {
		return err
	}
	r.next, r.left = first, uint64(many)
	r.times++
	s.unmade = func() { _ = s.run.model.GiveBack(t.def.model, many) } // the statement fails already
	return nil
}

// number is a positive number that a statement gives.
func number(ctx *sql.Context, given any) (uint64, bool) {
	if given == nil {
		return 0, false
	}
	v, _, err := types.Uint64.Convert(ctx, given)
	n, ok := v.(uint64)
	return n, ok && err == nil && n > 0
}

// AutoIncrementSetter implements sql.AutoIncrementTable.
func (t *Table) AutoIncrementSetter(*sql.Context) sql.AutoIncrementSetter { return setter{t} }

type setter struct{ t *Table }

// SetAutoIncrementValue implements sql.AutoIncrementSetter.
func (s setter) SetAutoIncrementValue(ctx *sql.Context, n uint64) error {
	runOf(ctx).auto[s.t.def] = n
	return nil
}

// AcquireAutoIncrementLock implements sql.AutoIncrementSetter. Sessions have numbers of
// their own: there is nothing to lock.
func (s setter) AcquireAutoIncrementLock(*sql.Context) (func(), error) { return func() {}, nil }

// Close implements sql.Closer.
func (s setter) Close(*sql.Context) error { return nil }
