package checker

import "math/bits"

// places is a set of places in a lineup.
type places []uint64

func newPlaces(size int) places { return make(places, (size+63)/64) }

func (s places) add(p int32) { s[p>>6] |= 1 << (p & 63) }

func (s places) clear() { clear(s) }

// each goes through the places in ascending order, with the keys to which they
// belong: those of key x begin at start(x).
func (s places) each(start func(x int32) int32, do func(p, x int32)) {
	x := int32(0)
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			p := int32(i<<6 + bits.TrailingZeros64(word))
			for start(x+1) <= p {
				x++
			}
			do(p, x)
		}
	}
}
