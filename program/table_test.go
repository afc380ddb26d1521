package program_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

type user struct{ Mail string }

// withUsers is a program of one session on a table with a unique column.
func withUsers(body func(*program.Session, *program.Table[string, user])) func(*program.Program) {
	return func(p *program.Program) {
		users := program.NewTable[string](p, "users", program.Unique("mail", func(u user) any {
			if u.Mail == "" {
				return nil
			}
			return u.Mail
		}))
		p.Setup(func(tx *program.Tx) error { return users.Insert(tx, "ann", user{"a@x"}) })
		p.Session("client", func(s *program.Session) { body(s, users) })
	}
}

// inUsers is a program of one transaction on it.
func inUsers(body func(*program.Tx, *program.Table[string, user])) func(*program.Program) {
	return withUsers(func(s *program.Session, users *program.Table[string, user]) {
		s.Txn("t", func(tx *program.Tx) error {
			body(tx, users)
			return nil
		})
	})
}

// What cannot be explored is said with its line and what to do.
func TestMisuseOfTables(t *testing.T) {
	for _, test := range []struct {
		explore func(*program.Program)
		parts   []string
	}{
		{inUsers(func(tx *program.Tx, _ *program.Table[string, user]) {
			tx.Read("users/ann") //@read
		}), []string{`Read of "users/ann", which is a row of the table "users"`, at(t, "read")}},
		{inUsers(func(tx *program.Tx, users *program.Table[string, user]) {
			users.Update(tx, "ann", nil) //@update
		}), []string{`Update of "users" needs a function, got nil`, at(t, "update")}},
		{inUsers(func(tx *program.Tx, users *program.Table[string, user]) {
			users.InsertOrUpdate(tx, "ann", user{}, nil) //@upsert
		}), []string{`InsertOrUpdate of "users" needs a function, got nil`, at(t, "upsert")}},
		{inUsers(func(tx *program.Tx, _ *program.Table[string, user]) {
			new(program.Table[string, user]).Get(tx, "ann") //@foreign
		}), []string{"the table was not declared in this program", at(t, "foreign")}},
		{inUsers(func(tx *program.Tx, _ *program.Table[string, user]) {
			tx.RollbackTo("s") //@back
		}), []string{`transaction "t" has no savepoint "s"`, at(t, "back")}},
		{withUsers(func(s *program.Session, users *program.Table[string, user]) {
			s.Auto(func(tx *program.Tx) {
				users.Get(tx, "ann")
				users.Get(tx, "bob") //@second
			})
		}), []string{"Get is a second operation in autocommit", at(t, "second")}},
		{withUsers(func(s *program.Session, users *program.Table[string, user]) {
			s.Auto(func(tx *program.Tx) {}) //@none
		}), []string{"Auto needs an operation", at(t, "none")}},
		{func(p *program.Program) {
			program.NewTable[string, user](p, "users")
			program.NewTable[string, user](p, "users") //@again
			p.Session("client", func(*program.Session) {})
		}, []string{`table "users" is declared twice`, at(t, "again")}},
		{func(p *program.Program) {
			program.NewTable[string](p, "users", program.Column[user]{}) //@column
			p.Session("client", func(*program.Session) {})
		}, []string{"a column needs a name of its own and a function", at(t, "column")}},
		{func(p *program.Program) {
			prices := program.NewTable[float64, int](p, "prices")
			p.Session("client", func(s *program.Session) {
				s.Auto(func(tx *program.Tx) { prices.Insert(tx, math.NaN(), 1) }) //@nan
			})
		}, []string{"NaN is no key", at(t, "nan")}},
		{func(p *program.Program) {
			users := program.NewTable[string](p, "users", program.Unique("mail", func(u user) any { return u }))
			p.Session("client", func(s *program.Session) {
				s.Auto(func(tx *program.Tx) { users.Insert(tx, "ann", user{}) }) //@kind
			})
		}, []string{`column "mail"`, "is a number, a string or nil, and not a program_test.user", at(t, "kind")}},
		{func(p *program.Program) {
			rows := program.NewTable[string, any](p, "rows")
			p.Session("client", func(s *program.Session) {
				s.Auto(func(tx *program.Tx) { rows.Insert(tx, "ann", nil) }) //@nothing
			})
		}, []string{"is nil, which stands for no row", at(t, "nothing")}},
	} {
		wants(t, broken(t, test.explore, program.Options{}), behaviour.Misuse, test.parts...)
	}
}

// At an axiomatic level a session sees its own inserts, updates and deletes, and what a
// duplicate does to its transaction.
func TestTablesOfOneSession(t *testing.T) {
	var seen []string
	see := func(s *program.Session, text string, x ...any) { s.Observe("", fmt.Sprintf(text, x...)) }
	c := newClient(t, withUsers(func(s *program.Session, users *program.Table[string, user]) {
		err := s.Txn("t", func(tx *program.Tx) error {
			see(s, "insert %v", users.Insert(tx, "bob", user{"b@x"}))
			tx.Savepoint("s")
			users.Update(tx, "bob", func(u user) (user, bool) { return user{"c@x"}, true })
			see(s, "taken %v", users.Insert(tx, "eve", user{"c@x"}))
			see(s, "error %v", tx.Err())
			see(s, "back %v %v", tx.RollbackTo("s"), tx.Err())
			u, ok := users.Get(tx, "bob")
			see(s, "bob %v %v", u, ok)
			see(s, "free %v", users.Insert(tx, "eve", user{"c@x"}))
			see(s, "ignored %v", users.InsertOrIgnore(tx, "eve", user{}))
			n, err := users.InsertOrUpdate(tx, "eve", user{}, func(u user) user { return user{"e" + u.Mail} })
			see(s, "upsert %v %v", n, err)
			see(s, "changed %v", users.UpdateAll(tx, func(_ string, u user) (user, bool) { return user{}, u.Mail != "a@x" }))
			see(s, "deleted %v", users.Delete(tx, "bob"))
			for _, r := range users.Select(tx, nil, behaviour.ForUpdate, behaviour.Limit(5)) {
				see(s, "%s %q", r.Key, r.Value.Mail)
			}
			see(s, "all %v", users.DeleteAll(tx, func(_ string, u user) bool { return u.Mail == "" }))
			return nil
		})
		see(s, "txn %v", err)
	}))
	list, err := paths(c)
	for errors.Is(err, program.ErrAgain) { // a row became known that a scan had not read
		if err = c.Renew(); err == nil {
			list, err = paths(c)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Fatal("no path")
	}
	for _, n := range list[0].Path() { // its reads return initial values
		for _, e := range n.Events {
			if e.Kind == behaviour.ObserveEvent {
				seen = append(seen, c.Value(e.Val).(string))
			}
		}
	}
	want := []string{
		"insert <nil>", "taken duplicate key value violates unique constraint (SQLSTATE 23505)",
		"error duplicate key value violates unique constraint (SQLSTATE 23505)", "back <nil> <nil>", "bob {b@x} true", "free <nil>", "ignored false",
		"upsert 1 <nil>", "changed 2", "deleted true", `ann "a@x"`, `eve ""`, "all 1", "txn <nil>",
	}
	equal(t, "seen", fmt.Sprint(seen), fmt.Sprint(want))
}
