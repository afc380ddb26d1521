package check_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/txmc/txmc/history/check"
)

// Transactions that only read get a place in a serialization order that lacks them if and only if
// there is one: all places are tried.
func TestReadersPlaced(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(15, 1))
	found := map[check.Outcome]int{}
	for range 3000 {
		var txns []string
		var writers, readers []int
		written := [2]int{}
		for n := range 2 + rng.IntN(4) {
			line := fmt.Sprintf("%d", 1+rng.IntN(3))
			key := rng.IntN(2)
			if rng.IntN(2) == 0 {
				written[key]++
				line += fmt.Sprintf(" w%c%d", "xy"[key], written[key])
				writers = append(writers, n)
			} else {
				line += fmt.Sprintf(" r%c%d", "xy"[key], rng.IntN(written[key]+1))
				if other := 1 - key; rng.IntN(2) == 0 {
					line += fmt.Sprintf(" r%c%d", "xy"[other], rng.IntN(written[other]+1))
				}
				readers = append(readers, n)
			}
			txns = append(txns, line)
		}
		decide := func(order []int) check.Outcome {
			r := parse(txns...)
			r.Serial(order)
			c, _ := r.Checker(check.Options{})
			v, err := c.Serial()
			if err != nil {
				t.Fatal(err)
			}
			return v.Outcome
		}
		rng.Shuffle(len(writers), func(i, j int) { writers[i], writers[j] = writers[j], writers[i] })
		want := check.Violated
		merged(append([]int{}, writers...), readers, func(order []int) {
			if decide(order) == check.Satisfied {
				want = check.Satisfied
			}
		})
		got := decide(append([]int{}, writers...))
		if found[got]++; got != want {
			t.Fatalf("%q in the order %v is %v, want %v", txns, writers, got, want)
		}
	}
	if found[check.Satisfied] < 100 || found[check.Violated] < 100 {
		t.Errorf("%v", found)
	}
}

// merged hands on each order with more elements put anywhere into it.
func merged(order, more []int, each func([]int)) {
	if len(more) == 0 {
		each(order)
		return
	}
	for i := 0; i <= len(order); i++ {
		merged(append(append(append([]int{}, order[:i]...), more[0]), order[i:]...), more[1:], each)
	}
}
