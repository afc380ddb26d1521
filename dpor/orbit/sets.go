package orbit

import (
	"slices"

	"github.com/txmc/txmc/program"
)

// Sets of sessions that are taken for alike.

// Valid reports whether the sets are of sessions that can be alike.
func Valid(sets [][]int, prog *program.Client) bool {
	seen := map[int]bool{}
	for _, set := range sets {
		if len(set) < 2 || !slices.IsSorted(set) {
			return false
		}
		for _, s := range set {
			if s < 0 || s >= prog.Sessions() || s == prog.Final() || seen[s] {
				return false
			}
			seen[s] = true
		}
	}
	return true
}

// Separate cuts the set of the two sessions, which are neighbours there, between them.
func Separate(sets [][]int, d *program.Difference) (parts [][]int) {
	for _, set := range sets {
		i := slices.Index(set, d.B)
		if i < 1 || set[i-1] != d.A {
			parts = append(parts, set)
			continue
		}
		for _, part := range [][]int{set[:i], set[i:]} {
			if len(part) > 1 {
				parts = append(parts, part)
			}
		}
	}
	return parts
}
