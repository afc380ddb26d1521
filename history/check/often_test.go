package check

import (
	"flag"
	"testing"
)

var long = flag.Bool("long", false, "go through all random and recorded histories, and not through some of them")

// often is how many rounds a random test has that has n with -long. Each starts with the
// same seeds.
func often(n int) int {
	switch {
	case *long:
		return n
	case testing.Short():
		return n / 20
	}
	return n / 10
}
