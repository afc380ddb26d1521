// Package generate makes client programs of the five applications at random: the
// same seed gives the same client. Keys are few, so that transactions of different
// sessions meet.
package generate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// choice is a kind of transaction, and how often it is chosen.
type choice struct {
	weight int
	line   func(r *rand.Rand) string
}

// Client returns the lines of a client of the application, by session. The
// application must be one of those of the paper.
func Client(app string, seed uint64, sessions, transactions int) ([][]string, error) {
	choices := mix(app)
	if choices == nil {
		return nil, fmt.Errorf("no generator for application %q", app)
	}
	r := rand.New(rand.NewPCG(seed, 2023))
	client := make([][]string, sessions)
	for i := range client {
		for range transactions {
			client[i] = append(client[i], pick(r, choices))
		}
	}
	return client, nil
}

func mix(app string) []choice {
	switch app {
	case "courseware":
		return courseware
	case "shoppingCart":
		return shoppingCart
	case "twitter":
		return twitter
	case "wikipedia":
		return wikipedia
	case "tpcc":
		return tpcc
	}
	return nil
}

// pick makes a line of a kind chosen by weight.
func pick(r *rand.Rand, choices []choice) string {
	sum := 0
	for _, c := range choices {
		sum += c.weight
	}
	n := r.IntN(sum)
	i := slices.IndexFunc(choices, func(c choice) bool { n -= c.weight; return n < 0 })
	return choices[i].line(r)
}

// File is the text of a session's file.
func File(lines []string) string { return strings.Join(lines, "\n") + "\n" }

// one chooses an element.
func one[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }
