// Package helper is imported by client programs. Nothing explores it by itself.
package helper

import (
	"maps"
	"slices"
	"time"

	"github.com/txmc/txmc"
)

var calls int

// Stamp reads the clock, further down.
func Stamp(tx *txmc.Tx) { stamp(tx) }

func stamp(tx *txmc.Tx) { tx.Write("at", now()) }

func now() string { return time.Now().String() }

// Count keeps a count.
func Count() { calls++ }

// Keys lists the keys of a map in its order.
func Keys(m map[string]int) []string {
	var list []string
	for k := range m {
		list = append(list, k)
	}
	return list
}

// Sorted lists them in order.
func Sorted(m map[string]int) []string { return slices.Sorted(maps.Keys(m)) }

// Add changes what it is given.
func Add(m map[string]int, k string) { m[k]++ }

// Run runs a transaction.
func Run(s *txmc.Session) error {
	return s.Txn("run", func(tx *txmc.Tx) error {
		if tx.Read("x") != nil {
			return errRun
		}
		return nil
	})
}

var errRun = errorString("run")

type errorString string

func (e errorString) Error() string { return string(e) }

// Clock is used through its methods.
type Clock struct{ Offset time.Duration }

// Now reads the clock.
func (c *Clock) Now() time.Time { return time.Now().Add(c.Offset) }

// Logged is silent about the clock.
func Logged() time.Time {
	return time.Now() //txmc:ignore clock it only goes to the log
}

// Pure computes.
func Pure(n int) int { return 2 * n }
