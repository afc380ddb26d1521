//go:build unix

package sqltest

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// What the figures of bench/README.md on programs in SQL have in common, of PostgreSQL's and of
// MySQL's. They are processor times, so that other work on the machine counts little.

// figureRepeats is how often each figure is measured.
const figureRepeats = 7

// Figure measures something several times and prints a line of the table.
func Figure(what, unit string, measure func() float64) {
	list := make([]float64, figureRepeats)
	for i := range list {
		list[i] = measure()
	}
	slices.Sort(list)
	fmt.Printf("| %s | %.3g %s | %.3g to %.3g |\n", what, list[figureRepeats/2], unit, list[0], list[figureRepeats-1])
}

// Spent is the processor time of this process (syscall.RUSAGE_SELF), or of its children that have ended.
func Spent(who int) time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(who, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// Once explores a program at an axiomatic level, all its histories or so many, and runs each
// behaviour of its sessions once.
func Once(t testing.TB, c *program.Client, level isolation.Level, most int64) dpor.Stats {
	t.Helper()
	x := dpor.Explore(t.Context(), c, dpor.Options{Level: level, Base: level.Base(), All: true, Workers: 1, Scope: dpor.Scope{MaxHistories: most}})
	for _, err := range x.Histories() {
		if err != nil {
			t.Fatal(err)
		}
	}
	return x.Stats()
}

// FigureStatement shows what a statement of a session costs. The client's program adds to spent
// what Each says of it.
func FigureStatement(t testing.TB, c *program.Client, statement string, spent *time.Duration) {
	t.Helper()
	const runs = 20
	measure := func() float64 {
		*spent = 0
		for range runs {
			if err := c.Renew(); err != nil {
				t.Fatal(err)
			}
			Once(t, c, isolation.CC, 0)
		}
		return float64(spent.Nanoseconds()) / 1000 / runs
	}
	measure()
	Figure("processor time of `"+statement+"`", "µs", measure)
}

// Each is what the fourth to the fifteenth run of a statement take, each.
func Each(run func()) time.Duration {
	const warm, measured = 3, 12
	var before time.Duration
	for i := range warm + measured {
		if i == warm {
			before = Spent(syscall.RUSAGE_SELF)
		}
		run()
	}
	return (Spent(syscall.RUSAGE_SELF) - before) / measured
}

// FigureCommand shows how long txmc explore takes for a package of a directory, from its start
// to its end; root has the command's module.
func FigureCommand(t testing.TB, root, dir, pkg string) {
	t.Helper()
	txmc := filepath.Join(t.TempDir(), "txmc")
	build := exec.Command("go", "build", "-o", txmc, "./cmd/txmc")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	run := func() {
		cmd := exec.Command(txmc, "explore", pkg, "--iso=ser", "--quiet")
		cmd.Dir = dir
		_ = cmd.Run() // it fails where there are violations
	}
	run()
	Figure("`txmc explore "+pkg+" --iso=ser`, again", "s of processor time", func() float64 {
		before := Spent(syscall.RUSAGE_CHILDREN)
		run()
		return (Spent(syscall.RUSAGE_CHILDREN) - before).Seconds()
	})
	Figure("the same by the clock", "s", func() float64 {
		before := time.Now()
		run()
		return time.Since(before).Seconds()
	})
}

// FigureAgain shows the rate of explorations of what is recorded.
func FigureAgain(t testing.TB, name string, c *program.Client, most int64) {
	t.Helper()
	first := Once(t, c, isolation.CC, most)
	Figure(fmt.Sprintf("%s, %d histories at cc, once recorded", name, first.Histories), "histories in a second of processor time", func() float64 {
		var n int64
		before := Spent(syscall.RUSAGE_SELF)
		for n < 2000 {
			n += Once(t, c, isolation.CC, most).EndStates
		}
		return float64(n) / (Spent(syscall.RUSAGE_SELF) - before).Seconds()
	})
}
