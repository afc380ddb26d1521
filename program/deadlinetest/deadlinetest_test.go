package deadlinetest

import (
	"testing"
	"time"
)

// Parts are left out behind three fifths of the time, and never without a limit.
func TestOver(t *testing.T) {
	began := time.Unix(0, 0)
	at := func(s int) time.Time { return began.Add(time.Duration(s) * time.Second) }
	for _, c := range []struct {
		deadline time.Time
		now      int
		want     bool
	}{
		{at(600), 0, false},
		{at(600), 359, false},
		{at(600), 361, true},
		{at(600), 700, true},
		{time.Time{}, 1 << 30, false},
	} {
		if got := over(began, c.deadline, at(c.now)); got != c.want {
			t.Errorf("deadline %v, %d s: %v", c.deadline, c.now, got)
		}
	}
}

// A part that begins in time runs; a benchmark has no limit.
func TestSkip(t *testing.T) {
	if deadline, ok := t.Deadline(); ok && over(started, deadline, time.Now()) {
		t.Skip("this machine is too slow to see that nothing is left out in time")
	}
	t.Run("part", func(t *testing.T) {
		Skip(t)
		if Over(t) {
			t.Error("over at the beginning")
		}
	})
	if t.Skipped() {
		t.Error("skipped in time")
	}
	testing.Benchmark(func(b *testing.B) {
		Skip(b)
		b.SkipNow()
	})
}

var cases, given = Flag("cases", 9, 2, "cases"), Flag("given", 9, 2, "cases")

// What takes long runs in full, and a flag has the last word.
func TestFull(t *testing.T) {
	given.flag = 5
	for _, test := range []struct {
		env      string
		n, given int
		skipped  bool
	}{{"", 2, 5, true}, {"full", 9, 5, false}, {"half", 2, 5, true}} {
		t.Setenv("TXMC_TESTS", test.env)
		if cases.N() != test.n || given.N() != test.given {
			t.Errorf("%q: %d and %d cases", test.env, cases.N(), given.N())
		}
		ran := false
		t.Run("long", func(t *testing.T) {
			Long(t)
			ran = true
		})
		if ran == test.skipped && !testing.Short() {
			t.Errorf("%q: ran %v", test.env, ran)
		}
	}
}
