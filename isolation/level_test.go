package isolation_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/semantics"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for l := isolation.True; l <= isolation.SER; l++ {
		for _, name := range []string{l.String(), strings.ToUpper(l.String())} {
			if got, err := isolation.Parse(name); err != nil || got != l {
				t.Errorf("Parse(%q) = %v, %v", name, got, err)
			}
		}
		if l.Title() == "" {
			t.Errorf("%v has no title", l)
		}
	}
	for _, name := range []string{"", "snapshot", "rc ", "rc,cc"} {
		if l, err := isolation.Parse(name); err == nil {
			t.Errorf("Parse(%q) = %v", name, l)
		}
	}
}

func TestParseList(t *testing.T) {
	t.Parallel()
	for list, want := range map[string][]isolation.Level{
		"si":            {isolation.SI},
		"ser,rc, SER":   {isolation.SER, isolation.RC},
		"all":           isolation.Levels(),
		"si,all":        {isolation.SI, isolation.RC, isolation.RA, isolation.CC, isolation.PC, isolation.SER},
		"pc , cc,ra,rc": {isolation.PC, isolation.CC, isolation.RA, isolation.RC},
	} {
		if got, err := isolation.ParseList(list); err != nil || !slices.Equal(got, want) {
			t.Errorf("ParseList(%q) = %v, %v; want %v", list, got, err, want)
		}
	}
	for _, list := range []string{"", "true", "rc,", "rc;cc", "cc,true"} {
		if got, err := isolation.ParseList(list); err == nil {
			t.Errorf("ParseList(%q) = %v", list, got)
		}
	}
}

// One anomaly for each step of the chain of levels: the strongest level that
// allows it. The axioms themselves are compared with their definition in the tests
// of the package dpor.
func TestAnomalies(t *testing.T) {
	t.Parallel()
	const x, y = 0, 1
	for name, c := range map[string]struct {
		history   *semantics.History
		strongest isolation.Level
	}{
		"decreasing reads": {history(
			session(w(x)), session(r(x, 1), w(x), w(y)), session(r(y, 2), r(x, 1))), isolation.True},
		"fractured read": {history(session(w(x), w(y)), session(r(x, 0), r(y, 1))), isolation.RC},
		"causality": {history(
			session(w(x)), session(r(x, 1), w(y)), session(r(y, 2), r(x, 0))), isolation.RA},
		"long fork": {history(
			session(w(x)), session(w(y)), session(r(x, 1), r(y, 0)), session(r(y, 2), r(x, 0))), isolation.CC},
		"lost update": {history(session(r(x, 0), w(x)), session(r(x, 0), w(x))), isolation.PC},
		"write skew":  {history(session(r(x, 0), w(y)), session(r(y, 0), w(x))), isolation.SI},
		"serial":      {history(session(r(x, 0), w(x)), session(r(x, 1), w(x))), isolation.SER},
	} {
		for l := isolation.True; l <= isolation.SER; l++ {
			if got, want := isolation.Satisfies(c.history, l), l <= c.strongest; got != want {
				t.Errorf("%s at %v: %v, want %v", name, l, got, want)
			}
		}
	}
}

// history has one session of one transaction for each list of events.
func history(txns ...[]semantics.Event) *semantics.History {
	h := &semantics.History{Sessions: len(txns), Final: -1}
	h.Txns = append(h.Txns, semantics.Txn{Session: -1, Status: semantics.Committed})
	for s, events := range txns {
		h.Txns = append(h.Txns, semantics.Txn{Session: s, Status: semantics.Committed, Events: events})
	}
	return h
}

func session(events ...semantics.Event) []semantics.Event { return events }

// r reads x from a transaction; 0 is the initial one.
func r(x program.VarID, from int) semantics.Event {
	return semantics.Event{Kind: semantics.Read, Var: x, From: from}
}

func w(x program.VarID) semantics.Event {
	return semantics.Event{Kind: semantics.Write, Var: x}
}
