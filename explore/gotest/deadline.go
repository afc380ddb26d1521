package gotest

import (
	"flag"
	"time"
)

// All tests of a binary have one deadline, that of go test -timeout. When it passes, the
// binary panics, and what tests had to say is lost. So explorations keep off it. The last
// tenth of the time, ten seconds at most, is for writing reports and for what else tests
// do. A check may come when only that last part is left. Then it takes a little of the
// part's first half, which is enough for a small program, and nothing of the second half.

// kept is the time before the deadline that explorations keep off, of the timeout
// of all tests.
func kept(timeout time.Duration) time.Duration { return min(timeout/10, 10*time.Second) }

// timeFor is the time for one of the levels that remain, when so much is left until
// the deadline; 0 when there is none.
func timeFor(left, timeout time.Duration, levels int) time.Duration {
	keep := kept(timeout)
	if left <= keep/2 {
		return 0
	}
	return max((left-keep)/time.Duration(levels), keep/20)
}

// testTimeout is what go test -timeout says; left, where that cannot be known.
func testTimeout(left time.Duration) time.Duration {
	if f := flag.Lookup("test.timeout"); f != nil {
		if g, ok := f.Value.(flag.Getter); ok {
			if d, ok := g.Get().(time.Duration); ok && d > 0 {
				return d
			}
		}
	}
	return left
}
