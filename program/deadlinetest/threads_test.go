package deadlinetest

import (
	"os"
	"runtime"
	"testing"
)

// Tests have their threads; benchmarks, commands, and who says a number have their own.
func TestThreads(t *testing.T) {
	for _, c := range []struct {
		args         []string
		said, raised bool
	}{
		{[]string{"-test.timeout=10m0s"}, false, true},
		{[]string{"--test.run=X", "-cases=3"}, false, true},
		{[]string{"-test.timeout=10m0s"}, true, false},
		{[]string{"-test.timeout=10m0s", "-test.bench=."}, false, false},
		{[]string{"-test.run=-", "-test.bench", "."}, false, false},
		{[]string{"-test.run=X", "-test.cpu=2"}, false, false},
		{[]string{"-test.run=First", "-first"}, false, false},
		{[]string{"-test.cpuprofile=f"}, false, true},
		{[]string{"explore", "./app", "test.go"}, false, false},
		{nil, false, false},
	} {
		if got := raisesThreads(c.args, c.said); got != c.raised {
			t.Errorf("%q, said %v: raised %v", c.args, c.said, got)
		}
	}
	if got := runtime.GOMAXPROCS(0); raisesThreads(os.Args[1:], os.Getenv("GOMAXPROCS") != "") && got < leastThreads {
		t.Errorf("%d threads", got)
	}
}
