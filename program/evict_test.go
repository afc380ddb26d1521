package program_test

import (
	"testing"

	"github.com/txmc/txmc/program"
)

// A tree that does not fit is recorded again on demand, the same.
func TestEviction(t *testing.T) {
	d := drawn{[][][]op{
		{{{0, 0, 0}, {0, 1, 0}, {3, 0, 1}}, {{0, 0, 0}, {3, 1, 2}, {0, 0, 0}}},
		{{{0, 1, 0}, {3, 0, 2}, {0, 1, 0}}, {{0, 0, 0}, {5, 0, 1}, {3, 0, 1}}},
	}}
	want := texts(t, newClient(t, d.explore))
	c, err := program.NewClient(t.Name(), d.explore, program.Options{MaxTreeBytes: 4 << 10})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Park()
	for range 3 {
		equal(t, "paths", texts(t, c), want)
	}
	if c.Evictions() == 0 {
		t.Error("everything fitted")
	}
}
