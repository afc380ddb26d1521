package report

import (
	"slices"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report/explain"
	"github.com/txmc/txmc/semantics"
)

// dependencies lists the ww and rw edges that session order and write-read
// imply by themselves, to the next writer of the variable only. With the edges
// of a proof they are what a diagram shows. They are sorted by variable.
func (x explainer) dependencies() []Dependency {
	before := x.causes()
	writers := x.visible()
	var list []Dependency
	for v, all := range writers {
		for _, from := range all {
			for _, to := range next(before, all, from) {
				list = append(list, Dependency{Kind: explain.WW.String(), From: x.id(x.h, from), To: x.id(x.h, to), Key: x.namer().Key(v)})
			}
		}
	}
	sortByKey(list, func(d Dependency) string { return d.Key })
	for reader := 1; reader < len(x.h.Txns); reader++ {
		list = append(list, x.overwritten(before, writers, reader)...)
	}
	return list
}

// overwritten lists the rw edges from one reader.
func (x explainer) overwritten(before [][]bool, writers map[program.VarID][]int, reader int) []Dependency {
	var list []Dependency
	seen := map[program.VarID]bool{}
	for i, e := range x.h.Txns[reader].Events {
		if e.Kind != semantics.Read || e.From == semantics.Own || seen[e.Var] {
			continue
		}
		seen[e.Var] = true
		for _, to := range next(before, writers[e.Var], e.From) {
			if to == reader {
				continue
			}
			list = append(list, Dependency{
				Kind: explain.RW.String(), From: x.id(x.h, reader), To: x.id(x.h, to), Key: x.namer().Key(e.Var),
				Reader: x.id(x.h, reader), Event: i + 1,
				Reason: &Reason{Rule: explain.Overwritten.String(), Source: x.id(x.h, e.From)},
			})
		}
	}
	return list
}

// next returns those of writers that come after from with no other of them in
// between.
func next(before [][]bool, writers []int, from int) []int {
	var list []int
	for _, w := range writers {
		between := func(v int) bool { return before[from][v] && before[v][w] }
		if before[from][w] && !slices.ContainsFunc(writers, between) {
			list = append(list, w)
		}
	}
	return list
}
