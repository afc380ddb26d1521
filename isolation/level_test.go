package isolation_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for l := isolation.True; l <= isolation.PgSer; l++ {
		for _, name := range []string{l.String(), strings.ToUpper(l.String())} {
			if got, err := isolation.Parse(name); err != nil || got != l {
				t.Errorf("Parse(%q) = %v, %v", name, got, err)
			}
		}
		if l.Title() == "" {
			t.Errorf("%v has no title", l)
		}
	}
	for _, name := range []string{"", "any", "rc ", "rc,cc", "serial"} {
		var unknown *isolation.UnknownLevelError
		if l, err := isolation.Parse(name); !errors.As(err, &unknown) || unknown.Name != name {
			t.Errorf("Parse(%q) = %v, %v", name, l, err)
		}
	}
}

// Levels are called what people call them. What databases mean differently is
// asked back.
func TestParseSpoken(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]isolation.Level{
		"snapshot": isolation.SI, "Snapshot Isolation": isolation.SI, "SERIALIZABLE": isolation.SER, "serializability": isolation.SER,
		"read committed": isolation.RC, "read-committed": isolation.RC, "READ_COMMITTED": isolation.RC, "read atomic": isolation.RA,
		"causal": isolation.CC, "causal consistency": isolation.CC, "prefix": isolation.PC, "prefix consistency": isolation.PC,
	} {
		if got, err := isolation.Parse(name); err != nil || got != want {
			t.Errorf("Parse(%q) = %v, %v", name, got, err)
		}
	}
	for _, name := range []string{"repeatable read", "REPEATABLE-READ", "rr"} {
		var ambiguous *isolation.AmbiguousLevelError
		if l, err := isolation.Parse(name); !errors.As(err, &ambiguous) || !strings.Contains(err.Error(), "which database") {
			t.Errorf("Parse(%q) = %v, %v", name, l, err)
		}
		if _, err := isolation.ParseListAt(isolation.NoDatabase, "rc,"+name); !errors.As(err, &ambiguous) || !strings.Contains(err.Error(), "innodb-rr") {
			t.Errorf("ParseListAt: %v", err)
		}
		if _, err := isolation.ParseList("rc," + name); !errors.As(err, &ambiguous) || strings.Contains(err.Error(), "-rr") { // which is none of the levels there
			t.Errorf("ParseList: %v", err)
		}
	}
}

// A level is text in JSON, as a value and as a key.
func TestMarshal(t *testing.T) {
	t.Parallel()
	for _, l := range append(isolation.Levels(), isolation.True) {
		in := map[isolation.Level][]isolation.Level{l: {l}}
		data, err := json.Marshal(in)
		if want := fmt.Sprintf(`{"%v":["%v"]}`, l, l); err != nil || string(data) != want {
			t.Fatalf("%s, %v; want %s", data, err, want)
		}
		var out map[isolation.Level][]isolation.Level
		if err := json.Unmarshal(data, &out); err != nil || !slices.Equal(out[l], in[l]) {
			t.Errorf("%s: %v, %v", data, out, err)
		}
	}
	var l isolation.Level
	if err := json.Unmarshal([]byte(`"si2"`), &l); err == nil {
		t.Errorf("si2 is %v", l)
	}
}

// Sorted levels come after those that they imply.
func TestWeakestFirst(t *testing.T) {
	list := []isolation.Level{isolation.PgSer, isolation.SER, isolation.RC, isolation.SI, isolation.PgRC, isolation.CC, isolation.True}
	isolation.WeakestFirst(list)
	for i, l := range list {
		for _, m := range list[i+1:] {
			if l.Implies(m) {
				t.Errorf("%v comes before %v, which it implies: %v", l, m, list)
			}
		}
	}
}

// Implies is a partial order with one strongest causally extensible level below
// each level: its base.
func TestImplies(t *testing.T) {
	t.Parallel()
	all := append([]isolation.Level{isolation.True}, isolation.Levels()...)
	for i, l := range all {
		for j, m := range all {
			if got := l.Implies(m); got != (j <= i) { // the six are a chain
				t.Errorf("%v implies %v: %v", l, m, got)
			}
			if m.CausallyExtensible() && l.Implies(m) && !l.Base().Implies(m) {
				t.Errorf("the base of %v is %v, and not %v", l, l.Base(), m)
			}
		}
		if !l.Implies(l.Base()) || !l.Base().CausallyExtensible() || l.CausallyExtensible() != (i <= 3) {
			t.Errorf("%v has the base %v", l, l.Base())
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
func r(x behaviour.VarID, from int) semantics.Event {
	return semantics.Event{Kind: semantics.Read, Var: x, From: from}
}

func w(x behaviour.VarID) semantics.Event {
	return semantics.Event{Kind: semantics.Write, Var: x}
}

// Levels of databases are told by the database's words, and are not taken where
// axiomatic levels are asked for.
func TestParseAt(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]isolation.Level{
		"read committed": isolation.PgRC, "REPEATABLE READ": isolation.PgRR, "rr": isolation.PgRR, "serializable": isolation.PgSer,
		"pg-ser": isolation.PgSer, "PostgreSQL read committed": isolation.PgRC, "si": isolation.SI,
	} {
		if got, err := isolation.ParseAt(isolation.PostgreSQL, name); err != nil || got != want {
			t.Errorf("%q is %v, %v; want %v", name, got, err, want)
		}
	}
	list, err := isolation.ParseListAt(isolation.PostgreSQL, "all")
	if err != nil || !slices.Equal(list, []isolation.Level{isolation.PgRC, isolation.PgRR, isolation.PgSer}) {
		t.Errorf("all levels of PostgreSQL are %v, %v", list, err)
	}
	if list, err := isolation.ParseListAt(isolation.NoDatabase, "si,pg-rc"); err != nil || !slices.Equal(list, []isolation.Level{isolation.SI, isolation.PgRC}) {
		t.Errorf("got %v, %v", list, err)
	}
	var of *isolation.DatabaseLevelError
	if _, err := isolation.ParseList("si,pg-rc"); !errors.As(err, &of) {
		t.Errorf("ParseList takes a database's level: %v", err)
	}
}
