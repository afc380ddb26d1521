package storage

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// An UPDATE of several tables changes a row of each for each row of its join. The engine takes the
// tables in an order that differs from run to run; here they are taken in that of the
// statement: what one row of the join changes waits until the next row is read.

// joinedUpdate is a change that waits.
type joinedUpdate struct {
	d  *Def
	do func() error
}

// joined runs a change of a row, or lets it wait in a statement that changes several tables.
func (s *Session) joined(d *Def, do func() error) error {
	if !s.statement.Joins || s.flushing {
		return do()
	}
	if slices.ContainsFunc(s.waiting, func(w joinedUpdate) bool { return w.d == d }) {
		if err := s.flush(); err != nil {
			return err
		}
	}
	s.waiting = append(s.waiting, joinedUpdate{d, do})
	return nil
}

// flush runs what waits.
func (s *Session) flush() error {
	if len(s.waiting) == 0 || s.flushing {
		return nil
	}
	list := s.waiting
	s.waiting, s.flushing = nil, true
	defer func() { s.flushing = false }()
	slices.SortStableFunc(list, func(a, b joinedUpdate) int { return s.statement.place(a.d) - s.statement.place(b.d) })
	for _, w := range list {
		if err := w.do(); err != nil {
			return err
		}
	}
	return nil
}

// place is the place of a table in the statement.
func (s *Statement) place(d *Def) int {
	return slices.IndexFunc(s.Tables, func(name string) bool { return strings.EqualFold(name, d.name) })
}

// flushed flushes before a scan goes on.
func flushed(ctx *sql.Context) error {
	if s, ok := ctx.Session.(*Session); ok {
		return s.flush()
	}
	return nil
}
