package storage

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/txmc/txmc/program/rows"
)

const stride = rows.Stride

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
	if n, ok := number(ctx, given); ok {
		s.run.auto[t.def] = max(next, n+1)
		s.given = n
		return n, nil
	}
	s.run.auto[t.def] = next + 1
	s.unmade = func() { s.run.auto[t.def] = next }
	if s.made == 0 {
		s.made = next
	}
	return next, nil
}

// number is GetNextAutoIncrementValue under a model of the database: all sessions share
// the numbers.
func (t *Table) number(ctx *sql.Context, s *Session, given any) (uint64, error) {
	m := s.run.model
	if n, ok := number(ctx, given); ok {
		s.given = n
		return n, m.Skip(t.def.model, n)
	}
	next, err := m.Number(t.def.model)
	s.unmade = func() { _ = m.GiveBack(t.def.model) } // the statement fails already
	if s.made == 0 {
		s.made = next
	}
	return next, err
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
