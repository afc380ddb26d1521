package postgres

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/isolation/statement"
)

// futures computes the outcomes of a program from the end to the beginning: the
// futures of a state are what each session will see, and the tables at the end.
// States with the same futureKey share their futures, so that a key that forgets
// something gives wrong outcomes.
type futures struct {
	program *statement.Program
	keyer   Keyer
	known   map[Key]map[string]bool
}

// futureKey is like Key, but forgets the results that the clients have forgotten:
// machines with equal keys have the same future.
func (m *Machine) futureKey(k *Keyer) Key {
	m.addState(k)
	for i := range m.runs {
		w := m.runs[i].client.Words()
		k.Add(w[0])
		k.Add(w[1])
	}
	return k.Sum()
}

// of is the set of the state's futures: results of each session, separated by
// spaces, sessions separated by bars, then the tables.
func (f *futures) of(m *Machine) map[string]bool {
	key := m.futureKey(&f.keyer)
	if set, is := f.known[key]; is {
		return set
	}
	set := map[string]bool{}
	choices := m.Enabled(nil)
	if len(choices) == 0 {
		o := m.Outcome()
		set[strings.Repeat("|", len(m.runs))+o[strings.Index(o, "t{"):]] = true
	}
	for _, c := range choices {
		n := &Machine{}
		n.CopyFrom(m)
		n.Step(c)
		for future := range f.of(n) {
			set[prepend(n.Done(), future, len(m.runs))] = true
		}
	}
	f.known[key] = set
	return set
}

// prepend puts the results of a step before a future.
func prepend(done []Completion, future string, sessions int) string {
	parts := strings.SplitN(future, "|", sessions+1)
	for _, c := range slices.Backward(done) {
		parts[c.Session] = strings.TrimSpace(c.Result.String() + " " + parts[c.Session])
	}
	return strings.Join(parts, "|")
}

// TestFutureKey compares the outcomes with those of all interleavings.
func TestFutureKey(t *testing.T) {
	t.Parallel()
	states, outcomes := 0, 0
	for seed := range int64(*programs) {
		p := randomProgram(seed, levels[seed%6], 1500)
		m, err := NewMachine(p, false)
		if err != nil {
			t.Fatal(err)
		}
		f := &futures{program: p, known: map[Key]map[string]bool{}}
		got := map[string]bool{}
		for future := range f.of(m) {
			parts := strings.SplitN(future, "|", len(p.Sessions)+1)
			var b strings.Builder
			for i, results := range parts[:len(p.Sessions)] {
				fmt.Fprintf(&b, "s%d[%s] ", i, results)
			}
			got[b.String()+parts[len(p.Sessions)]] = true
		}
		want := exploreAll(t, p, false).outcomes
		states, outcomes = states+len(f.known), outcomes+len(want)
		for o := range want {
			if !got[o] {
				t.Fatalf("seed %d: lost %s\n%s", seed, o, p.Text())
			}
		}
		if len(got) != len(want) {
			t.Fatalf("seed %d: %d outcomes, want %d\n%s", seed, len(got), len(want), p.Text())
		}
	}
	t.Logf("%d states for %d outcomes", states, outcomes)
}
