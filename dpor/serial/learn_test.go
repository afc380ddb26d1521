package serial

import (
	"fmt"
	"testing"

	"github.com/txmc/txmc/dpor/swap"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// Who learns a program stops within a history: where there are many sessions, the first one
// takes long.
func TestLearnStops(t *testing.T) {
	const sessions, most = 30, 3
	ended := map[int]bool{}
	c, err := program.NewClient(t.Name(), func(p *program.Program) {
		for i := range sessions {
			p.Session(fmt.Sprint("s", i), func(s *program.Session) {
				s.Txn("t", func(tx *program.Tx) error { tx.Write("x", tx.Read("y")); return nil })
				ended[i] = true
			})
		}
	}, program.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := swap.Moves{Prog: c, Level: isolation.SI, Base: isolation.CC, Filtered: true}
	met, err := Learn(&m, func() bool { return len(ended) >= most })
	if met != nil || err != work.ErrStopped || len(ended) != most {
		t.Errorf("after %d sessions: %v", len(ended), err)
	}
	if met, err = Learn(&m, func() bool { return false }); err != nil || len(ended) != sessions {
		t.Errorf("%v, %v, %d sessions", met, err, len(ended))
	}
}
