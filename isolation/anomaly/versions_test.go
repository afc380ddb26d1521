package anomaly

import (
	"fmt"
	"slices"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// written makes a history of transactions that each have a session of their own.
func written(txns ...[]semantics.Event) *semantics.History {
	h := &semantics.History{Sessions: len(txns), Final: -1, Txns: []semantics.Txn{{Session: -1, Status: semantics.Committed}}}
	for i, events := range txns {
		h.Txns = append(h.Txns, semantics.Txn{Session: i, Status: semantics.Committed, Events: events})
	}
	return h
}

func readOf(x behaviour.VarID, from int) semantics.Event {
	return semantics.Event{Kind: semantics.Read, Var: x, From: from}
}

func writeOf(x behaviour.VarID) semantics.Event {
	return semantics.Event{Kind: semantics.Write, Var: x, Val: 1}
}

// A level forbids a cycle by given versions when the cycle has no more rw edges than
// the level's bound. The bound is none at RC, and one at RA and CC. At PC and SI none
// may follow another. At SER all may be rw edges.
func TestVersionCycleBounds(t *testing.T) {
	const x, y = 0, 1
	for name, test := range map[string]struct {
		h        *semantics.History
		versions []Versions
		from     isolation.Level // the weakest level that forbids it
	}{
		// Each writes before the other: G0.
		"no rw": {
			written([]semantics.Event{writeOf(x), writeOf(y)}, []semantics.Event{writeOf(x), writeOf(y)}),
			[]Versions{{Var: x, Txns: []int{1, 2}}, {Var: y, Txns: []int{2, 1}}}, isolation.RC,
		},
		// 2 reads y from 1, and x as it was before 1: G-single.
		"one rw": {
			written([]semantics.Event{writeOf(x), writeOf(y)}, []semantics.Event{readOf(y, 1), readOf(x, 3)}, []semantics.Event{writeOf(x)}),
			[]Versions{{Var: x, Txns: []int{3, 1}}, {Var: y, Txns: []int{1}}}, isolation.RA,
		},
		// 3 sees the write of 1 and not that of 2, 4 that of 2 and not that of 1.
		"two rw, none after another": {
			written([]semantics.Event{writeOf(x)}, []semantics.Event{writeOf(y)}, []semantics.Event{readOf(x, 1), readOf(y, 0)}, []semantics.Event{readOf(y, 2), readOf(x, 0)}),
			[]Versions{{Var: x, Txns: []int{1}}, {Var: y, Txns: []int{2}}}, isolation.PC,
		},
		// Each reads what the other overwrites: write skew.
		"two rw, one after another": {
			written([]semantics.Event{readOf(x, 0), writeOf(y)}, []semantics.Event{readOf(y, 0), writeOf(x)}),
			[]Versions{{Var: x, Txns: []int{2}}, {Var: y, Txns: []int{1}}}, isolation.SER,
		},
	} {
		at := slices.Index(isolation.Levels(), test.from)
		for i, l := range isolation.Levels() {
			if cycle := versionCycle(test.h, l, test.versions); (cycle != nil) != (i >= at) {
				t.Errorf("%s at %v: %v", name, l, cycle)
			}
		}
	}
}

// Where the reads alone allow a level, the given versions forbid it and all stronger
// ones; where the reads forbid it too they explain it, unless versions are preferred.
func TestExplainVersions(t *testing.T) {
	const x, y = 0, 1
	h := written([]semantics.Event{writeOf(x), writeOf(y)}, []semantics.Event{writeOf(x), writeOf(y)})
	versions := []Versions{{Var: x, Txns: []int{1, 2}, Read: "It is read."}, {Var: y, Txns: []int{2, 1}}}
	e := ExplainVersions(h, isolation.CC, Given{Versions: versions})
	if fmt.Sprint(e.Allowed, e.Forbidden) != "[rc ra] [cc pc si ser]" || !e.Proof.Given || e.Anomaly.Class != "G0" {
		t.Errorf("allowed %v, forbidden %v, %+v, %+v", e.Allowed, e.Forbidden, e.Proof, e.Anomaly)
	}
	if fmt.Sprint(e.Proof.Reads) != "[It is read.]" {
		t.Errorf("reads %v", e.Proof.Reads)
	}
	skew := written([]semantics.Event{readOf(x, 0), writeOf(y)}, []semantics.Event{readOf(y, 0), writeOf(x)})
	g := Given{Versions: []Versions{{Var: x, Txns: []int{2}}, {Var: y, Txns: []int{1}}}}
	for _, g.Preferred = range []bool{false, true} {
		e := ExplainVersions(skew, isolation.SER, g)
		if e.Proof.Given != g.Preferred || fmt.Sprint(e.Forbidden) != "[ser]" || e.Anomaly.Name != "write skew" {
			t.Errorf("preferred %v: %+v, forbidden %v, %+v", g.Preferred, e.Proof, e.Forbidden, e.Anomaly)
		}
	}
}
