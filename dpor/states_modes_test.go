package dpor_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// observed are what the sessions of a program's outcomes have observed, an outcome a line.
func observed(t *testing.T, explore func(*program.Program), level isolation.Level) []string {
	t.Helper()
	c, err := program.NewClient("ExploreTest", explore, program.Options{Database: level.Database() != isolation.NoDatabase})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Park()
	out := map[string]bool{}
	for f, err := range dpor.Explore(context.Background(), c, dpor.Options{Level: level, List: true, All: true}).Histories() {
		if err != nil {
			t.Fatal(err)
		}
		var text []string
		for _, end := range f.Ends {
			for _, n := range end.Path() {
				for _, e := range n.Events {
					if e.Kind == behaviour.ObserveEvent {
						text = append(text, fmt.Sprint(c.Value(e.Val)))
					}
				}
			}
		}
		out[strings.Join(text, " ")] = true
	}
	return strings.Split(sorted(out), "\n")
}

// TestReadOnly: what a READ ONLY transaction may not do fails, by the database's code, and in
// InnoDB the transaction goes on (MySQL manual, START TRANSACTION).
func TestReadOnly(t *testing.T) {
	t.Parallel()
	operations := map[string]func(*program.Tx, *program.Var[int], *program.Table[int, int]){
		"get":   func(tx *program.Tx, v *program.Var[int], _ *program.Table[int, int]) { v.Get(tx) },
		"share": func(tx *program.Tx, v *program.Var[int], _ *program.Table[int, int]) { v.GetForShare(tx) },
		"lock":  func(tx *program.Tx, v *program.Var[int], _ *program.Table[int, int]) { v.GetForUpdate(tx) },
		"set":   func(tx *program.Tx, v *program.Var[int], _ *program.Table[int, int]) { v.Set(tx, 1) },
		"update": func(tx *program.Tx, v *program.Var[int], _ *program.Table[int, int]) {
			v.Update(tx, func(n int) (int, bool) { return n, false })
		},
		"insert": func(tx *program.Tx, _ *program.Var[int], r *program.Table[int, int]) { r.Insert(tx, 2, 2) },
		"delete": func(tx *program.Tx, _ *program.Var[int], r *program.Table[int, int]) { r.Delete(tx, 3) },
		"rows":   func(tx *program.Tx, _ *program.Var[int], r *program.Table[int, int]) { r.Select(tx, nil) },
		"shared": func(tx *program.Tx, _ *program.Var[int], r *program.Table[int, int]) {
			r.Get(tx, 1, behaviour.ForShare)
		},
		"locked": func(tx *program.Tx, _ *program.Var[int], r *program.Table[int, int]) {
			r.Get(tx, 1, behaviour.ForUpdate)
		},
	}
	allowed := map[isolation.Database]string{isolation.PostgreSQL: "get rows", isolation.NoDatabase: "get rows", isolation.InnoDB: "get rows share shared"}
	for _, level := range []isolation.Level{isolation.PgRC, isolation.PgSer, isolation.InnoRC, isolation.InnoSer, isolation.SI} {
		for name, operation := range operations {
			want := "25006 25006 1"
			switch {
			case strings.Contains(" "+allowed[level.Database()]+" ", " "+name+" "):
				want = "ok ok 1"
			case level.Database() == isolation.InnoDB:
				want = "1792 ok 1"
			}
			got := observed(t, func(p *program.Program) {
				v, rows := program.NewVar(p, "x", 0), program.NewTable[int, int](p, "t")
				p.Setup(func(tx *program.Tx) error { return rows.Insert(tx, 1, 1) })
				p.Session("s", func(s *program.Session) {
					text := func(err error) string {
						var db *behaviour.DBError
						if errors.As(err, &db) {
							return db.Code()
						}
						return "ok"
					}
					var of string
					err := s.Txn("t", func(tx *program.Tx) error {
						operation(tx, v, rows)
						of = text(tx.Err())
						return nil
					}, program.ReadOnly)
					s.Observe("", of)
					s.Observe("", text(err))
					s.Txn("look", func(tx *program.Tx) error {
						s.Observe("", len(rows.Select(tx, nil))+v.Get(tx))
						return nil
					})
				})
			}, level)
			if len(got) != 1 || got[0] != want {
				t.Errorf("%v: %s: %q, want %q", level, name, got, want)
			}
		}
	}
}

