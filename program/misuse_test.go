package program_test

import (
	"testing"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// session is a program of one session.
func session(body func(*program.Session)) func(*program.Program) {
	return func(p *program.Program) { p.Session("client", body) }
}

func TestMisuseOfTransactions(t *testing.T) {
	for _, test := range []struct {
		explore func(*program.Program)
		parts   []string
	}{
		{session(func(s *program.Session) {
			s.Txn("outer", func(*program.Tx) error { //@outer
				s.Txn("inner", nothing) //@inner
				return nil
			})
		}), []string{`transaction "inner" begins inside transaction "outer"`, at(t, "outer"), at(t, "inner")}},
		{session(func(s *program.Session) {
			s.Begin("first")  //@begin1
			s.Begin("second") //@begin2
		}), []string{`transaction "second" begins inside transaction "first"`, at(t, "begin1"), at(t, "begin2")}},
		{session(func(s *program.Session) {
			s.Begin("left open") //@open
		}), []string{`the session ended with transaction "left open" open`, at(t, "open")}},
		{session(func(s *program.Session) {
			s.Txn("t", func(tx *program.Tx) error {
				tx.Commit() //@commit
				return nil
			})
		}), []string{"Commit inside the function given to Txn", at(t, "commit")}},
		{session(func(s *program.Session) {
			s.Txn("t", func(tx *program.Tx) error {
				tx.Rollback() //@rollback
				return nil
			})
		}), []string{"Rollback inside the function given to Txn", at(t, "rollback")}},
		{session(func(s *program.Session) {
			s.Txn("t", nil) //@nil
		}), []string{`transaction "t" needs a function, got nil`, at(t, "nil")}},
		{session(func(s *program.Session) {
			tx := s.Begin("t") //@began
			tx.Commit()        //@ended
			tx.Read("x")       //@read
		}), []string{`Read after the end of transaction "t"`, at(t, "began"), at(t, "ended"), at(t, "read")}},
		{session(func(s *program.Session) {
			tx := s.Begin("t")
			tx.Rollback()    //@ended2
			tx.Write("x", 1) //@write
		}), []string{`Write after the end of transaction "t"`, at(t, "ended2"), at(t, "write")}},
		{session(func(s *program.Session) {
			tx := s.Begin("t")
			tx.Commit()
			tx.Commit() //@twice
		}), []string{`Commit after the end of transaction "t"`, at(t, "twice")}},
		{session(func(s *program.Session) {
			var kept *program.Tx
			s.Txn("t", func(tx *program.Tx) error { kept = tx; return nil })
			s.Txn("u", func(tx *program.Tx) error {
				kept.Write("x", 1) //@kept
				return nil
			})
		}), []string{`Write after the end of transaction "t"`, at(t, "kept")}},
		{func(p *program.Program) {
			x := program.NewVar(p, "x", 1)
			p.Session("client", func(s *program.Session) {
				s.Txn("t", func(tx *program.Tx) error {
					tx.Write("x", "one")
					x.Get(tx) //@type
					return nil
				})
			})
		}, []string{`variable "x" holds a value of type string and not int`, at(t, "type")}},
		{session(func(s *program.Session) {
			var x program.Var[int]
			s.Txn("t", func(tx *program.Tx) error {
				x.Get(tx) //@zero
				return nil
			})
		}), []string{"was not declared in this program", at(t, "zero")}},
		{session(func(s *program.Session) {
			var x *program.Var[int]
			s.Txn("t", func(tx *program.Tx) error {
				x.Set(tx, 1) //@nilvar
				return nil
			})
		}), []string{"was not declared in this program", at(t, "nilvar")}},
	} {
		wants(t, broken(t, test.explore, program.Options{}), behaviour.Misuse, append(test.parts, `session "client"`)...)
	}
}

// A Var of another program would be another variable here.
func TestForeignVar(t *testing.T) {
	var x *program.Var[int]
	newClient(t, func(p *program.Program) {
		program.NewVar(p, "pad", 0)
		x = program.NewVar(p, "x", 1)
		p.Session("s", idle)
	})
	wants(t, broken(t, one(func(_ *program.Session, tx *program.Tx) {
		x.Get(tx) //@foreign
	}), program.Options{}), behaviour.Misuse, "was not declared in this program", at(t, "foreign"))
}

// After the end Rollback may be deferred, as with database/sql.
func TestRollbackAfterEnd(t *testing.T) {
	c := newClient(t, session(func(s *program.Session) {
		for _, end := range []func(*program.Tx) error{(*program.Tx).Commit, (*program.Tx).Rollback} {
			tx := s.Begin("")
			if err := end(tx); err != nil {
				t.Error(err)
			}
			if err := tx.Rollback(); err != program.ErrTxDone {
				t.Errorf("Rollback returns %v", err)
			}
		}
	}))
	equal(t, "path", text(c, follow(t, c, 0)), `begin: commit begin: abort:"" end`)
}

// A nil or zero Tx or Session is a bug of the client: a panic, hence a
// violation with the client's line.
func TestZeroTx(t *testing.T) {
	for _, use := range []func(*program.Tx){
		func(tx *program.Tx) { tx.Read("x") },
		func(tx *program.Tx) { tx.Write("x", 1) },
		func(tx *program.Tx) { tx.Commit() },
		func(tx *program.Tx) { tx.Rollback() },
	} {
		for _, tx := range []*program.Tx{nil, new(program.Tx)} {
			c := newClient(t, session(func(*program.Session) { use(tx) }))
			f := follow(t, c, 0).Failures
			if len(f) != 1 || f[0].Kind != behaviour.Panic || f[0].At.File == "" {
				t.Errorf("failures %v", f)
			}
		}
	}
	for _, s := range []*program.Session{nil, new(program.Session)} {
		c := newClient(t, session(func(*program.Session) { s.Begin("t") }))
		if f := follow(t, c, 0).Failures; len(f) != 1 || f[0].Kind != behaviour.Panic {
			t.Errorf("failures %v", f)
		}
	}
}
