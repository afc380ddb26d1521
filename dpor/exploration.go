package dpor

import (
	"context"
	"iter"

	"github.com/txmc/txmc/program"
)

// Exploration is one exploration of a client program at one level.
type Exploration struct{}

// Explore prepares an exploration; ranging over [Exploration.Histories] runs it.
func Explore(ctx context.Context, prog *program.Client, opts Options) *Exploration {
	return &Exploration{}
}

// Histories runs the exploration and yields the violations, or with Options.List
// every history, as they are found. An error ends it. It can be ranged over once.
func (x *Exploration) Histories() iter.Seq2[*Found, error] { return func(func(*Found, error) bool) {} }

// Stats returns the counts so far; it may be called at any time, also from other
// goroutines while the exploration runs.
func (x *Exploration) Stats() Stats { return Stats{} }
