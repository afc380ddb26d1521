package deadlinetest

import (
	"iter"
	"testing"
)

// patience is how many times the usual number of cases are tried.
const patience = 50

// Until yields 0, 1, 2, …: the numbers of a test's n random cases, and of more while enough does
// not hold. A test that needs some of each kind then does not fail because they have not come
// up by chance. It fails when they have not come up in fifty times as many cases: then what makes
// or counts them is wrong. When it is [Over] after n cases, the test is skipped.
func Until(t testing.TB, n int, enough func() bool) iter.Seq[int] {
	return func(yield func(int) bool) {
		t.Helper()
		most := patience * (n + 10)
		for i := range most {
			if i >= n {
				if enough() {
					return
				}
				Skip(t)
			}
			if !yield(i) {
				return
			}
		}
		if !enough() {
			t.Errorf("%d random cases, and still not those that the test needs", most)
		}
	}
}
