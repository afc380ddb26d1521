package semantics_test

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/txmc/txmc/semantics"
)

// Rows of bits behave as sets of numbers, at every width.
func TestRowsAreSets(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.IntRange(1, 3).Draw(t, "words")
		var rows semantics.Rows
		rows.Reset(words)
		var want []map[int]bool
		for range rapid.IntRange(1, 4).Draw(t, "rows") {
			rows.Push()
			want = append(want, map[int]bool{})
		}
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			i := rapid.IntRange(0, len(want)-1).Draw(t, "row")
			k := rapid.IntRange(0, 64*words-1).Draw(t, "element")
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0:
				rows.Row(i).Add(k)
				want[i][k] = true
			case 1:
				rows.Row(i).Remove(k)
				delete(want[i], k)
			case 2:
				j := rapid.IntRange(0, len(want)-1).Draw(t, "other")
				rows.Row(i).Union(rows.Row(j))
				maps.Copy(want[i], want[j])
			case 3:
				words = max(words, rapid.IntRange(1, 4).Draw(t, "wider"))
				rows.Widen(words)
			}
			same(t, &rows, want)
		}
	})
}

func same(t *rapid.T, rows *semantics.Rows, want []map[int]bool) {
	if rows.Len() != len(want) {
		t.Fatalf("%d rows, want %d", rows.Len(), len(want))
	}
	for i, set := range want {
		if got := elements(rows.Row(i)); !slices.Equal(got, slices.Sorted(maps.Keys(set))) {
			t.Fatalf("row %d: %v, want %v", i, got, set)
		}
		for j, other := range want {
			contains := true
			for k := range other {
				contains = contains && set[k]
			}
			if got := rows.Row(i).Contains(rows.Row(j)); got != contains {
				t.Fatalf("row %d contains row %d: %v, want %v", i, j, got, contains)
			}
		}
	}
}
