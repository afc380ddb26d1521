package work

import (
	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// Found is a complete history that the level allows.
type Found struct {
	History *semantics.History
	// Order lists the transactions as indexes in History.Txns, in an order that
	// extends session order and write-read.
	Order []int
	// Ends are the nodes at which the sessions ended, one for each session.
	Ends []*behaviour.Node
	// Failures are the assertions that the history breaks.
	Failures []*behaviour.Failure
	// Orbit is how many histories permutations of Options.Symmetric make of it, this one
	// counted.
	Orbit int64

	// Under a database's model there is no History and no Order. Schedule is the way
	// that was found to the outcome, and Values are the values that are left, by
	// variable.
	Schedule []model.Choice
	Values   []behaviour.ValueID
	Rows     []int32 // contents of an executor's tables that are left: see access.Database
}

// Trace is the history as data that another process understands, in f.Order. Each
// transaction is its session and, for its reads, the positions of the writers in the
// order.
func (f *Found) Trace() [][]int {
	position := make([]int, len(f.Order))
	for i, t := range f.Order {
		position[t] = i
	}
	var rows [][]int
	for _, t := range f.Order[1:] {
		row := []int{f.History.Txns[t].Session}
		for _, e := range f.History.Txns[t].Events {
			if e.Kind == semantics.Read && e.From != semantics.Own {
				row = append(row, position[e.From])
			}
		}
		rows = append(rows, row)
	}
	return rows
}
