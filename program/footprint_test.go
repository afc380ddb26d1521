package program

import (
	"fmt"
	"hash/maphash"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/singleflight"
)

// A footprint changes when something inside changes, and only then.
func TestFootprint(t *testing.T) {
	type node struct {
		n    int
		next *node
		any  any
	}
	ring := &node{n: 1}
	ring.next = &node{n: 2, next: ring}
	m := map[string][]int{"a": {1}, "b": nil, "c": {2, 3}}
	array, text, number := [2]string{"x", "y"}, "t", 1.5
	var counter atomic.Int64
	var held atomic.Value
	var seen sync.Map
	var mutex sync.Mutex
	boxed := any(node{n: 1})
	var group singleflight.Group
	for i, test := range []struct {
		address any
		change  func()
		same    bool
	}{
		{&ring, func() { ring.next.n++ }, false},
		{&ring, func() { ring.next.any = "x" }, false},
		{&ring, func() { ring.next.n = 3 }, true},
		{&m, func() { m["c"][1]++ }, false},
		{&m, func() { m["d"] = nil }, false},
		{&m, func() { delete(m, "d"); m["d"] = nil }, true},
		{&array, func() { array[1] = "z" }, false},
		{&text, func() { text = "u" }, false},
		{&number, func() { number = -number }, false},
		{&counter, func() { counter.Add(1) }, false},
		{&held, func() { held.Store(1) }, false},
		{&seen, func() { seen.Store("k", 1) }, false},
		{&seen, func() { seen.Load("other") }, true},
		{&mutex, func() { mutex.Lock() }, true},
		{&boxed, func() { boxed = node{n: 2} }, false},
		{&group, func() { group.Do("k", func() (any, error) { return 1, nil }) }, true},
	} {
		seed := maphash.MakeSeed()
		was, ok := footprintOf(seed, test.address, "example.com/app")
		if !ok {
			t.Errorf("%d: too large", i)
		}
		test.change()
		if is, _ := footprintOf(seed, test.address, "example.com/app"); (was == is) != test.same {
			t.Errorf("%d: changed %t, want %t", i, was != is, !test.same)
		}
	}
	large := make(map[string]int)
	for i := range maxFootprint {
		large[fmt.Sprint(i)] = i
	}
	if _, ok := footprintOf(maphash.MakeSeed(), &large, "p"); ok {
		t.Error("a map larger than what is compared is compared")
	}
}
