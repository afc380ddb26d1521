// Package maporder lets the order of maps decide operations.
package maporder

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/txmc/txmc"
)

type stock map[string]int

func ExploreDirect(p *txmc.Program) {
	stocks := stock{"tea": 1, "cup": 2}
	p.Setup(func(tx *txmc.Tx) error {
		for k, n := range stocks { // want `this loop over a map performs operations \(bad.go:19\): .* \(maporder\)`
			tx.Write(k, n)
		}
		return nil
	})
	p.Session("s", func(s *txmc.Session) {
		for k := range stocks { // want `performs operations \(bad.go:`
			s.Txn("one", func(tx *txmc.Tx) error { tx.Read(k); return nil })
		}
		for k := range stocks { // want `performs operations \(bad.go:`
			s.Observe("saw", k)
		}
	})
	for k := range stocks { // want `performs operations \(bad.go:`
		p.Session(k, func(*txmc.Session) {})
	}
}

// In a function that is called.
func write(tx *txmc.Tx, k string) { tx.Write(k, 0) }

func ExploreCalled(p *txmc.Program) {
	p.Session("s", func(s *txmc.Session) {
		s.Txn("t", func(tx *txmc.Tx) error {
			all := map[string]bool{"a": true, "b": true}
			for k := range all { // want `performs operations \(bad.go:`
				write(tx, k)
			}
			each(all, func(k string) { tx.Write(k, 1) })
			return nil
		})
	})
}

func each(m map[string]bool, do func(string)) {
	for k := range m { // want `performs operations \(bad.go:`
		do(k)
	}
}

func ExploreCollected(p *txmc.Program) {
	all := map[string]int{"a": 1, "b": 2}
	p.Session("s", func(s *txmc.Session) {
		s.Txn("keys", func(tx *txmc.Tx) error {
			var keys []string
			for k := range all { // want `the order of this map decides the operation at bad.go:`
				keys = append(keys, k)
			}
			for _, k := range keys {
				tx.Read(k)
			}
			return nil
		})
		s.Txn("first", func(tx *txmc.Tx) error {
			first := ""
			for k := range all { // want `the order of this map decides the operation at bad.go:`
				first = k
				break
			}
			tx.Read(first)
			return nil
		})
		s.Txn("last", func(tx *txmc.Tx) error {
			last := ""
			for k := range all { // want `decides the operation at bad.go:`
				last = k
			}
			tx.Read(last)
			return nil
		})
		s.Txn("which", func(tx *txmc.Tx) error {
			best, who := 0, ""
			for k, n := range all { // want `decides the operation at bad.go:`
				if n > best {
					best, who = n, k
				}
			}
			tx.Read(who)
			return nil
		})
		s.Txn("text", func(tx *txmc.Tx) error {
			var b strings.Builder
			for k := range all { // want `decides the operation at bad.go:`
				b.WriteString(k)
			}
			tx.Write("list", b.String())
			return nil
		})
		s.Txn("format", func(tx *txmc.Tx) error {
			line := ""
			for k, n := range all { // want `decides the operation at bad.go:`
				line += fmt.Sprint(k, n)
			}
			tx.Write("line", line)
			return nil
		})
		s.Txn("sum", func(tx *txmc.Tx) error {
			sum := 0.0
			for _, n := range all { // want `decides the operation at bad.go:`
				sum += float64(n) / 3
			}
			tx.Write("sum", sum)
			return nil
		})
		s.Txn("until", func(tx *txmc.Tx) error {
			sum := 0
			for _, n := range all { // want `decides the operation at bad.go:`
				if sum += n; sum > 1 {
					break
				}
			}
			if sum == 1 {
				tx.Write("sum", 0)
			}
			return nil
		})
		s.Txn("numbered", func(tx *txmc.Tx) error {
			place, n := map[string]int{}, 0
			for k := range all { // want `decides the operation at bad.go:`
				place[k] = n
				n++
			}
			tx.Write("place", place["a"])
			return nil
		})
		s.Txn("iterator", func(tx *txmc.Tx) error {
			for k := range maps.Keys(all) { // want `decides the operation at bad.go:`
				tx.Read(k)
			}
			for _, k := range slices.Collect(maps.Keys(all)) { // want `decides the operation at bad.go:`
				tx.Read(k)
			}
			var values []int
			for _, n := range maps.All(all) { // want `decides the operation at bad.go:`
				values = append(values, n)
			}
			tx.Write("values", values)
			return nil
		})
		s.Txn("returned", func(tx *txmc.Tx) error {
			tx.Read(pick(all))             // want `the order of the map at bad.go:\d+ decides the operation at bad.go:`
			for _, k := range names(all) { // want `the order of the map at bad.go:\d+ decides the operation at bad.go:`
				tx.Read(k)
			}
			names := func() (list []string) {
				for k := range all {
					list = append(list, k)
				}
				return list
			}
			tx.Write("names", names()) // want `the order of the map at bad.go:163 decides the operation at bad.go:168`
			return nil
		})
	})
}

func ExploreSwitch(p *txmc.Program) {
	all := map[string]int{"a": 1, "b": 2}
	p.Session("s", func(s *txmc.Session) {
		_ = s.Txn("t", func(tx *txmc.Tx) error {
			for k, v := range all { // want `performs operations`
				switch k {
				case "a":
					tx.Write("a", v)
				case "b":
					tx.Write("b", v)
				}
			}
			return nil
		})
	})
}

// Nobody knows what it does with the Tx, but that is what it gets it for.
func ExploreUnknown(p *txmc.Program) {
	work := struct{ do func(*txmc.Tx, string) }{write}
	p.Session("s", func(s *txmc.Session) {
		_ = s.Txn("t", func(tx *txmc.Tx) error {
			for k := range map[string]int{"a": 1, "b": 2} { // want `performs operations`
				work.do(tx, k)
			}
			return nil
		})
	})
}

func pick(m map[string]int) string {
	for k := range m {
		return k
	}
	return ""
}

func names(m map[string]int) []string {
	var list []string
	for k := range m {
		list = append(list, k)
	}
	return list
}
