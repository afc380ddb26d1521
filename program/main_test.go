package program_test

import (
	"testing"

	"go.uber.org/goleak"
)

// Every test ends what it starts: tests of stalled clients release them.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/txmc/txmc/program.(*Backend).refuse"))
} // left behind on purpose
