package dpor_test

import (
	"fmt"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// disjoint is a program of transactions that each increment the key of their
// session: one history from read atomic on. At read committed a session need not
// see its own writes.
func disjoint(sessions, txns int) func(*program.Program) {
	return func(p *program.Program) {
		for i := range sessions {
			x := program.NewVar(p, fmt.Sprint("x", i), 0)
			p.Session(fmt.Sprint("s", i), func(s *program.Session) {
				for range txns {
					s.Txn("inc", func(tx *program.Tx) error { x.Set(tx, x.Get(tx)+1); return nil })
				}
			})
		}
	}
}

// TestLarge: what takes little to explore takes little, however many transactions
// there are. A call of explore is made for each read, for each commit, and at the
// end; the time is that of a benchmark.
func TestLarge(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{5, 20}, {15, 20}, {3, 100}} {
		client, err := program.NewClient("ExploreTest", disjoint(size[0], size[1]), program.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range isolation.Levels()[1:] {
			stats, err := drain(client, dpor.Options{Level: l, Base: l.Base()})
			if err != nil {
				t.Fatal(err)
			}
			if calls := int64(2*size[0]*size[1] + 1); stats.Histories != 1 || !stats.Complete || stats.Explored != calls {
				t.Errorf("%d × %d at %s: %d histories, %d calls of explore, want %d", size[0], size[1], l, stats.Histories, stats.Explored, calls)
			}
			t.Logf("%d × %d at %s: %v", size[0], size[1], l, stats.Elapsed)
		}
		for _, l := range serialLevels {
			stats, err := drain(client, serially(l))
			if err != nil {
				t.Fatal(err)
			}
			if stats.Histories != 1 || !stats.Complete {
				t.Errorf("%d × %d at %s by the serial engine: %d histories", size[0], size[1], l, stats.Histories)
			}
			t.Logf("%d × %d at %s, serial: %v", size[0], size[1], l, stats.Elapsed)
		}
	}
}

// BenchmarkLarge is the time from the program to its one history.
func BenchmarkLarge(b *testing.B) {
	for _, size := range [][2]int{{5, 20}, {15, 20}, {3, 100}} {
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			for b.Loop() {
				client, err := program.NewClient("ExploreTest", disjoint(size[0], size[1]), program.Options{})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := drain(client, dpor.Options{Level: isolation.SI, Base: isolation.CC}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
