// Package concurrency starts goroutines and waits.
package concurrency

import (
	"sync"

	"github.com/txmc/txmc"
)

func ExploreGoroutines(p *txmc.Program) {
	p.Session("s", func(s *txmc.Session) {
		go func() {}() // want `this starts a goroutine: operations of a Session or a Tx on it are an error, .*\(concurrency\)`
		var wg sync.WaitGroup
		wg.Go(func() {}) // want `sync.WaitGroup.Go starts a goroutine`
		wg.Wait()
	})
}

func ExploreChannels(p *txmc.Program) {
	c := make(chan int, 1) // want `this makes a channel: .* \(concurrency\)`
	p.Session("a", func(s *txmc.Session) {
		c <- 1   // want `this sends on a channel`
		close(c) // want `this closes a channel`
	})
	p.Session("b", func(s *txmc.Session) {
		<-c                // want `this receives from a channel`
		for n := range c { // want `this receives from a channel`
			s.Observe("n", n)
		}
		select { // want `this is a select: which case is taken`
		case <-c:
		case c <- 2:
		}
	})
}

// What is done with channels in one line is said once.
func ExploreLine(p *txmc.Program) {
	p.Session("s", func(s *txmc.Session) {
		ask := func() int { c := make(chan int, 1); c <- 1; return <-c } // want `this makes a channel`
		s.Observe("n", ask())
	})
}

// A lock that nobody else holds, and what is done once, for all runs.
func ExploreQuiet(p *txmc.Program) {
	var mu sync.Mutex
	p.Session("s", func(s *txmc.Session) {
		mu.Lock()
		defer mu.Unlock()
		s.Txn("t", func(tx *txmc.Tx) error { tx.Read("x"); return nil })
	})
}

func unexplored() { go func() {}() }
