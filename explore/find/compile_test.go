package find

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/txmc/txmc/explore/find/structure"

	"github.com/txmc/txmc/explore/find/source"
)

// The compiler's complaints are those of the functions in which they are.
func TestBlamed(t *testing.T) {
	text := "package p\n\nimport \"x\"\n\nfunc ExploreA(p *P) {\n\tf()\n}\n\nfunc ExploreB2(p *P) {\n\tg()\n\th()\n}\n"
	said := "# example.com/p/find\np/find.go:6:2: undefined: f\np/find-12.go:11:2: too many arguments\nother.go:3:1: wrong\np/find.go:3:8: no x\n"
	if diff := cmp.Diff(map[string]string{"ExploreA": "undefined: f", "ExploreB2": "too many arguments"}, blamed(said, text)); diff != "" {
		t.Error(diff)
	}
}

// Of many structures those of two calls that read and write come first, and structures of the same calls are in one batch.
func TestBatches(t *testing.T) {
	call := func(name string, statements int) *structure.Step {
		tx := &source.Transaction{Call: &source.Call{Name: name}}
		tx.Call.Transactions = []*source.Transaction{tx}
		for range statements {
			tx.Statements = append(tx.Statements, &source.Statement{Transaction: tx})
		}
		return &structure.Step{Statement: tx.Statements[0], Of: &structure.Transaction{Transaction: tx}}
	}
	single, other := call("Get", 1), call("Put", 1)
	buy := call("Buy", 2)
	then := *buy
	var all []*structure.Structure
	for range few {
		all = append(all, &structure.Structure{Nodes: []structure.Node{{In: single, Out: single}, {In: other, Out: other}, {In: buy, Out: buy}}})
	}
	worth := &structure.Structure{Nodes: []structure.Node{{In: buy, Out: &then}, {In: buy, Out: &then}}}
	if got := batches(all[:few]); len(got) != 1 {
		t.Errorf("%d batches of few structures", len(got))
	}
	got := batches(append(all, worth))
	if got[0][0] != worth || len(got) != 1 || len(got[0]) != few+1 {
		t.Errorf("%d batches, the first with %d structures", len(got), len(got[0]))
	}
	inner := call("save", 2)
	inner.Of.Call.Inner = true
	made := *inner
	if s := (&structure.Structure{Nodes: []structure.Node{{In: inner, Out: &made}, {In: inner, Out: &made}}}); doubt(s) <= doubt(worth) {
		t.Error("calls that others make come before those that make them")
	}
}
