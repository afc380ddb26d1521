// Time and randomness inside an instance: a function of a seed and of what has been asked so far.

package engine

import (
	"encoding/binary"
	"math/rand/v2"
	"time"
)

// Epoch is the time at which an instance's clock begins when nothing else is said.
var Epoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// Clock is an instance's time. It stands still but for what waits for it: a wait lets it pass at once.
type Clock struct {
	now  time.Time
	step time.Duration
}

func newClock() *Clock { return &Clock{now: Epoch, step: time.Microsecond} }

// Now is the time; each reading is a microsecond later than the one before.
func (c *Clock) Now() time.Time {
	c.now = c.now.Add(c.step)
	return c.now
}

// Wait lets time pass.
func (c *Clock) Wait(d time.Duration) { c.now = c.now.Add(d) }

// newRandom is a stream of random bytes that depends on the seed only.
func newRandom(seed uint64) *rand.ChaCha8 { return rand.NewChaCha8(randomKey(seed)) }

func randomKey(seed uint64) [32]byte {
	var key [32]byte
	copy(key[:], "txmc")
	binary.LittleEndian.PutUint64(key[8:], seed)
	return key
}
