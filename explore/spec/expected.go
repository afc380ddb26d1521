package spec

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// What the tester has printed before: expected/NAME.out, and NAME_1.out and so on, where time makes a
// difference.

// Expected is what is expected of a file's permutations.
type Expected struct{ files [][]string }

// begins begins what is printed of a permutation.
const begins = "\nstarting permutation: "

// ReadExpected reads what is expected of a file: name is that of a file, or of a directory that has NAME.out.
func (s *Spec) ReadExpected(name string) (*Expected, error) {
	if i, err := os.Stat(name); err == nil && i.IsDir() {
		name = filepath.Join(name, s.Name()+".out")
	}
	files := []string{name}
	more, err := filepath.Glob(strings.TrimSuffix(name, ".out") + "_[0-9].out")
	if err != nil {
		return nil, err
	}
	e := &Expected{}
	for _, f := range append(files, more...) {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, fmt.Errorf("what is expected of %s: %w", s.File, err)
		}
		e.files = append(e.files, strings.Split(string(text), begins)[1:])
	}
	return e, nil
}

// Has reports whether what was printed of the permutation of that number is expected, by one of the files.
func (e *Expected) Has(number int, printed string) bool {
	return slices.ContainsFunc(e.files, func(blocks []string) bool {
		return number < len(blocks) && trim(blocks[number]) == trim(strings.TrimPrefix(printed, begins))
	})
}

// Of is what the first file has of a permutation; "" when it has none.
func (e *Expected) Of(number int) string {
	if number < len(e.files[0]) {
		return begins + e.files[0][number]
	}
	return ""
}

// Permutations is how many there are.
func (e *Expected) Permutations() int { return len(e.files[0]) }

// trim is a text without the ends of lines at its end.
func trim(text string) string { return strings.TrimRight(text, "\n") }
