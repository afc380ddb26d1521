package dpor_test

import (
	"github.com/txmc/txmc/isolation/reference"
	"maps"
	"slices"
	"testing"

	"github.com/txmc/txmc/isolation"
)

// allowed returns the canonical forms of those histories that l allows.
func allowed(all map[string]*reference.History, l isolation.Level) map[string]bool {
	set := map[string]bool{}
	for key, h := range all {
		if h.Satisfies(l) {
			set[key] = true
		}
	}
	return set
}

// The reference on its own gives the golden counts.
func TestReferenceGolden(t *testing.T) {
	t.Parallel()
	for _, row := range golden {
		all := histories(parse(row.program), 0)
		for i, l := range goldenLevels {
			if got := len(allowed(all, l)); got != row.counts[i] {
				t.Errorf("%s at %v: %d histories, want %d", row.program, l, got, row.counts[i])
			}
		}
	}
}

// The two shortcuts of the reference change nothing: keeping one of equal
// prefixes, and dropping commit orders early.
func TestReferenceShortcuts(t *testing.T) {
	t.Parallel()
	for p := range randomPrograms("shortcuts", portion(60), small) {
		all := histories(p, 0)
		literal := behaviourOf(p).HistoriesLiterally()
		if !slices.Equal(slices.Sorted(maps.Keys(all)), slices.Sorted(maps.Keys(literal))) {
			t.Fatalf("%v: %d histories, %d without keeping one of equals", p, len(all), len(literal))
		}
		for key, h := range all {
			for _, l := range isolation.Levels() {
				if got, want := h.Satisfies(l), h.SatisfiesLiterally(l); got != want {
					t.Fatalf("%v: %s: %v: %v, by all orders %v", p, key, l, got, want)
				}
			}
		}
	}
}

// What a level allows all weaker ones allow: the axioms are not mixed up.
func TestReferenceLevelsFormAChain(t *testing.T) {
	t.Parallel()
	for p := range randomPrograms("chain", portion(60), small) {
		for key, h := range histories(p, 0) {
			for l := isolation.RC; l <= isolation.SER; l++ {
				if h.Satisfies(l) && !h.Satisfies(l-1) {
					t.Fatalf("%v: %s satisfies %v but not %v", p, key, l, l-1)
				}
			}
		}
	}
}
