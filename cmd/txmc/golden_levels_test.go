package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// testLevels compares what txmc levels prints with levels.golden, of a program in SQL at
// axiomatic levels; at its database's levels, which are its default, with databases.golden.
func testLevels(t *testing.T, cmd command, pkg string) {
	if !inFull() && !*update && pkg != few[0] {
		t.Skip("with -full the levels of every example are compared")
	}
	args := []string{"levels", "./testdata/" + pkg}
	if inSQL(args) {
		out, status := cmd.run(t, args...)
		if status != 0 || !strings.Contains(out, "pg-rc") {
			t.Errorf("exit status %d, want 0 and PostgreSQL's levels", status)
		}
		golden(t, pkg, "databases.golden", out)
		if out, _ := cmd.run(t, append(args, "--iso=repeatable read,read committed")...); !strings.Contains(strings.Join(strings.Fields(out), " "), " pg-rc pg-rr ") {
			t.Errorf("words of databases are levels of PostgreSQL; got\n%s", out)
		}
		args = append(args, "--iso=all")
	}
	out, status := cmd.run(t, args...)
	if status != 0 {
		t.Errorf("exit status %d, want 0: something that breaks is no error", status)
	}
	checkTables(t, pkg, out)
	golden(t, pkg, "levels.golden", out)
}

// checkTables compares tables with the table of examples: what breaks where, and
// from which level on all holds.
func checkTables(t *testing.T, pkg, out string) {
	t.Helper()
	seen := 0
	for table := range strings.SplitSeq(strings.TrimRight(out, "\n"), "\n\n") {
		lines := strings.Split(table, "\n")
		head := strings.Fields(lines[0])
		broken, ok := examples[pkg][head[0]]
		if !ok || !slices.Equal(head[1:], allLevels) {
			t.Errorf("not the head of a table: %s", lines[0])
			continue
		}
		seen++
		if want := fmt.Sprintf(" from %s on", allLevels[broken]); !strings.Contains(table, want) {
			t.Errorf("%s ends with %q, want %q in it", head[0], lines[len(lines)-1], want)
		}
		for i, level := range allLevels {
			breaks := false
			for _, line := range lines[1:] {
				cells := strings.Fields(line)
				if at := len(cells) - len(allLevels) + i; at >= 0 {
					breaks = breaks || cells[at] == "breaks"
				}
			}
			if want := i < broken; breaks != want {
				t.Errorf("%s at %s: breaks %v, want %v", head[0], level, breaks, want)
			}
		}
	}
	if seen != len(examples[pkg]) {
		t.Errorf("%d tables, want %d", seen, len(examples[pkg]))
	}
}

// testCompare compares what txmc compare says of each level and the next stronger
// one with compare.golden.
func testCompare(t *testing.T, cmd command, pkg string) {
	if strings.HasPrefix(pkg, "sql") && pkg != "sqlqueue" {
		t.Skip("comparisons are made of one example in SQL: the others take long to build")
	}
	if !inFull() && !*update && !slices.Contains(compared, pkg) {
		t.Skip("with -full every example is compared")
	}
	var all strings.Builder
	for i, stronger := range allLevels[1:] {
		levels := allLevels[i] + "," + stronger
		out, status := cmd.run(t, "compare", "./testdata/"+pkg, "--iso="+levels)
		differ := checkComparisons(t, pkg, out, allLevels[i], stronger)
		if want := min(differ, 1); status != want {
			t.Errorf("--iso=%s: exit status %d, want %d", levels, status, want)
		}
		fmt.Fprintf(&all, "$ txmc compare ./testdata/%s --iso=%s\n%s\n", pkg, levels, strings.TrimRight(out, "\n"))
	}
	golden(t, pkg, "compare.golden", all.String())
}

// compared are the examples that every run of the tests compares at all neighbouring levels.
var compared = []string{"bank"}

var comparisonLine = regexp.MustCompile(`(?m)^(differs|robust) +(\w+)  iso=(\S+)  (?:(\d+) of )?`)

// checkComparisons returns how many programs differ. What the weaker level allows
// and the stronger forbids is what explorations at the two levels count more and
// less, and the history that is shown is one of those.
func checkComparisons(t *testing.T, pkg, out, weaker, stronger string) (differ int) {
	t.Helper()
	counted := countsOf(t, pkg)
	said := comparisonLine.FindAllStringSubmatchIndex(out, -1)
	if len(said) != len(examples[pkg]) {
		t.Errorf("%d programs at %s and %s, want %d", len(said), weaker, stronger, len(examples[pkg]))
	}
	for k, m := range said {
		end := len(out)
		if k+1 < len(said) {
			end = said[k+1][0]
		}
		text := out[m[0]:end]
		program, number := out[m[4]:m[5]], "0"
		if m[8] >= 0 {
			number = out[m[8]:m[9]]
		}
		want := counted[[2]string{program, weaker}] - counted[[2]string{program, stronger}]
		if fmt.Sprint(want) != number {
			t.Errorf("%s: %s histories of %s are not %s, want %d", program, number, weaker, stronger, want)
		}
		if shown := strings.Contains(text, "; forbidden at "+stronger); shown != (want > 0) {
			t.Errorf("%s: shows a history of %s that %s forbids: %v, want %v", program, weaker, stronger, shown, want > 0)
		}
		if want > 0 {
			differ++
		}
	}
	return differ
}

// countsOf reads how many histories a program has at a level from counts.golden.
func countsOf(t *testing.T, pkg string) map[[2]string]int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "testdata", pkg, "counts.golden"))
	if err != nil {
		t.Fatal(err)
	}
	number := map[[2]string]int{}
	for line := range strings.Lines(string(text)) {
		var c counts
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		number[[2]string{c.Program, c.Iso}] = c.Histories
	}
	return number
}
