package program_test

import (
	"testing"

	"github.com/txmc/txmc/program"
)

// What is assumed and does not hold aborts the transaction, ends the session and
// marks all that follows. It is no failure.
func TestAssume(t *testing.T) {
	c := newClient(t, session(func(s *program.Session) {
		s.Assume(true)
		s.Txn("t", func(tx *program.Tx) error {
			defer tx.Write("late", 1)      // runs, and changes nothing
			tx.Assume(tx.Read("x") != nil) //@assume
			tx.Write("x", 1)
			return nil
		})
		s.Observe("reached", true)
	}))
	end := follow(t, c, 0)
	equal(t, "path", text(c, end), `begin:t read:x=nil abort:"an assumption does not hold" end`)
	equal(t, "dropped, failures", []any{end.Dropped, len(end.Failures)}, "[true 0]")
	equal(t, "abort", c.Location(end.Path()[1].Loc), at(t, "assume"))
	other := follow(t, c, 0, program.Intern(c, 1))
	equal(t, "the other way", text(c, other), "begin:t read:x=1 write:x=1 write:late=1 commit observe:reached=true end")
	equal(t, "the other way is dropped", other.Dropped, false)
}

// Outside a transaction the session just ends.
func TestAssumeOutside(t *testing.T) {
	c := newClient(t, session(func(s *program.Session) {
		s.Txn("t", nothing)
		s.Assume(false)
		s.Txn("u", nothing)
	}))
	end := follow(t, c, 0)
	equal(t, "path", text(c, end), "begin:t commit end")
	equal(t, "dropped", end.Dropped, true)
	equal(t, "the commit before is dropped", end.Path()[0].Dropped, false)
}

// In Setup there is nothing to leave out.
func TestAssumeInSetup(t *testing.T) {
	_, err := program.NewClient("p", func(p *program.Program) {
		p.Session("s", idle)
		p.Setup(func(tx *program.Tx) error {
			tx.Assume(true)
			tx.Assume(false) //@setup
			return nil
		})
	}, program.Options{})
	if err == nil || err.Error() != "p: "+at(t, "setup")+": Assume fails in Setup, which is the same in every history: write initial values for which it holds" {
		t.Errorf("error %v", err)
	}
}

// A session that assumes something in one run only is not deterministic.
func TestAssumeNow(t *testing.T) {
	runs := 0
	c := newClient(t, session(func(s *program.Session) {
		runs++
		s.Assume(runs > 2)
	}))
	_, err := c.Root(0)
	if err == nil {
		t.Error("no error")
	}
}
