package workload

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// Distribution says how often each key is used.
type Distribution uint8

const (
	// Uniform uses all keys equally often.
	Uniform Distribution = iota
	// Zipfian uses key i in proportion to 1/(i+1)^0.99, as YCSB does.
	Zipfian
	// Hotspot makes 80 % of the operations on the first 20 % of the keys.
	Hotspot
)

var distributions = [...]string{"uniform", "zipfian", "hotspot"}

// String returns uniform, zipfian or hotspot.
func (d Distribution) String() string { return distributions[d] }

// ParseDistribution is the inverse of String.
func ParseDistribution(name string) (Distribution, error) {
	for d, n := range distributions {
		if strings.EqualFold(n, name) {
			return Distribution(d), nil
		}
	}
	return 0, fmt.Errorf("unknown distribution %q: there are %s", name, strings.Join(distributions[:], ", "))
}

// Chooser returns a function that chooses one of so many keys. It uses rng, and is for one
// goroutine.
func (d Distribution) Chooser(keys int, rng *rand.Rand) func() int32 {
	switch d {
	case Zipfian:
		return zipfian(keys, rng)
	case Hotspot:
		hot := max(1, keys/5)
		return func() int32 {
			if hot == keys || rng.IntN(5) < 4 {
				return int32(rng.IntN(hot))
			}
			return int32(hot + rng.IntN(keys-hot))
		}
	}
	return func() int32 { return int32(rng.IntN(keys)) }
}

// zipfian chooses key i in proportion to 1/(i+1)^theta, with the formula of Gray et
// al., "Quickly generating billion-record synthetic databases", SIGMOD 1994, fig. 6.
func zipfian(keys int, rng *rand.Rand) func() int32 {
	const theta = 0.99
	zeta := 0.0
	for i := 1; i <= keys; i++ {
		zeta += 1 / math.Pow(float64(i), theta)
	}
	n := float64(keys)
	half := math.Pow(0.5, theta)
	alpha := 1 / (1 - theta)
	eta := (1 - math.Pow(2/n, 1-theta)) / (1 - (1+half)/zeta)
	return func() int32 {
		u := rng.Float64()
		switch uz := u * zeta; {
		case uz < 1 || keys == 1:
			return 0
		case uz < 1+half:
			return 1
		}
		return min(int32(keys-1), int32(n*math.Pow(eta*u-eta+1, alpha)))
	}
}
