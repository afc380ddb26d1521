package deadlinetest

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// Full reports whether tests run in full: TXMC_TESTS=full is in the environment. Without it what
// takes long is left out, or bounded, so that all tests together end in minutes. It panics before
// tests run: the cache of go test does not know what was read from the environment when packages
// were initialized, and would give the result of the other kind.
func Full() bool {
	if !flag.Parsed() {
		panic("deadlinetest: asked before the tests run")
	}
	return os.Getenv("TXMC_TESTS") == "full"
}

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

// Cases is a flag for a number of cases, whose default is larger when tests run in full.
type Cases struct{ flag, all, few int }

// Flag declares such a flag of go test.
func Flag(name string, all, few int, usage string) *Cases {
	c := &Cases{all: all, few: few}
	flag.IntVar(&c.flag, name, 0, usage+fmt.Sprintf("; 0: %d, in full %d", few, all))
	return c
}

// N is the number of cases.
func (c *Cases) N() int {
	if c.flag != 0 {
		return c.flag
	}
	return Of(c.all, c.few)
}
