package driver

import (
	"testing"

	"github.com/txmc/txmc/report"
)

// TestAgain: the command has what the user has given, and the seed of the run.
func TestAgain(t *testing.T) {
	c := &report.FreeComparison{Package: "app/x", Program: "ExploreX", Iso: "pg-rr"}
	const want = "txmc explore app/x --run='^ExploreX$' --tags=a --dsn='postgres:temp' --compare=free --iso=pg-rr --seed=7"
	if got := (&FreeRuns{DSN: "postgres:temp", Tags: "a"}).again(c, 7); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
