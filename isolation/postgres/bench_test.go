package postgres

import (
	"fmt"
	"testing"

	"github.com/txmc/txmc/isolation/statement"
)

// shape is the size of a program: sessions, transactions of each, statements of
// each transaction.
type shape struct{ sessions, transactions, statements int }

func (s shape) String() string {
	return fmt.Sprintf("%dx%dx%d", s.sessions, s.transactions, s.statements)
}

// contended is a program on two rows: each transaction reads a row, updates it,
// reads the other one, updates it, and so on; neighbours begin with different
// rows.
func contended(size shape, level string) *statement.Program {
	p := &statement.Program{DB: statement.PostgreSQL, Level: level,
		Rows: []statement.Row{{ID: 1, V: 10}, {ID: 2, V: 20}}}
	for s := range size.sessions {
		var txns []statement.Transaction
		for j := range size.transactions {
			var t statement.Transaction
			for i := range size.statements {
				st := statement.Statement{Op: statement.UpdKey, ID: 1 + (s+j+i/2)%2, C: 1 + s}
				if i%2 == 0 {
					st = statement.Statement{Op: statement.Get, ID: 1 + (s+j+i/2)%2}
				}
				t.Stmts = append(t.Stmts, st)
			}
			txns = append(txns, t)
		}
		p.Sessions = append(p.Sessions, txns)
	}
	return p
}

var shapes = []shape{{2, 1, 6}, {3, 1, 4}, {3, 1, 6}, {4, 1, 4}, {3, 2, 3}}

// BenchmarkReduction explores contended programs with each reduction.
func BenchmarkReduction(b *testing.B) {
	for _, size := range shapes {
		for _, level := range levels[:3] {
			p := contended(size, level)
			for k, name := range []string{"all", "sleep", "cache", "both"} {
				if k == 0 && p.Interleavings() > 100_000 || k == 1 && p.Interleavings() > 10_000_000 {
					continue
				}
				b.Run(fmt.Sprintf("%v/%s/%s", size, level, name), func(b *testing.B) {
					benchmarkExplore(b, p, k&1 == 1, k&2 == 2)
				})
			}
		}
	}
}

func benchmarkExplore(b *testing.B, p *statement.Program, sleep, cache bool) {
	var x *explorer
	steps := 0
	for b.Loop() {
		x = exploreReduced(b, p, false, sleep, cache)
		steps += x.steps
	}
	b.ReportMetric(float64(p.Interleavings()), "interleavings")
	b.ReportMetric(float64(x.executions), "executions")
	b.ReportMetric(float64(len(x.seen)), "states")
	b.ReportMetric(float64(len(x.outcomes)), "outcomes")
	b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "steps/s")
}

// BenchmarkCopy, BenchmarkKey and BenchmarkStep measure the parts of a step of an
// exploration in the middle of a contended program. BenchmarkStep copies as well.
func BenchmarkCopy(b *testing.B) {
	eachLevel(b, func(b *testing.B, m, n *Machine) {
		for b.Loop() {
			n.CopyFrom(m)
		}
	})
}

func BenchmarkKey(b *testing.B) {
	eachLevel(b, func(b *testing.B, m, _ *Machine) {
		var k Keyer
		for b.Loop() {
			m.Key(&k)
		}
	})
}

func BenchmarkStep(b *testing.B) {
	eachLevel(b, func(b *testing.B, m, n *Machine) {
		choices := m.Enabled(nil)
		i := 0
		for b.Loop() {
			n.CopyFrom(m)
			n.Step(choices[i%len(choices)])
			i++
		}
	})
}

// eachLevel calls f with a machine in the middle of a program, and with room for
// another one.
func eachLevel(b *testing.B, f func(b *testing.B, m, n *Machine)) {
	for _, level := range levels[:3] {
		b.Run(level, func(b *testing.B) {
			m, err := NewMachine(contended(shape{3, 1, 6}, level), false)
			if err != nil {
				b.Fatal(err)
			}
			for i := range 8 {
				choices := m.Enabled(nil)
				m.Step(choices[i%len(choices)])
			}
			b.ReportAllocs()
			f(b, m, &Machine{})
		})
	}
}
