package program_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// TestLinesAfterReplay: a session is run again along a known path. Then what is new has the same
// lines as in a session that goes on. This holds also where it is new in the middle of a call.
func TestLinesAfterReplay(t *testing.T) {
	c := onDatabase(t, func(p *program.Program) {
		x := program.NewVar(p, "x", 10)
		p.Session("s", func(s *program.Session) {
			tx := s.Begin("t")                                                 //@replayBegin
			x.Update(tx, func(old int) (int, bool) { return old, old%2 == 1 }) //@replayUpdate
			s.Observe("seen", 1)                                               //@replayObserve
			tx.Commit()                                                        //@replayCommit
			x.Get(s.Begin("u"))                                                //@replayGet
		})
	})
	root, err := c.Root(0)
	if err != nil {
		t.Fatal(err)
	}
	for old := range 4 {
		change := answer(t, c, root, old)
		commit := answer(t, c, change, "done")
		get := answer(t, c, commit, "done")
		var got []string
		for _, l := range []behaviour.Loc{root.Events[0].Loc, root.Loc, change.Loc, commit.Events[0].Loc, commit.Loc, get.Events[0].Loc, get.Loc} {
			got = append(got, c.Location(l).String())
		}
		var want []string
		for _, mark := range []string{"Begin", "Update", "Update", "Observe", "Commit", "Get", "Get"} {
			want = append(want, at(t, "replay"+mark))
		}
		equal(t, "lines", got, want)
	}
}

// TestEventAfterReplay: at an axiomatic level a write is an event, which is new behind a known read.
func TestEventAfterReplay(t *testing.T) {
	c := newClient(t, func(p *program.Program) {
		x := program.NewVar(p, "x", 10)
		p.Session("s", func(s *program.Session) {
			s.Txn("t", func(tx *program.Tx) error { //@replayTxn
				x.Update(tx, func(old int) (int, bool) { return old + 1, true }) //@replayWrite
				return nil
			})
		})
	})
	root, err := c.Root(0)
	if err != nil {
		t.Fatal(err)
	}
	for old := range 4 {
		commit := answer(t, c, root, old)
		got := []string{c.Location(commit.Events[0].Loc).String(), c.Location(commit.Loc).String()}
		equal(t, "lines", got, []string{at(t, "replayWrite"), at(t, "replayTxn")})
	}
}

// TestMisuseAfterReplay: misuse has its line, and those of the beginning and the end of the transaction that it names.
func TestMisuseAfterReplay(t *testing.T) {
	for _, test := range []struct {
		misuse func(s *program.Session, tx *program.Tx)
		parts  []string
	}{
		{func(s *program.Session, _ *program.Tx) {
			s.Begin("inner") //@replayInner
		}, []string{at(t, "replayOuter"), at(t, "replayInner")}},
		{func(_ *program.Session, tx *program.Tx) {
			tx.Commit()  //@replayEnded
			tx.Read("x") //@replayRead
		}, []string{at(t, "replayOuter"), at(t, "replayEnded"), at(t, "replayRead")}},
	} {
		for name, client := range map[string]func(testing.TB, func(*program.Program)) *program.Client{
			"axiomatic": newClient, "database": onDatabase,
		} {
			c := client(t, session(func(s *program.Session) {
				tx := s.Begin("outer") //@replayOuter
				if tx.Read("x") == 1 {
					test.misuse(s, tx)
					return
				}
				tx.Rollback()
			}))
			root, err := c.Root(0)
			if err != nil {
				t.Fatal(err)
			}
			answer(t, c, root, 0)
			n, err := c.Child(root, program.Intern(c, 1))
			if err == nil { // in database mode the commit waits
				_, err = c.Child(n, behaviour.Done)
			}
			var e *behaviour.Error
			if !errors.As(err, &e) {
				t.Fatalf("%s: %v", name, err)
			}
			for _, part := range test.parts {
				if !strings.Contains(e.Error(), part) {
					t.Errorf("%s: %v\nhas no %s", name, e, part)
				}
			}
		}
	}
}
