package program_test

import (
	"errors"
	"testing"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// transfer is the example of the API's documentation.
func transfer(p *program.Program) {
	alice, bob := program.NewVar(p, "alice", 100), program.NewVar(p, "bob", 0)
	move := func(s *program.Session, n int) {
		s.Txn("transfer", func(tx *program.Tx) error {
			a := alice.Get(tx)
			if a < n {
				return errors.New("insufficient")
			}
			alice.Set(tx, a-n)
			bob.Set(tx, bob.Get(tx)+n)
			return nil
		})
		s.Observe("done", true)
	}
	p.Session("teller1", func(s *program.Session) { move(s, 70) })
	p.Session("teller2", func(s *program.Session) { move(s, 50) })
	p.Final("audit", func(tx *program.Tx) error {
		return program.Assertf(alice.Get(tx)+bob.Get(tx) == 100, "money is conserved")
	})
}

func TestTreeOfTransfer(t *testing.T) {
	c := newClient(t, transfer)
	equal(t, "sessions", c.Sessions(), 3)
	equal(t, "final", c.Final(), 2)
	equal(t, "names", []string{c.SessionName(0), c.SessionName(1), c.SessionName(2)}, "[teller1 teller2 final]")

	root, err := c.Root(0)
	if err != nil {
		t.Fatal(err)
	}
	hundred, zero := c.Initial(root.Var), behaviour.ValueID(0)
	equal(t, "root", []any{root.Kind, c.Key(root.Var), c.Format(hundred), root.Txn, root.Session}, "[read alice 100 0 0]")
	if root.Known(hundred) != nil {
		t.Error("a child is known before it was asked for")
	}
	second, err := c.Child(root, hundred)
	if err != nil {
		t.Fatal(err)
	}
	if root.Known(hundred) != second || root.Known(zero) != nil {
		t.Error("Known does not return the recorded child alone")
	}
	equal(t, "second", []any{second.Kind, c.Key(second.Var), second.Value() == hundred}, "[read bob true]")
	commit, err := c.Child(second, c.Initial(second.Var))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "third", []any{commit.Kind, len(commit.Writes), commit.Txn}, "[commit 2 0]")
	if v, ok := commit.Written(root.Var); !ok || c.Value(v) != 30 {
		t.Errorf("alice = %v, %v", c.Value(v), ok)
	}
	if _, ok := commit.Written(99); ok {
		t.Error("a variable that was not written is")
	}
	end := commit.Next()
	equal(t, "end", []any{end.Kind, end.Txn, end.Next() == nil}, "[end 1 true]")
	equal(t, "path", len(end.Path()), 4)
	equal(t, "text", text(c, end),
		`begin:transfer read:alice=100 write:alice=30 read:bob=0 write:bob=70 commit observe:done=true end`)

	thirty, _ := commit.Written(root.Var)
	end = follow(t, c, 0, thirty)
	equal(t, "abort", text(c, end), `begin:transfer read:alice=30 abort:"insufficient" observe:done=true end`)
	equal(t, "final", text(c, follow(t, c, 2, thirty, c.Initial(second.Var))),
		`begin:audit read:alice=30 read:bob=0 fail:"money is conserved" abort:"money is conserved" end`)
}

// A read of what the transaction itself wrote needs no answer; the last write of
// each variable is committed, by variable.
func TestOwnWrites(t *testing.T) {
	c := newClient(t, func(p *program.Program) {
		x, y := program.NewVar(p, "x", 0), program.NewVar(p, "y", 0)
		p.Session("s", func(s *program.Session) {
			s.Txn("t", func(tx *program.Tx) error {
				y.Set(tx, 1)
				x.Set(tx, 2)
				y.Set(tx, y.Get(tx)+x.Get(tx))
				tx.Write("y", tx.Read("y").(int)+1)
				return nil
			})
			s.Txn("u", func(tx *program.Tx) error { x.Get(tx); return nil })
		})
	})
	end := follow(t, c, 0)
	equal(t, "path", text(c, end), "begin:t write:y=1 write:x=2 own:y=1 own:x=2 write:y=3 own:y=3 write:y=4 commit begin:u read:x=0 commit end")
	w := end.Path()[0].Writes
	equal(t, "writes", []any{len(w), c.Key(w[0].Var), c.Value(w[0].Val), c.Key(w[1].Var), c.Value(w[1].Val)}, "[2 x 2 y 4]")
}

// A key that nobody declares or writes reads nil.
func TestUndeclaredKey(t *testing.T) {
	c := newClient(t, func(p *program.Program) {
		p.Session("s", func(s *program.Session) {
			tx := s.Begin("t")
			s.Observe("nil", tx.Read("nobody") == nil)
			if err := tx.Commit(); err != nil {
				panic(err)
			}
			if err := tx.Rollback(); err != program.ErrTxDone {
				panic(err)
			}
		})
	})
	equal(t, "path", text(c, follow(t, c, 0)), "begin:t read:nobody=nil observe:nil=true commit end")
}

func TestSetup(t *testing.T) {
	c := newClient(t, func(p *program.Program) {
		x := program.NewVar(p, "x", 1)
		p.Setup(func(tx *program.Tx) error { x.Set(tx, x.Get(tx)+1); return nil })
		p.Setup(func(tx *program.Tx) error {
			tx.Write("row", x.Get(tx)*10)
			x.Set(tx, x.Get(tx)+1)
			return nil
		})
		p.Session("s", func(s *program.Session) {
			s.Txn("t", func(tx *program.Tx) error { tx.Read("row"); x.Get(tx); return nil })
		})
	})
	equal(t, "path", text(c, follow(t, c, 0)), "begin:t read:row=20 read:x=3 commit end")
	root, _ := c.Root(0)
	equal(t, "first ID", root.ID, 0)
}
