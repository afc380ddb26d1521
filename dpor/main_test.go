package dpor_test

import (
	"flag"
	"fmt"
	"runtime/debug"
	"testing"

	"go.uber.org/goleak"
)

// TestMain prints the seed, also for the case that a test takes the process down,
// and checks that no exploration leaves a coroutine behind.
func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" {
		debug.SetGCPercent(400) // a quarter of the processor's time: heaps are small, and collected often
	}
	fmt.Printf("random programs and histories: -seed=%d\n", seed())
	goleak.VerifyTestMain(m)
}
