package dpor_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/dpor/swap"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/reference"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
)

// inSessionOrder reports whether a history is that of the sessions of a list, one after another:
// every read has what was written last.
func inSessionOrder(h *reference.History, sessions []int) bool {
	type version struct {
		session, index int
	}
	last := map[int]version{}
	for _, i := range sessions {
		for j, l := range h.Sessions[i] {
			own := map[int]bool{}
			for _, s := range l.Steps {
				now, written := last[s.Var]
				switch {
				case s.Write:
					own[s.Var] = true
				case s.Own:
				case !written && s.From != reference.Init:
					return false
				case written && s.From != (reference.ID{Session: now.session, Index: now.index}):
					return false
				}
			}
			for x := range own {
				if _, visible := l.Written(x); visible {
					last[x] = version{session: i, index: j}
				}
			}
		}
	}
	return true
}

// orders yields the orders of n sessions in which the final one, unless -1, is the last.
func orders(n, final int) (list [][]int) {
	var extend func([]int)
	extend = func(before []int) {
		if len(before) == n {
			list = append(list, slices.Clone(before))
		}
		for i := range n {
			if !slices.Contains(before, i) && (i != final || len(before) == n-1) {
				extend(append(before[:len(before):len(before)], i))
			}
		}
	}
	extend(nil)
	return list
}

// Histories are those of whole sessions when some order of the sessions has them: tried for
// all orders, for all histories of random programs.
func TestSerialSessions(t *testing.T) {
	t.Parallel()
	whole, split, serial := 0, 0, 0
	enough := func() bool { return min(whole, split, serial) >= countFlag.N()/8 }
	for p := range programsUntil(t, "whole", countFlag.N(), small, enough) {
		client, err := newClient(p)
		if err != nil {
			t.Fatal(err)
		}
		x := dpor.Explore(t.Context(), client, dpor.Options{Level: isolation.RC, Base: isolation.RC, List: true, All: true})
		for f, err := range x.Histories() {
			if err != nil {
				t.Fatal(err)
			}
			h, err := toReference(f.History, client)
			if err != nil {
				t.Fatal(err)
			}
			want := slices.ContainsFunc(orders(len(h.Sessions), h.Final), func(order []int) bool { return inSessionOrder(h, order) })
			if got := swap.SerialSessions(f.History); got != want {
				t.Fatalf("%v: %v of %s, want %v (-seed=%d)", p, got, h, want, seed())
			}
			switch ser := isolation.Satisfies(f.History, isolation.SER); {
			case want:
				whole++
			case ser:
				split++
			default:
				serial++
			}
		}
	}
	t.Logf("%d histories of whole sessions, %d of transactions alone, %d of no serial order", whole, split, serial)
}

// Orders of whole sessions have as few switches as there can be: what is found without any
// deviation is what is found with so few switches.
func TestWhole(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(uint64(seed()), 21))
	fewer := 0 // programs with more orders of transactions
	for range deadlinetest.Until(t, portion(300), func() bool { return fewer > 0 }) {
		p := byKeyProgram(r)
		if r.IntN(3) == 0 {
			p = readersProgram(r)
		}
		serial, _ := onDatabase(t, p, dpor.Options{Selection: dpor.Selection{Near: true}})
		got, _ := onDatabase(t, p, dpor.Options{Selection: dpor.Selection{Near: true, Whole: true}})
		want, _ := onDatabase(t, p, dpor.Options{Selection: dpor.Selection{Switches: max(1, len(p.Sessions)-1)}})
		if !maps.Equal(got, want) {
			t.Fatalf("got\n%s\nwant\n%s\nof\n%s", sorted(got), sorted(want), p.Text())
		}
		for o := range got {
			if !serial[o] {
				t.Fatalf("an order of sessions is none of transactions: %s\n%s", o, p.Text())
			}
		}
		if len(got) < len(serial) {
			fewer++
		}
	}
}

// Code that looks in one transaction and writes in another one: each transaction is
// serializable, at every level, and the sessions are not.
func TestLookAndWrite(t *testing.T) {
	t.Parallel()
	explore := func(apart bool, declare func(*program.Program, string)) func(*program.Program) {
		return func(p *program.Program) {
			x := program.NewVar(p, "x", 0)
			for _, name := range []string{"a", "b"} {
				p.Session(name, func(s *program.Session) {
					n := 0
					look := func(tx *program.Tx) error { n = x.GetForUpdate(tx); return nil }
					write := func(tx *program.Tx) error { x.Set(tx, n+1); return nil }
					if apart {
						s.Txn("look", look)
						s.Txn("write", write)
						return
					}
					s.Txn("both", func(tx *program.Tx) error { look(tx); return write(tx) })
				})
			}
			declare(p, "serial")
		}
	}
	transactions, sessions := (*program.Program).Serializable, (*program.Program).SerialSessions
	for _, test := range []struct {
		name    string
		explore func(*program.Program)
		level   isolation.Level
		message string // of the failure; "" for none
	}{
		{"transactions", explore(true, transactions), isolation.PgRC, ""}, {"sessions", explore(true, sessions), isolation.PgRC, states.NotLeftWhole},
		{"sessions", explore(true, sessions), isolation.PgSer, states.NotLeftWhole}, {"sessions", explore(true, sessions), isolation.InnoSer, states.NotLeftWhole},
		{"together", explore(false, sessions), isolation.PgRC, ""}, {"together", explore(false, sessions), isolation.InnoRC, ""},
		{"transactions", explore(true, transactions), isolation.SER, ""},
		{"sessions", explore(true, sessions), isolation.SER, "the history is that of no order of the sessions, one after another"},
		{"together", explore(false, sessions), isolation.SER, ""},
	} {
		if got := firstFailure(t, test.explore, test.level); got != test.message {
			t.Errorf("%s at %v: %q, want %q", test.name, test.level, got, test.message)
		}
	}
}

// firstFailure is the message of the first failure that an exploration meets, "" for none.
func firstFailure(t *testing.T, explore func(*program.Program), level isolation.Level) string {
	t.Helper()
	client, err := program.NewClient("Explore", explore, program.Options{Database: level.Database() != isolation.NoDatabase})
	if err != nil {
		t.Fatal(err)
	}
	for found, err := range dpor.Explore(t.Context(), client, dpor.Options{Level: level, Base: level.Base()}).Histories() {
		if err != nil {
			t.Fatal(err)
		}
		return found.Failures[0].Message
	}
	return ""
}
