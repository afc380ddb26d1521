package deadlinetest

import (
	"os"
	"testing"
)

// Full reports whether tests run in full: TXMC_TESTS=full is in the environment. Without it what
// takes long is left out, or bounded, so that all tests together end in minutes.
func Full() bool { return os.Getenv("TXMC_TESTS") == "full" }

// Long skips a test that takes long, unless tests run in full; with -short always.
func Long(t testing.TB) {
	t.Helper()
	if !Full() || testing.Short() {
		t.Skip("it takes long: TXMC_TESTS=full runs it")
	}
}

// Of is a number of cases: all of them in full, few else.
func Of(all, few int) int {
	if Full() {
		return all
	}
	return few
}
