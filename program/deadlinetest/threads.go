package deadlinetest

import (
	"os"
	"runtime"
	"slices"
	"strings"
)

// leastThreads is how many threads a test binary has at least. A busy machine shares its time
// between threads: with the two of a small machine, tests beside sixteen loops would get a ninth
// of it, and with eight a third. On an idle machine both take the same time.
const leastThreads = 8

// Tests run in as many threads, and as many of the parallel ones beside each other: package
// testing reads the number after packages are initialized.
func init() {
	if raisesThreads(os.Args[1:], os.Getenv("GOMAXPROCS") != "") {
		runtime.GOMAXPROCS(max(leastThreads, runtime.GOMAXPROCS(0)))
	}
}

// measure are the flags of benchmarks and of tests that measure; they have as many threads as
// programs.
var measure = []string{"test.bench", "figures", "first", "native", "speed"}

// raisesThreads reports whether a process with these arguments is one of go test's that measures
// nothing, and nobody has said how many threads it has. A test binary that runs again as a command
// or as a worker is not of go test.
func raisesThreads(args []string, said bool) bool {
	tests := false
	for _, arg := range args {
		name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
		if slices.Contains(measure, name) || name == "test.cpu" {
			return false
		}
		tests = tests || strings.HasPrefix(arg, "-") && strings.HasPrefix(name, "test.")
	}
	return tests && !said
}
