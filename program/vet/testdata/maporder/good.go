package maporder

import (
	"fmt"
	"log"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/txmc/txmc"
)

func sortedKeys(m map[string]int) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

func ExploreSorted(p *txmc.Program) {
	all := map[string]int{"a": 1, "b": 2}
	p.Session("s", func(s *txmc.Session) {
		s.Txn("sorted", func(tx *txmc.Tx) error {
			for _, k := range slices.Sorted(maps.Keys(all)) {
				tx.Read(k)
			}
			for _, k := range sortedKeys(all) {
				tx.Write(k, all[k])
			}
			keys := slices.Collect(maps.Keys(all))
			slices.Sort(keys)
			tx.Write("keys", keys)
			var names []string
			for k := range all {
				names = append(names, k)
			}
			sort.Slice(names, func(i, j int) bool { return names[i] < names[j] })
			for _, n := range names {
				tx.Read(n)
			}
			mine := slices.Collect(maps.Keys(all))
			arrange(mine)
			tx.Write("mine", mine)
			return nil
		})
	})
}

func length(list []string) (n int) {
	for _, s := range list {
		n += len(s)
	}
	return n
}

func arrange(list []string) { slices.Sort(list) }

type totals struct{ n, sum int }

func ExploreCommutes(p *txmc.Program) {
	all := map[string]int{"a": 1, "b": 2}
	limit := txmc.NewVar(p, "limit", 10)
	p.Session("s", func(s *txmc.Session) {
		s.Txn("sum", func(tx *txmc.Tx) error {
			sum, n, mask := 0, 0, 0
			for _, v := range all {
				sum += v
				n++
				mask |= v
			}
			tx.Write("sum", sum)
			tx.Write("n", n+mask)
			return nil
		})
		s.Txn("some", func(tx *txmc.Tx) error {
			found, some, many := false, 0, 0
			for k, v := range all {
				if strings.HasPrefix(k, "a") {
					found = true
					continue
				}
				if v > 2 {
					some += v
				} else {
					many++
				}
			}
			if found {
				tx.Write("found", some*many)
			}
			return nil
		})
		s.Txn("extremes", func(tx *txmc.Tx) error {
			best, first, top := 0, "", 0
			for k, v := range all {
				if v > best {
					best = v
				}
				if first == "" || k < first {
					first = k
				}
				top = max(top, v)
			}
			tx.Write(first, best+top)
			return nil
		})
		s.Txn("maps", func(tx *txmc.Tx) error {
			double := map[string]int{}
			var t totals
			seen := make([]bool, 10)
			for k, v := range all {
				double[k] = 2 * v
				t.n++
				t.sum += v
				seen[v] = true
			}
			tx.Write("double", double)
			tx.Write("totals", t)
			tx.Write("seen", seen)
			return nil
		})
		_ = s.Txn("all of them", func(tx *txmc.Tx) error {
			for _, v := range all {
				if v < 0 {
					return fmt.Errorf("%d is negative", v)
				}
			}
			if contains(all, 2) {
				tx.Write("two", true)
			}
			if v, ok := find(all, "b"); ok {
				tx.Write("b", v)
			}
			return nil
		})
		s.Txn("one of them", func(tx *txmc.Tx) error {
			for k := range all {
				if k == "a" {
					tx.Read(k)
				}
			}
			for k, v := range all {
				if k != "b" {
					continue
				}
				tx.Write(k, v)
				tx.Read("c")
			}
			keys := slices.Collect(maps.Keys(all))
			tx.Write("count", len(keys))
			tx.Write("length", length(keys))
			if slices.Contains(keys, "a") {
				tx.Write("a", limit.Get(tx))
			}
			return nil
		})
		s.Txn("captured", func(tx *txmc.Tx) error {
			sum := 0
			maps.All(all)(func(_ string, v int) bool { sum += v; return true })
			for _, v := range maps.All(all) {
				sum += v
			}
			tx.Write("sum", sum)
			return nil
		})
		s.Txn("printed", func(tx *txmc.Tx) error {
			for k, v := range all {
				log.Println(k, v)
			}
			tx.Write("map", all)
			tx.Write("copy", maps.Clone(all))
			return nil
		})
	})
	p.Invariant("unique", func(o *txmc.Outcome) error {
		seen := map[any]string{}
		for _, s := range o.Sessions {
			for _, v := range s.Observed("saw") {
				seen[v] = s.Name
			}
		}
		for v, name := range seen {
			if name == "" {
				return txmc.Assertf(false, "%v of nobody", v)
			}
		}
		return nil
	})
}

func contains(m map[string]int, n int) bool {
	for _, v := range m {
		if v == n {
			return true
		}
	}
	return false
}

func find(m map[string]int, key string) (int, bool) {
	for k, v := range m {
		if k == key {
			return v, true
		}
	}
	return 0, false
}

// Ranges over slices, arrays, strings, numbers and functions have an order.
func ExploreOrdered(p *txmc.Program) {
	p.Session("s", func(s *txmc.Session) {
		for i, c := range "abc" {
			s.Txn("t", func(tx *txmc.Tx) error { tx.Write(string(c), i); return nil })
		}
		for i := range 3 {
			s.Observe("i", i)
		}
		for _, k := range []string{"x", "y"} {
			s.Observe("k", k)
		}
		for part := range strings.SplitSeq("a,b", ",") {
			s.Observe("part", part)
		}
	})
}

// Nothing explores this.
func unexplored(tx *txmc.Tx, m map[string]int) {
	for k := range m {
		tx.Read(k)
	}
}
