// Package clock tells the time.
package clock

import (
	"context"
	"fmt"
	"time"

	"github.com/txmc/txmc"
)

const day = 24 * time.Hour

var start = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

var loaded = time.Now() // when the package is initialised: once

func ExploreClock(p *txmc.Program) {
	x := txmc.NewVar(p, "x", time.Now().String()) // want `time.Now reads the clock: .* a constant, or a txmc.Var that holds the time \(clock\)`
	p.Session("s", func(s *txmc.Session) {
		begun := time.Now() // want `time.Now reads the clock`
		s.Txn("t", func(tx *txmc.Tx) error {
			x.Set(tx, fmt.Sprint(time.Since(begun))) // want `time.Since reads the clock`
			stamp(tx)
			return nil
		})
		time.Sleep(time.Millisecond)                                          // want `time.Sleep waits for time to pass: .*leave it out`
		ctx, cancel := context.WithTimeout(context.Background(), time.Second) // want `context.WithTimeout waits`
		defer cancel()
		_ = ctx
		time.AfterFunc(day, func() {}) // want `time.AfterFunc starts a goroutine: .*\(concurrency\)`
		s.Observe("t", call(time.Now)) // want `time.Now reads the clock`
	})
	p.Invariant("i", func(*txmc.Outcome) error {
		return txmc.Assert(time.Until(start) < day) // want `time.Until reads the clock`
	})
}

func call(now func() time.Time) string { return now().String() }

func stamp(tx *txmc.Tx) {
	tx.Write("at", time.Now()) // want `time.Now reads the clock`
}

// Durations, dates and arithmetic are no clock.
func ExploreDates(p *txmc.Program) {
	due := txmc.NewVar(p, "due", start)
	p.Session("s", func(s *txmc.Session) {
		s.Txn("t", func(tx *txmc.Tx) error {
			later := due.Get(tx).Add(3 * day)
			if later.After(start) && later.Sub(start) > time.Duration(2)*time.Hour {
				due.Set(tx, later)
			}
			d, err := time.ParseDuration("3h")
			if err != nil {
				return err
			}
			tx.Write("hours", d.Hours())
			tx.Write("loaded", loaded.IsZero())
			return nil
		})
	})
}

func unexplored() time.Time { return time.Now() }
