package dpor_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// An assumption leaves out exactly the histories in which it does not hold. As many
// histories remain as there are without assertion failures when the same conditions are
// asserted.
func TestAssumptions(t *testing.T) {
	t.Parallel()
	declare := func(check func(tx *program.Tx, s *program.Session, cond bool)) func(*program.Program) {
		return func(p *program.Program) {
			for i := range 3 {
				p.Session(fmt.Sprintf("s%d", i), func(s *program.Session) {
					for k := i / 2; k < 2; k++ { // the last session has one transaction
						s.Txn("t", func(tx *program.Tx) error {
							x, _ := tx.Read("x").(int)
							y, _ := tx.Read("y").(int)
							check(tx, s, x <= y+2)
							tx.Write("x", x+1)
							if k == 1 {
								tx.Write("y", x)
							}
							return nil
						})
					}
					check(nil, s, true)
				})
			}
			p.Final("end", func(tx *program.Tx) error {
				x, _ := tx.Read("x").(int)
				if check(tx, nil, x != 4); x == 4 {
					return program.Assert(false, "four")
				}
				return nil
			})
		}
	}
	asserted := declare(func(_ *program.Tx, s *program.Session, cond bool) {
		if s != nil {
			s.Assert(cond)
		}
	})
	assumed := declare(func(tx *program.Tx, s *program.Session, cond bool) {
		if tx != nil {
			tx.Assume(cond)
		} else {
			s.Assume(cond)
		}
	})
	for _, l := range isolation.Levels() {
		for _, opts := range []dpor.Options{{Level: l, Base: l.Base()}, {Level: l, Base: isolation.True}, {Level: l, Base: l.Base(), Workers: 3}, {Level: l, Base: l.Base(), Engine: dpor.Serial}} {
			if opts.Base == isolation.True && l < isolation.CC || brief() && (opts.Base == isolation.True && l != isolation.SI || opts.Workers > 1 && l != isolation.CC) {
				continue
			}
			all, some := statsOf(t, asserted, opts), statsOf(t, assumed, opts)
			if want := all.Histories - all.Violations; some.Histories != want || some.Violations != 0 {
				t.Errorf("%v over %v: %d histories, %d violations; want %d and none", l, opts.Base, some.Histories, some.Violations, want)
			}
			if all.Violations == 0 || all.Violations == all.Histories {
				t.Errorf("%v: %d violations in %d histories: the test shows nothing", l, all.Violations, all.Histories)
			}
			if l > isolation.CC {
				opts.Engine = dpor.Serial
				if serial := statsOf(t, assumed, opts); serial.Histories != some.Histories || serial.Violations != 0 {
					t.Errorf("%v, the other engine: %d histories, want %d", l, serial.Histories, some.Histories)
				}
			}
			if left := all.EndStates - some.EndStates; some.Blocked-all.Blocked != left {
				t.Errorf("%v over %v: %d end states left out, %d calls blocked", l, opts.Base, left, some.Blocked)
			}
		}
	}
}

func statsOf(t *testing.T, explore func(*program.Program), opts dpor.Options) dpor.Stats {
	t.Helper()
	c, err := program.NewClient("p", explore, program.Options{})
	if err != nil {
		t.Fatal(err)
	}
	opts.All = true
	x := dpor.Explore(context.Background(), c, opts)
	for _, err := range x.Histories() {
		if err != nil {
			t.Fatal(err)
		}
	}
	return x.Stats()
}
