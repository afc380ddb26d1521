package check

import (
	"slices"

	"github.com/txmc/txmc/isolation"
)

// This file is the definition of the levels (PLDI 2023, section 2.2), slow and
// obvious: for every read e of x from t1, in t3, and every other transaction t2
// that writes x, φ(t2, e) implies (t2, t1) ∈ co.

// verify reports whether the commit order shows the level.
func verify(f *form, level isolation.Level, order []int32) bool {
	co := make([]int, f.n)
	for i := range co {
		co[i] = -1
	}
	for i, t := range order {
		co[t] = i
	}
	before := func(t2, t3 int32, i int) bool { // (t2, t3) ∈ so ∪ wr, or, for i ≥ 0, read before the i-th read
		rs := f.readsOf(t3)
		if i >= 0 {
			rs = rs[:i]
		}
		wr := slices.ContainsFunc(rs, func(r read) bool { return r.from == t2 })
		return wr || i < 0 && sessionBefore(f, t2, t3)
	}
	conflict := func(t3, t4 int32) bool {
		return slices.ContainsFunc(f.writesOf(t3), func(y int32) bool { return f.writesKey(t4, y) })
	}
	past := causalPast(f)
	phi := func(t2, t3 int32, i int) bool {
		switch level {
		case isolation.True:
			return false
		case isolation.RC:
			return before(t2, t3, i)
		case isolation.RA:
			return before(t2, t3, -1)
		case isolation.CC:
			return past[t3][t2]
		case isolation.SER:
			return co[t2] < co[t3]
		}
		for t4 := int32(0); int(t4) < f.n; t4++ {
			if co[t2] <= co[t4] && (before(t4, t3, -1) || level == isolation.SI && co[t4] < co[t3] && conflict(t3, t4)) {
				return true
			}
		}
		return false
	}
	for t3 := int32(0); int(t3) < f.n; t3++ {
		for i, r := range f.readsOf(t3) {
			for t2 := int32(0); int(t2) < f.n; t2++ {
				if t2 != r.from && t2 != t3 && f.writesKey(t2, r.key) && phi(t2, t3, i) && co[t2] > co[r.from] {
					return false
				}
			}
		}
		for t2 := int32(0); int(t2) < f.n; t2++ {
			if co[t3] < 0 || before(t2, t3, -1) && co[t2] >= co[t3] {
				return false
			}
		}
	}
	for _, e := range f.versionEdges() {
		if level > isolation.True && co[e.from] >= co[e.to] {
			return false
		}
	}
	for _, d := range f.extra {
		if level == isolation.SER && co[d.from] >= co[d.to] {
			return false
		}
	}
	return len(order) == f.n
}

func sessionBefore(f *form, a, b int32) bool {
	if a == 0 || b == 0 {
		return a == 0 && b != 0 && f.init
	}
	for u := f.prev[b]; u > 0; u = f.prev[u] {
		if u == a {
			return true
		}
	}
	return false
}

func causalPast(f *form) []map[int32]bool {
	past := make([]map[int32]bool, f.n)
	for i := range past {
		past[i] = make(map[int32]bool)
	}
	for again := true; again; {
		again = false
		add := func(t, u int32) {
			if !past[t][u] {
				past[t][u], again = true, true
			}
		}
		for t := range int32(f.n) {
			from := []int32{}
			for u := range int32(f.n) {
				if sessionBefore(f, u, t) {
					from = append(from, u)
				}
			}
			for _, r := range f.readsOf(t) {
				from = append(from, r.from)
			}
			for _, u := range from {
				add(t, u)
				for v := range past[u] {
					add(t, v)
				}
			}
		}
	}
	return past
}

// bruteForce tries all commit orders.
func bruteForce(f *form, level isolation.Level) bool {
	order := make([]int32, 0, f.n)
	placed := make([]bool, f.n)
	var extend func() bool
	extend = func() bool {
		if len(order) == f.n {
			return verify(f, level, order)
		}
	next:
		for t := int32(0); int(t) < f.n; t++ {
			if placed[t] {
				continue
			}
			for u := int32(0); int(u) < f.n; u++ {
				if !placed[u] && sessionBefore(f, u, t) {
					continue next
				}
			}
			for _, r := range f.readsOf(t) {
				if !placed[r.from] {
					continue next
				}
			}
			placed[t] = true
			order = append(order, t)
			if extend() {
				return true
			}
			placed[t] = false
			order = order[:len(order)-1]
		}
		return false
	}
	return extend()
}
