package dpor

import (
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/semantics"
)

// Trace is the history as data that another process understands, in f.Order: each
// transaction as its session and the positions in the order from which it reads.
func (f *Found) Trace() [][]int {
	place := make([]int, len(f.Order))
	for i, t := range f.Order {
		place[t] = i
	}
	var rows [][]int
	for _, t := range f.Order[1:] {
		row := []int{f.History.Txns[t].Session}
		for _, e := range f.History.Txns[t].Events {
			if e.Kind == semantics.Read && e.From != semantics.Own {
				row = append(row, place[e.From])
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// Retrace is the inverse of [Found.Trace], for the same program.
func Retrace(prog *program.Client, trace [][]int) (*Found, error) {
	e := &engine{prog: prog, base: isolation.True}
	s, err := e.restore(&Subtree{Kind: wholeCall, Txns: trace})
	if err != nil {
		return nil, err
	}
	for i := range s.h.Sessions() {
		if s.h.Node(i).Kind != program.End {
			return nil, errMisfit("a history that does not end")
		}
	}
	failures, err := e.judge(&s.h)
	if err != nil {
		return nil, err
	}
	return e.found(&s.h, failures), nil
}
