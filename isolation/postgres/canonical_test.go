package postgres

import (
	"maps"
	"testing"

	"github.com/txmc/txmc/isolation/statement"
)

// TestEqualKeysGoOnEqually: states with equal keys have the same choices, and these lead to
// states with equal keys. So the number of states that an exploration visits does not
// depend on the order in which it visits them. keyssi.go says why three sessions at
// SERIALIZABLE are another matter.
func TestEqualKeysGoOnEqually(t *testing.T) {
	t.Parallel()
	met := 0
	for seed := range int64(*programs) {
		for _, level := range levels {
			met += goesOnEqually(t, seed, level)
		}
	}
	t.Logf("%d states with the key of another one", met)
}

type successors map[Choice]Key

func goesOnEqually(t *testing.T, seed int64, level string) (met int) {
	t.Helper()
	p := randomProgram(1_000_000+seed, level, 100)
	if len(p.Sessions) > 2 && level != statement.ReadCommitted && level != statement.RepeatableRead {
		return 0
	}
	first, err := NewMachine(p, true)
	if err != nil {
		t.Fatal(err)
	}
	var k Keyer
	known, shown := map[Key]successors{}, map[Key]string{}
	var visit func(m *Machine, way string)
	visit = func(m *Machine, way string) {
		key, next := m.Key(&k), successors{}
		var list []*Machine
		choices := m.Enabled(nil)
		for _, c := range choices {
			n := &Machine{}
			n.CopyFrom(m)
			n.Step(c)
			next[c] = n.Key(&k)
			list = append(list, n)
		}
		if before, again := known[key]; again {
			met++
			if !maps.Equal(before, next) {
				for c := range next {
					if before[c] != next[c] {
						t.Fatalf("seed %d at %s: after %s and after %s, %v leads to different keys\n%s", seed, level, shown[key], way, c, p.Text())
					}
				}
			}
			return
		}
		known[key], shown[key] = next, way
		for i, n := range list {
			visit(n, way+string('0'+rune(choices[i].Kind)*10+rune(choices[i].N)))
		}
	}
	visit(first, "")
	return met
}
