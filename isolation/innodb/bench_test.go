package innodb

import (
	"flag"
	"math/big"
	"testing"
	"time"

	"github.com/txmc/txmc/isolation/statement"
)

var figures = flag.Bool("figures", false, "print the figures of explorations, with and without reduction")

// contended is a program of so many sessions, each with one transaction of so
// many statements on three rows.
func contended(sessions, statements int, level string) *statement.Program {
	forms := []statement.Statement{
		{Op: statement.Get, ID: 1}, {Op: statement.UpdKey, ID: 2, C: 1}, {Op: statement.Agg, D: statement.All},
		{Op: statement.Get, ID: 3, Lock: statement.ForUpdate}, {Op: statement.UpdLocal, ID: 1, C: 1},
		{Op: statement.Insert, ID: 4, C: 5, Conflict: statement.DoUpdate}, {Op: statement.UpdKey, ID: 3, C: 2},
	}
	p := &statement.Program{DB: statement.MariaDB, Level: level, Rows: []statement.Row{{ID: 1, V: 10}, {ID: 2, V: 20}, {ID: 3, V: 30}}}
	for i := range sessions {
		var t statement.Transaction
		for j := range statements {
			t.Stmts = append(t.Stmts, forms[(3*i+2*j)%len(forms)])
		}
		p.Sessions = append(p.Sessions, []statement.Transaction{t})
	}
	return p
}

// alternating is a program of reads and updates by key of two rows, in turn.
func alternating(sessions, statements int, level string) *statement.Program {
	p := &statement.Program{DB: statement.MariaDB, Level: level, Rows: []statement.Row{{ID: 1, V: 10}, {ID: 2, V: 20}}}
	for i := range sessions {
		var t statement.Transaction
		for j := range statements {
			st := statement.Statement{Op: statement.UpdKey, ID: 1 + (i+j/2)%2, C: 1 + i}
			if j%2 == 0 {
				st = statement.Statement{Op: statement.Get, ID: st.ID}
			}
			t.Stmts = append(t.Stmts, st)
		}
		p.Sessions = append(p.Sessions, []statement.Transaction{t})
	}
	return p
}

// BenchmarkSteps explores all interleavings of a program of 2 × 4 statements.
func BenchmarkSteps(b *testing.B) {
	for _, level := range levelNames {
		b.Run(level, func(b *testing.B) {
			p := contended(2, 4, level)
			steps := 0
			for b.Loop() {
				m, err := NewMachine(p, Options{})
				if err != nil {
					b.Fatal(err)
				}
				e := &explorer{t: b, outcomes: map[string]int{}, stack: []*Machine{m}, texts: map[Key]string{}}
				e.visit(0)
				steps += e.steps
			}
			b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "steps/s")
		})
	}
}

// TestFigures prints what explorations of contended programs take.
func TestFigures(t *testing.T) {
	if !*figures {
		t.Skip("-figures prints the figures")
	}
	for _, shape := range [][2]int{{2, 6}, {3, 4}, {3, 6}, {4, 4}} {
		for _, level := range levelNames {
			figure(t, "contended", contended(shape[0], shape[1], level))
			figure(t, "alternating", alternating(shape[0], shape[1], level))
		}
	}
	for _, level := range levelNames {
		p := alternating(3, 3, level)
		for i, s := range p.Sessions {
			p.Sessions[i] = append(s, s[0])
		}
		figure(t, "alternating, two transactions a session,", p)
	}
}

func figure(t *testing.T, name string, p *statement.Program) {
	t.Helper()
	start := time.Now()
	c := count(t, p)
	once := time.Since(start)
	start = time.Now()
	s := sleep(t, p, Options{}, true)
	both := time.Since(start)
	t.Logf("%d×%d %s %s: %v executions, %d outcomes", len(p.Sessions), len(p.Sessions[0][0].Stmts), name, p.Level, c.executions, len(c.outcomes))
	t.Logf("  each state once: %d states, %d steps, %.2fs", len(c.paths), c.steps, once.Seconds())
	t.Logf("  and sleep sets: %d states, %d steps, %d executions, %d outcomes, %.2fs", len(s.seen), s.steps, s.executions, len(s.outcomes), both.Seconds())
}

// counter visits every state once and counts the executions through it.
type counter struct {
	paths      map[Key]*big.Int
	keyer      Keyer
	outcomes   map[string]bool
	executions *big.Int
	steps      int
}

func count(t *testing.T, p *statement.Program) *counter {
	m, err := NewMachine(p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := &counter{paths: map[Key]*big.Int{}, outcomes: map[string]bool{}}
	c.executions = c.visit(m)
	return c
}

func (c *counter) visit(m *Machine) *big.Int {
	key := m.Key(&c.keyer)
	if n := c.paths[key]; n != nil {
		return n
	}
	n := new(big.Int)
	choices := m.Enabled(nil)
	if len(choices) == 0 {
		c.outcomes[m.Outcome()] = true
		n.SetInt64(1)
	}
	for _, choice := range choices {
		next := &Machine{}
		next.CopyFrom(m)
		next.Step(choice)
		c.steps++
		n.Add(n, c.visit(next))
	}
	c.paths[key] = n
	return n
}
