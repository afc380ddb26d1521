package mock

import (
	"testing"

	"github.com/txmc/txmc/isolation"
)

// A locking read is of the newest version, whatever else the level would allow, so that
// the write that follows is possible.
func TestLockReadsNewest(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		kv, err := NewKV(Options{Level: isolation.RC, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		update := func(c *Session, want any, value int) {
			t.Helper()
			if err := c.Begin(); err != nil {
				t.Fatal(err)
			}
			if got, err := c.Lock(t.Context(), "x"); err != nil || got != want {
				t.Fatalf("seed %d: read %v, %v, want %v", seed, got, err, want)
			}
			if err := c.Write("x", value); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if err := c.Commit(); err != nil {
				t.Fatal(err)
			}
		}
		a, b := kv.Session("a"), kv.Session("b")
		update(a, nil, 1)
		update(a, 1, 2)
		update(b, 2, 3)
	}
}
