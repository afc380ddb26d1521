package postgres

import (
	"testing"
)

// TestInvariants checks every state of random programs.
func TestInvariants(t *testing.T) {
	t.Parallel()
	for _, level := range levels {
		for seed := range int64(*programs) {
			p := randomProgram(seed, level, 2000)
			x := newExplorer(t, p, seed%2 == 0)
			x.cache = true
			x.check = func(m *Machine) {
				if err := m.Check(); err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, p.Text())
				}
			}
			x.run()
		}
	}
}
