package minimise

import (
	"fmt"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// lostUpdate: two sessions lose an update of x, each after a look at y; a third one has
// nothing to do with it.
func lostUpdate(p *program.Program) {
	x, y := program.NewVar(p, "x", 0), program.NewVar(p, "y", 0)
	for _, name := range []string{"a", "b"} {
		p.Session(name, func(s *program.Session) {
			s.Txn("look", func(tx *program.Tx) error { y.Get(tx); return nil })
			s.Txn("add", func(tx *program.Tx) error { x.Set(tx, x.Get(tx)+1); return nil })
		})
	}
	p.Session("other", func(s *program.Session) { s.Write("z", 1) })
	p.Final("sum", func(tx *program.Tx) error { return program.Assertf(x.Get(tx) != 1, "an update is lost") })
}

// What fails in two sessions is shown of both, so that neither is irrelevant.
func TestIrrelevantExecutedEach(t *testing.T) {
	c, err := program.NewClient("Explore", func(p *program.Program) {
		for _, name := range []string{"a", "b", "c"} {
			p.Session(name, func(s *program.Session) { s.Write("x", 1); s.Assert(name == "c", "no") })
		}
	}, program.Options{Database: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Park()
	opts := dpor.Options{Level: isolation.PgRC}
	for found, err := range dpor.Explore(t.Context(), c, opts).Histories() {
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(IrrelevantExecuted(t.Context(), c, opts, found, "fails")); got != "[c]" {
			t.Error(got)
		}
		return
	}
	t.Error("no violation")
}

// TestIrrelevantExecuted: the parts that a violation under a database's model does not need
// are found. The two parts that lose an update are not among them. Where nothing is known of
// serial runs, no parts are found.
func TestIrrelevantExecuted(t *testing.T) {
	for serially, want := range map[string]string{"holds": "[other b/1 a/1]", "": "[]"} {
		c, err := program.NewClient("Explore", lostUpdate, program.Options{Database: true})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Park()
		opts := dpor.Options{Level: isolation.PgRC}
		var first *dpor.Found
		for found, err := range dpor.Explore(t.Context(), c, opts).Histories() {
			if err != nil {
				t.Fatal(err)
			}
			first = found
		}
		if first == nil {
			t.Fatal("no violation")
		}
		if got := fmt.Sprint(IrrelevantExecuted(t.Context(), c, opts, first, serially)); got != want {
			t.Errorf("serially it %s: %s, want %s", serially, got, want)
		}
	}
}
