package find

import (
	"testing"

	"github.com/txmc/txmc/explore/find/source"
	"github.com/txmc/txmc/explore/find/structure"
)

// Two calls with thousands of structures do not hold up the others: the first batch has some of them, and others too.
func TestMostAreLater(t *testing.T) {
	step := func(c *source.Call) *structure.Step {
		tx := &source.Transaction{Call: c}
		return &structure.Step{Statement: &source.Statement{Transaction: tx}, Of: &structure.Transaction{Transaction: tx}}
	}
	large, small := &source.Call{Name: "Large"}, &source.Call{Name: "Small"}
	var all []*structure.Structure
	for i := range 5001 {
		c := large
		if i == 5000 {
			c = small
		}
		n := structure.Node{In: step(c), Out: step(c)}
		all = append(all, &structure.Structure{Nodes: []structure.Node{n, n}})
	}
	total, others := 0, 0
	list := batches(all)
	for _, b := range list {
		total += len(b)
	}
	for _, s := range list[1] {
		if s.Nodes[0].Call() == small {
			others++
		}
	}
	if total != len(all) || len(list[0]) != few || others != 1 {
		t.Errorf("%d structures, %d in the first batch, and %d of the other calls in the second", total, len(list[0]), others)
	}
}
