// Package global writes package-level variables.
package global

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/txmc/txmc"
)

var (
	calls   int
	seen    = map[string]bool{}
	list    []string
	config  struct{ tries int }
	counter atomic.Int64
	number  int64
	log     strings.Builder
	store   = &cache{rows: map[string]int{}}
	grid    [3]int

	errFull = errors.New("full")
	names   = []string{"a", "b"}
	limits  = map[string]int{"a": 1}
	tries   = 3
	once    sync.Once
	parsed  map[string]int
)

type cache struct{ rows map[string]int }

func (c *cache) put(k string) { c.rows[k] = 1 }

var kept = cache{rows: map[string]int{}}

func ExploreMethodValue(p *txmc.Program) {
	p.Session("s", func(s *txmc.Session) {
		put := kept.put
		put("x") // want `this changes the package-level variable kept`
	})
}

func (c *cache) get(k string) int { return c.rows[k] }

func add(list *[]string, s string) { *list = append(*list, s) }

func ExploreGlobals(p *txmc.Program) {
	calls++ // want `this changes the package-level variable calls: it keeps its value from run to run, .*\(global\)`
	p.Session("s", func(s *txmc.Session) {
		calls = 2                   // want `variable calls`
		seen["x"] = true            // want `variable seen`
		delete(seen, "x")           // want `variable seen`
		list = append(list, "x")    // want `variable list`
		config.tries++              // want `variable config`
		counter.Add(1)              // want `variable counter`
		atomic.AddInt64(&number, 1) // want `variable number`
		log.WriteString("x")        // want `variable log`
		store.put("x")              // want `variable store`
		grid[1] = 2                 // want `variable grid`
		add(&list, "y")             // want `variable list`
		s.Txn("t", func(tx *txmc.Tx) error {
			p := &config
			p.tries = 2 // want `variable config`
			return nil
		})
	})
}

// Reading them is what they are for, and copies are copies.
func ExploreReads(p *txmc.Program) {
	once.Do(func() { parsed = map[string]int{"a": 1} })
	p.Session("s", func(s *txmc.Session) {
		local := limits["a"] + store.get("a") + parsed["a"] + int(counter.Load())
		mine := config
		mine.tries++
		copied := append([]string(nil), names...)
		copied[0] = "c"
		row := grid
		row[0] = 1
		for range tries {
			err := s.Txn("t", func(tx *txmc.Tx) error {
				if local > 3 {
					return errFull
				}
				tx.Write(copied[0], local)
				return nil
			})
			if errors.Is(err, errFull) {
				return
			}
		}
		cache := &cache{rows: map[string]int{}}
		cache.put("x")
	})
}

func unexplored() { calls++ }
