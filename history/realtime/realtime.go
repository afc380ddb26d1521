// Package realtime has the order of transactions in real time: one that returned before another
// was called comes before it. That is an interval order (Fishburn, "Intransitive indifference with
// unequal indifference intervals", Journal of Mathematical Psychology 1970).
package realtime

import (
	"math"
	"slices"
)

// Intervals are when transactions were called and when they returned, by transaction; Never for
// one that did not return. The initial transaction may have Always and Always.
type Intervals struct {
	Called, Returned []int64
}

// Times that no transaction of a history has.
const (
	Always = math.MinInt64
	Never  = math.MaxInt64
)

// Before reports whether t returned before u was called.
func (x *Intervals) Before(t, u int32) bool { return x.Returned[t] < x.Called[u] }

// Reduced calls each for the pairs from which the others follow: t before u with none between.
// There are at most as many for each u as transactions at a time.
func (x *Intervals) Reduced(each func(t, u int32)) {
	n := int32(len(x.Called))
	byCall, byReturn := make([]int32, n), make([]int32, n)
	for t := range n {
		byCall[t], byReturn[t] = t, t
	}
	slices.SortFunc(byCall, func(a, b int32) int { return compare(x.Called[a], x.Called[b]) })
	slices.SortFunc(byReturn, func(a, b int32) int { return compare(x.Returned[a], x.Returned[b]) })
	latest := int64(Always) // when the last one was called of those that have returned
	first, end := 0, 0      // in byReturn: those that returned from latest on, and before u was called
	for _, u := range byCall {
		for ; end < len(byReturn) && x.Returned[byReturn[end]] < x.Called[u]; end++ {
			latest = max(latest, x.Called[byReturn[end]])
		}
		for ; first < end && x.Returned[byReturn[first]] < latest; first++ {
		}
		for _, t := range byReturn[first:end] {
			each(t, u)
		}
	}
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
