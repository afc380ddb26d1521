//go:build unix

package bench

import (
	"flag"
	"os"
	"runtime/debug"
	"testing"
)

// TestMain lets tests collect garbage less often, which takes a quarter of the processor's time
// with small heaps. What measures runs as programs do.
func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" && !*firstFlag && !*nativeFlag && !*speedFlag {
		debug.SetGCPercent(400)
	}
	os.Exit(m.Run())
}
