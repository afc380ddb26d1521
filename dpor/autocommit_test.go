package dpor_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// TestAutocommitApart: between an operation in autocommit that has locked or written rows and
// its commit others run. They find the row locked.
func TestAutocommitApart(t *testing.T) {
	t.Parallel()
	operations := map[string]func(tx *program.Tx, rows *program.Table[int, int]){
		"update": func(tx *program.Tx, rows *program.Table[int, int]) {
			rows.Update(tx, 1, func(old int) (int, bool) { return old + 1, true })
		},
		"lock":   func(tx *program.Tx, rows *program.Table[int, int]) { rows.Get(tx, 1, behaviour.ForUpdate) },
		"select": func(tx *program.Tx, rows *program.Table[int, int]) { rows.Select(tx, nil) },
		"none":   func(tx *program.Tx, rows *program.Table[int, int]) { rows.Delete(tx, 7) },
	}
	for _, level := range []isolation.Level{isolation.PgRC, isolation.PgSer, isolation.InnoRC} {
		for name, operation := range operations {
			got := observed(t, func(p *program.Program) {
				rows := program.NewTable[int, int](p, "t")
				p.Setup(func(tx *program.Tx) error { return rows.Insert(tx, 1, 1) })
				p.Session("a", func(s *program.Session) {
					if err := s.Auto(func(tx *program.Tx) { operation(tx, rows) }); err != nil {
						s.Observe("", "fails")
					}
				})
				p.Session("b", func(s *program.Session) {
					s.Txn("b", func(tx *program.Tx) error {
						s.Observe("", len(rows.Select(tx, nil, behaviour.ForUpdate, behaviour.SkipLocked)))
						return nil
					})
				})
			}, level)
			want := []string{"1"}
			if name == "update" || name == "lock" {
				want = []string{"0", "1"}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%v: %s: %q, want %q", level, name, got, want)
			}
		}
	}
}

// TestAutocommitDeadlock: two sessions insert the row that a third session deletes. They wait
// for its commit, both with a shared lock. This is a deadlock in InnoDB (MySQL manual, "Locks
// Set by Different SQL Statements in InnoDB").
func TestAutocommitDeadlock(t *testing.T) {
	t.Parallel()
	got := observed(t, func(p *program.Program) {
		rows := program.NewTable[int, int](p, "t")
		p.Setup(func(tx *program.Tx) error { return rows.Insert(tx, 1, 1) })
		p.Session("a", func(s *program.Session) { s.Auto(func(tx *program.Tx) { rows.Delete(tx, 1) }) })
		for _, name := range []string{"b", "c"} {
			p.Session(name, func(s *program.Session) {
				var db *behaviour.DBError
				if err := s.Auto(func(tx *program.Tx) { rows.Insert(tx, 1, 2) }); errors.As(err, &db) {
					s.Observe("", db.Code())
				} else {
					s.Observe("", "ok")
				}
			})
		}
	}, isolation.InnoRR)
	if want := []string{"1062 1062", "1062 ok", "1213 ok", "ok 1062", "ok 1213"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", strings.Join(got, ", "), want)
	}
}

// TestRowBehindAutocommit: the row that a session first touches after an operation in autocommit
// that has nothing to commit is known when it gets there.
func TestRowBehindAutocommit(t *testing.T) {
	t.Parallel()
	for _, level := range []isolation.Level{isolation.PgRC, isolation.PgSer, isolation.InnoRC} {
		got := observed(t, func(p *program.Program) {
			rows := program.NewTable[int, int](p, "t")
			p.Session("a", func(s *program.Session) {
				s.Auto(func(tx *program.Tx) { rows.Delete(tx, 1) })
				s.Auto(func(tx *program.Tx) { rows.Insert(tx, 2, 1) })
				s.Auto(func(tx *program.Tx) { s.Observe("", len(rows.Select(tx, nil))) })
			})
		}, level)
		if want := []string{"1"}; !slices.Equal(got, want) {
			t.Errorf("%v: %q, want %q", level, got, want)
		}
	}
}
