package dpor_test

import (
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// Outcomes that no serial order has, at levels of PostgreSQL and at axiomatic levels. The
// programs are a lost update, a write skew, and one in which conflicts end a transaction.
func TestSerializable(t *testing.T) {
	increments := func(p *program.Program) {
		x := program.NewVar(p, "x", 0)
		for _, name := range []string{"a", "b"} {
			p.Session(name, func(s *program.Session) {
				err := s.Txn("inc", func(tx *program.Tx) error { x.Set(tx, x.Get(tx)+1); return nil })
				s.Observe("failed", err != nil)
			})
		}
		p.Serializable("serializable")
	}
	skew := func(p *program.Program) {
		vars := []*program.Var[int]{program.NewVar(p, "x", 0), program.NewVar(p, "y", 0)}
		for i, name := range []string{"a", "b"} {
			p.Session(name, func(s *program.Session) {
				s.Txn("set", func(tx *program.Tx) error { vars[i].Set(tx, vars[1-i].Get(tx)+1); return nil })
			})
		}
		p.Serializable("serializable")
	}
	reads := func(p *program.Program) {
		x, y := program.NewVar(p, "x", 0), program.NewVar(p, "y", 0)
		p.Session("writer", func(s *program.Session) {
			s.Txn("set", func(tx *program.Tx) error { x.Set(tx, 1); y.Set(tx, 1); return nil })
		})
		p.Session("reader", func(s *program.Session) {
			var seen [2]int
			s.Txn("get", func(tx *program.Tx) error { seen = [2]int{x.Get(tx), y.Get(tx)}; return nil })
			s.Observe("seen", seen[0] == seen[1])
		})
		p.Serializable("serializable")
	}
	hurried := func(p *program.Program) { // whoever would have to wait gives up
		x := program.NewVar(p, "x", 0)
		for _, name := range []string{"a", "b"} {
			p.Session(name, func(s *program.Session) {
				err := s.Txn("inc", func(tx *program.Tx) error { x.Set(tx, x.GetForUpdate(tx, behaviour.NoWait)+1); return nil })
				s.Observe("failed", err != nil)
			})
		}
		p.Serializable("serializable")
	}
	for _, test := range []struct {
		name    string
		explore func(*program.Program)
		level   isolation.Level
		message string // of the failure; "" for none
	}{
		{"increments", increments, isolation.PgRC, states.NotLeft}, {"increments", increments, isolation.PgRR, ""}, {"increments", increments, isolation.PgSer, ""},
		{"hurried", hurried, isolation.PgRC, ""}, {"hurried", hurried, isolation.InnoRC, ""},
		{"skew", skew, isolation.PgRC, states.NotLeft}, {"skew", skew, isolation.PgRR, states.NotLeft}, {"skew", skew, isolation.PgSer, ""},
		{"reads", reads, isolation.PgRC, states.NotSeen}, {"reads", reads, isolation.PgRR, ""},
		{"increments", increments, isolation.InnoRR, states.NotLeft}, {"increments", increments, isolation.InnoRRSI, ""}, {"increments", increments, isolation.InnoSer, ""},
		{"skew", skew, isolation.InnoRRSI, states.NotLeft}, {"skew", skew, isolation.InnoSer, ""}, // which ends one by 1213
		{"increments", increments, isolation.CC, "the history is not serializable"}, {"increments", increments, isolation.SI, ""},
		{"skew", skew, isolation.SI, "the history is not serializable"}, {"skew", skew, isolation.SER, ""},
	} {
		client, err := program.NewClient("Explore", test.explore, program.Options{Database: test.level.Database() != isolation.NoDatabase})
		if err != nil {
			t.Fatal(err)
		}
		messages := map[string]bool{}
		x := dpor.Explore(t.Context(), client, dpor.Options{Level: test.level, Base: test.level.Base(), All: true})
		for found, err := range x.Histories() {
			if err != nil {
				t.Fatal(err)
			}
			messages[found.Failures[0].Message] = true
		}
		if got := len(messages) > 0; got != (test.message != "") || test.message != "" && !messages[test.message] {
			t.Errorf("%s at %v: %v", test.name, test.level, messages)
		}
	}
}
