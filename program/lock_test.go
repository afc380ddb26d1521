package program_test

import (
	"math/rand/v2"
	"testing"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// Locking reads are reads whose node says so, unless the transaction has written
// the variable itself; plain reads are none.
func TestLockingReads(t *testing.T) {
	t.Parallel()
	var changed []bool
	c := newClient(t, func(p *program.Program) {
		x := program.NewVar(p, "x", 7)
		p.Session("client", func(s *program.Session) {
			s.Txn("t", func(tx *program.Tx) error {
				x.Get(tx)
				x.GetForUpdate(tx)
				tx.ReadForUpdate("y")
				no := x.Update(tx, func(old int) (int, bool) { return 0, false })
				yes := x.Update(tx, func(old int) (int, bool) { return old + 1, true })
				again := x.Update(tx, func(old int) (int, bool) { return 10 * old, old == 8 })
				x.GetForUpdate(tx)
				changed = []bool{no, yes, again}
				return nil
			})
		})
	})
	if c.Locks() {
		t.Error("nothing has run yet")
	}
	x, y := c.Variable("x"), c.Variable("y")
	end := follow(t, c, 0, c.Initial(x), c.Initial(x), c.Initial(y), c.Initial(x), c.Initial(x))
	type read struct {
		x    behaviour.VarID
		lock bool
	}
	var got []read
	var commit *behaviour.Node
	own := 0
	for _, n := range end.Path() {
		switch n.Kind {
		case behaviour.Read:
			got = append(got, read{n.Var, n.Lock})
		case behaviour.Commit:
			commit = n
		}
		for _, e := range n.Events {
			if e.Kind == behaviour.OwnReadEvent {
				own++
			}
		}
	}
	want := []read{{x, false}, {x, true}, {y, true}, {x, true}, {x, true}}
	if len(got) != len(want) || own != 2 {
		t.Fatalf("reads %v and %d of own writes, want %v and 2", got, own, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("read %d is %v, want %v", i, got[i], want[i])
		}
	}
	if v, _ := commit.Written(x); c.Value(v) != 80 || len(commit.Writes) != 1 {
		t.Errorf("it writes %v, want x = 80", commit.Writes)
	}
	if len(changed) != 3 || changed[0] || !changed[1] || !changed[2] || !c.Locks() {
		t.Errorf("Update reports %v; locks: %v", changed, c.Locks())
	}
}

// A plain read in one run and a locking one in another are different operations.
func TestLockingReadsAreOperations(t *testing.T) {
	t.Parallel()
	err := broken(t, one(func(_ *program.Session, tx *program.Tx) {
		if rand.N(2) == 0 {
			tx.Read("x")
		} else {
			tx.ReadForUpdate("x")
		}
	}), program.Options{})
	wants(t, err, behaviour.Nondeterminism, "read x for update", "read x (")
}

// What Update cannot do is an error with the user's line.
func TestUpdateMisused(t *testing.T) {
	t.Parallel()
	err := broken(t, func(p *program.Program) {
		x := program.NewVar(p, "x", 0)
		p.Session("client", func(s *program.Session) {
			s.Txn("t", func(tx *program.Tx) error {
				x.Update(tx, nil) //@update
				return nil
			})
		})
	}, program.Options{})
	wants(t, err, behaviour.Misuse, `Update of "x" needs a function, got nil`, at(t, "update"))
}
