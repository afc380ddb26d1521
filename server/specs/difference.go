package specs

import (
	"slices"
	"strings"
)

// difference shows the lines in which two texts of a permutation differ, with some around them: those that were wanted
// begin with -, those that came with +. Lines between the first and the last that differ are shown as a whole.
func difference(want, got string) string {
	a, b := lines(want), lines(got)
	first := 0
	for first < len(a) && first < len(b) && a[first] == b[first] {
		first++
	}
	last := 0
	for last < len(a)-first && last < len(b)-first && a[len(a)-1-last] == b[len(b)-1-last] {
		last++
	}
	const around = 3
	var out strings.Builder
	put := func(sign string, list []string) {
		for _, l := range list {
			out.WriteString("      " + sign + " " + l + "\n")
		}
	}
	from := max(0, first-around)
	if i := slices.IndexFunc(a, func(l string) bool { return strings.HasPrefix(l, "starting permutation") }); i >= 0 && i < from {
		put(" ", a[i:i+1])
		if from = max(from, i+1); from > i+1 {
			put(" ", []string{"…"})
		}
	}
	put(" ", a[from:first])
	put("-", a[first:len(a)-last])
	put("+", b[first:len(b)-last])
	put(" ", a[len(a)-last:min(len(a), len(a)-last+around)])
	return out.String()
}

func lines(text string) []string { return strings.Split(strings.TrimSpace(text), "\n") }
