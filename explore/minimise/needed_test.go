package minimise_test

import (
	"slices"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/explore/minimise"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/anomaly"
	"github.com/txmc/txmc/program"
)

// Who writes what the broken assertion reads is not called irrelevant, though others
// may break it as well; and what is left out leaves the same message.
func TestWritersMatter(t *testing.T) {
	c := client(t, func(p *program.Program) {
		x := program.NewVar(p, "x", 0)
		for _, name := range []string{"a", "b", "c"} {
			p.Session(name, func(s *program.Session) {
				s.Txn("add", func(tx *program.Tx) error { x.Set(tx, x.Get(tx)+1); return nil })
			})
		}
		p.Session("idle", func(s *program.Session) {
			s.Txn("look", func(tx *program.Tx) error { x.Get(tx); return nil })
		})
		p.Final("enough", func(tx *program.Tx) error {
			n := x.Get(tx)
			return program.Assertf(n >= 2, "only %d", n)
		})
	})
	opts := dpor.Options{Level: isolation.CC, Base: isolation.CC, All: true, Workers: 1}
	all := violations(t, c, opts)
	for _, found := range []*dpor.Found{all[0], all[len(all)/2], all[len(all)-1]} {
		got := minimise.Unspoken(t.Context(), c, opts, found, minimise.Irrelevant(t.Context(), c, opts, found))
		var matter []int
		if proof := anomaly.Explain(found.History).Proof; proof != nil {
			matter = proof.Involved()
		}
		for _, txn := range found.History.Txns {
			if txn.Session == found.History.Final {
				matter = append(matter, txn.Events[0].From)
			}
		}
		for _, i := range matter {
			if name := c.SessionName(found.History.Txns[i].Session); slices.Contains(got, program.Part{Session: name, Txn: -1}) {
				t.Errorf("%s is called irrelevant, and the assertion reads from it or the cycle has it", name)
			}
		}
		if !slices.Contains(got, program.Part{Session: "idle", Txn: -1}) && !slices.ContainsFunc(matter, func(i int) bool {
			return c.SessionName(found.History.Txns[i].Session) == "idle"
		}) {
			t.Errorf("idle is not called irrelevant, but %v", got)
		}
		rest, err := c.Without(got...)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(violations(t, rest, opts), func(f *dpor.Found) bool {
			return f.Failures[0].Message == found.Failures[0].Message
		}) {
			t.Errorf("without %v nothing fails with %q", got, found.Failures[0].Message)
		}
	}
}