// TestDeferrable: a DEFERRABLE transaction waits, and does not fail nor make others fail
// (PostgreSQL's documentation, SET TRANSACTION).
func TestDeferrable(t *testing.T) {
	t.Parallel()
	fails := func(options ...program.TxnOption) bool {
		got := observed(t, func(p *program.Program) {
			x, y := program.NewVar(p, "x", 0), program.NewVar(p, "y", 0)
			add := func(name string, from, to *program.Var[int]) {
				p.Session(name, func(s *program.Session) {
					if s.Txn(name, func(tx *program.Tx) error {
						n := 0
						if from != nil {
							n = from.Get(tx)
						}
						to.Set(tx, n+1)
						return nil
					}) != nil {
						s.Observe("", name+" fails")
					}
				})
			}
			add("batch", nil, x) // Fekete, O'Neil, O'Neil, "A Read-Only Transaction Anomaly Under Snapshot Isolation", 2004
			add("receipt", x, y)
			p.Session("report", func(s *program.Session) {
				if s.Txn("report", func(tx *program.Tx) error { x.Get(tx); y.Get(tx); return nil }, options...) != nil {
					s.Observe("", "report fails")
				}
			})
		}, isolation.PgSer)
		return strings.Contains(strings.Join(got, " "), "fails")
	}
	if !fails(program.ReadOnly) {
		t.Error("the read-only anomaly makes nobody fail")
	}
	if fails(program.ReadOnly, program.Deferrable) {
		t.Error("a DEFERRABLE transaction fails, or makes others fail")
	}
}

// TestReferences: a row that refers to none cannot be inserted or made so, and one that others
// refer to cannot be deleted.
func TestReferences(t *testing.T) {
	t.Parallel()
	codes := map[isolation.Database][2]string{isolation.PostgreSQL: {"23503", "23503"}, isolation.NoDatabase: {"23503", "23503"}, isolation.InnoDB: {"1452", "1451"}}
	for _, level := range []isolation.Level{isolation.PgRC, isolation.PgSer, isolation.InnoRC, isolation.InnoRR, isolation.RC, isolation.SI, isolation.SER} {
		got := observed(t, func(p *program.Program) {
			users := program.NewTable[string, int](p, "users")
			orders := program.NewTable[int](p, "orders", program.References("user", func(user string) any {
				if user == "" {
					return nil
				}
				return user
			}, users))
			p.Setup(func(tx *program.Tx) error {
				return errors.Join(users.Insert(tx, "ann", 1), orders.Insert(tx, 1, "ann"))
			})
			p.Session("s", func(s *program.Session) {
				try := func(f func(tx *program.Tx)) {
					text := "ok"
					s.Txn("t", func(tx *program.Tx) error {
						f(tx)
						var db *behaviour.DBError
						if errors.As(tx.Err(), &db) {
							text = db.Code()
						}
						return tx.Err()
					})
					s.Observe("", text)
				}
				try(func(tx *program.Tx) { orders.Insert(tx, 2, "bob") })
				try(func(tx *program.Tx) { users.Delete(tx, "ann") })
				try(func(tx *program.Tx) { orders.Update(tx, 1, func(string) (string, bool) { return "bob", true }) })
				try(func(tx *program.Tx) { orders.Update(tx, 1, func(string) (string, bool) { return "", true }) })
				try(func(tx *program.Tx) { users.Delete(tx, "ann") })
				try(func(tx *program.Tx) { orders.InsertOrUpdate(tx, 1, "", func(string) string { return "ann" }) })
			})
		}, level)
		c := codes[level.Database()]
		if want := fmt.Sprintf("%s %s %s ok ok %s", c[0], c[1], c[0], c[0]); len(got) != 1 || got[0] != want {
			t.Errorf("%v: %q, want %q", level, got, want)
		}
	}
}

// TestReferenceRace: an order for a user who is deleted at the same time: one of the two fails.
func TestReferenceRace(t *testing.T) {
	t.Parallel()
	for _, level := range []isolation.Level{isolation.PgRC, isolation.PgRR, isolation.PgSer, isolation.InnoRC, isolation.InnoRR, isolation.InnoSer, isolation.RC, isolation.CC, isolation.SI, isolation.SER} {
		got := observed(t, func(p *program.Program) {
			users := program.NewTable[int, int](p, "users")
			orders := program.NewTable[int](p, "orders", program.References("user", func(user int) any { return user }, users))
			p.Setup(func(tx *program.Tx) error { return users.Insert(tx, 1, 1) })
			see := func(s *program.Session, name string, err error) {
				s.Observe("", fmt.Sprint(name, " ", err == nil))
			}
			p.Session("buyer", func(s *program.Session) {
				see(s, "order", s.Txn("order", func(tx *program.Tx) error { return orders.Insert(tx, 1, 1) }))
			})
			p.Session("admin", func(s *program.Session) {
				see(s, "delete", s.Txn("delete", func(tx *program.Tx) error {
					users.Delete(tx, 1)
					return tx.Err()
				}))
			})
		}, level)
		if want := "order false delete true, order true delete false"; strings.Join(got, ", ") != want {
			t.Errorf("%v: %q, want %q", level, got, want)
		}
	}
}
