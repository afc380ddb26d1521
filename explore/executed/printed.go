package executed

import (
	"cmp"
	"slices"

	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/report"
)

// What a session prints stands below its operation before, or above its first one.

// output is what sessions have printed.
type output struct {
	printed []report.Printed
	after   []int // by session: the number of operations up to its last one, 0 before its first
	heard   []int // by session: how many nodes of its path
}

func newOutput(sessions int) output {
	return output{after: make([]int, sessions), heard: make([]int, sessions)}
}

// follows notes that a session's last operation is the last one of so many.
func (o *output) follows(session, operations int) { o.after[session] = operations }

// prints collects what a session has printed on its way to a node, when there are so many operations.
func (b *stepper) prints(n *behaviour.Node, operations int) {
	session := int(n.Session)
	path := n.Path()
	for ; b.heard[session] < len(path); b.heard[session]++ {
		for _, p := range path[b.heard[session]].Printed {
			at := b.after[session]
			if at == 0 {
				at = operations
			}
			b.printed = append(b.printed, report.Printed{Session: b.client.SessionName(session), Text: p.Text, Operations: at})
		}
	}
}

// sort puts it in the order of the operations: what the session of an operation prints after it, then
// what another prints before its first one.
func (b *stepper) sort() {
	later := func(p report.Printed) int {
		if p.Operations > 0 && b.steps[p.Operations-1].Session == p.Session {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(b.printed, func(p, q report.Printed) int {
		return cmp.Or(cmp.Compare(p.Operations, q.Operations), cmp.Compare(later(p), later(q)))
	})
}
