package dpor_test

import (
	"context"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// An exploration that ends while another one runs a session of the same program leaves that run alone: serial orders are
// looked for while others explore.
func TestEndsWithinAnother(t *testing.T) {
	t.Parallel()
	var c *program.Client
	declare := func(p *program.Program) {
		p.UseBackend()
		for _, name := range []string{"a", "b"} {
			p.Session(name, func(s *program.Session) {
				b := s.Backend()
				b.Interruptible(func() string { return "SELECT 1" }, func() {})
				over, end := context.WithCancel(context.Background())
				end()
				for _, err := range dpor.Explore(over, c, dpor.Options{Level: isolation.SER, Engine: dpor.Swap}).Histories() {
					t.Error(err)
				}
				if b.Begin("t") == nil && b.Write("x", 1) == nil {
					_ = b.Commit()
				}
			})
		}
	}
	c, err := program.NewClient("ExploreTest", declare, program.Options{Recheck: -1})
	if err != nil {
		t.Fatal(err)
	}
	x := dpor.Explore(t.Context(), c, dpor.Options{Level: isolation.SER, Engine: dpor.Swap, All: true, List: true})
	for _, err := range x.Histories() {
		if err != nil {
			t.Error(err)
		}
	}
	if s := x.Stats(); !s.Complete || s.Histories != 1 {
		t.Errorf("%+v", s)
	}
}
