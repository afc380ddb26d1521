package anomaly_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/anomaly"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// An anomaly's name is the one that the definition gives: the events that it
// speaks of are there, and the levels allow and forbid what the name implies.
func TestNames(t *testing.T) {
	t.Parallel()
	randomly(t, countFlag.N(), func(t *testing.T, h *semantics.History) {
		x := anomaly.Explain(h)
		if x.Proof == nil {
			if x.Anomaly != (anomaly.Anomaly{}) {
				t.Errorf("%+v in a serializable history", x.Anomaly)
			}
			return
		}
		if x.Proof.BadRead != nil || len(x.Proof.Cycle) == 0 {
			return
		}
		d := definitions{h, x.Proof.Cycle, x.Proof.Level}
		if err := d.holds(x.Anomaly.Name); err != nil {
			t.Errorf("%s at %v: %v\n%+v", x.Anomaly.Name, d.level, err, d.cycle)
		}
		if err := d.class(x.Anomaly.Class); err != nil {
			t.Errorf("%s: %v\n%+v", x.Anomaly.Class, err, d.cycle)
		}
		if want := d.plain(); want != "" && want != x.Anomaly.Name {
			t.Errorf("%s, but there is a %s", x.Anomaly.Name, want)
		}
	})
}

// definitions looks for what the definitions of the anomalies ask for.
type definitions struct {
	h     *semantics.History
	cycle []anomaly.Edge
	level isolation.Level // the weakest that forbids
}

// exists reports whether some two transactions are as a definition says: T reads
// something that U overwrites.
func (d definitions) exists(is func(t, u int, old semantics.Event, at int) bool) bool {
	for t := 1; t < len(d.h.Txns); t++ {
		for i, e := range d.h.Txns[t].Events {
			for u := 1; u < len(d.h.Txns); u++ {
				external := e.Kind == semantics.Read && e.From != semantics.Own
				if external && u != t && u != e.From && writes(d.h, u, e.Var) && is(t, u, e, i) {
					return true
				}
			}
		}
	}
	return false
}

// readAt finds an external read of t from u: of x, if same, else of another
// variable; and before or after event at.
func (d definitions) readAt(t, u int, x behaviour.VarID, same bool, at int, before bool) bool {
	for i, e := range d.h.Txns[t].Events {
		if e.Kind == semantics.Read && e.From == u && (e.Var == x) == same && i != at && (i < at) == before {
			return true
		}
	}
	return false
}

func (d definitions) holds(name string) error {
	ok := true
	session := func(t int) int { return d.h.Txns[t].Session }
	switch name {
	case "non-monotonic read":
		ok = d.exists(func(t, u int, old semantics.Event, at int) bool {
			if d.level != isolation.CC {
				return d.readAt(t, u, old.Var, true, at, true)
			}
			for v := 1; v < t; v++ { // an earlier transaction of the session
				n := len(d.h.Txns[v].Events)
				if session(v) == session(t) && d.readAt(v, u, old.Var, true, n, true) {
					return true
				}
			}
			return false
		})
	case "non-repeatable read":
		ok = d.level <= isolation.RA && d.exists(func(t, u int, old semantics.Event, at int) bool {
			return d.readAt(t, u, old.Var, true, at, false)
		})
	case "fractured read":
		ok = d.level <= isolation.RA && d.exists(func(t, u int, old semantics.Event, at int) bool {
			return d.readAt(t, u, old.Var, false, at, false) || d.readAt(t, u, old.Var, false, at, true)
		})
	case "read-your-writes violation":
		ok = d.level == isolation.RA && d.exists(func(t, u int, old semantics.Event, at int) bool {
			return session(t) == session(u) && u < t
		})
	case "lost update":
		ok = d.level == isolation.SI && d.exists(func(t, u int, old semantics.Event, at int) bool {
			return writes(d.h, t, old.Var)
		})
	case "write conflict":
		// T has read from before U, and so from before the last in the cycle
		// that writes the same variable.
		last := d.cycle[len(d.cycle)-1]
		ok = d.level == isolation.SI && d.bothWrite(last.From, d.cycle[0].From) && d.count(anomaly.RW) == 1
	case "write skew":
		for i, e := range d.cycle {
			next := d.cycle[(i+1)%len(d.cycle)]
			ok = ok && e.Kind == anomaly.RW && next.From == e.To && writes(d.h, e.From, d.cycle[(i+len(d.cycle)-1)%len(d.cycle)].Var)
			ok = ok && (len(d.cycle) > 2 || e.Var != next.Var)
		}
		ok = ok && d.level == isolation.SER
	case "long fork":
		ok = d.level <= isolation.SI && d.count(anomaly.RW) >= 2 && d.count(anomaly.WW) == 0 && !d.adjacent()
	case "read skew":
		ok = d.level <= isolation.SI && d.level >= isolation.PC && d.count(anomaly.RW) == 1 && d.cycle[len(d.cycle)-1].Kind == anomaly.WR
	case "causality violation":
		ok = d.level == isolation.CC && d.count(anomaly.RW) == 1 && d.count(anomaly.WW) == 0
	case "read-only transaction anomaly":
		reader := d.cycle[0].From
		for x := range behaviour.VarID(3) {
			ok = ok && !writes(d.h, reader, x)
		}
		ok = ok && d.level == isolation.SER && d.count(anomaly.RW) == 2 && d.count(anomaly.WR) == 1
	case "write cycle":
		ok = d.level <= isolation.CC && d.count(anomaly.RW)+d.count(anomaly.WR) == 0
	case "circular information flow":
		ok = d.count(anomaly.RW) == 0
	case "stale read":
		e := d.cycle[0]
		ok = e.Kind == anomaly.RW && d.cycle[len(d.cycle)-1].Kind == anomaly.SO
	case "prefix violation", "snapshot violation", "serialization cycle":
		ok = strings.HasPrefix(name, map[isolation.Level]string{isolation.PC: "prefix", isolation.SI: "snapshot", isolation.SER: "serial"}[d.level])
	default:
		return fmt.Errorf("no definition")
	}
	if !ok {
		return fmt.Errorf("the definition does not hold")
	}
	return nil
}

func (d definitions) bothWrite(t, u int) bool {
	for x := range behaviour.VarID(3) {
		if writes(d.h, t, x) && writes(d.h, u, x) {
			return true
		}
	}
	return false
}

func (d definitions) count(k anomaly.Kind) int {
	n := 0
	for _, e := range d.cycle {
		if e.Kind == k {
			n++
		}
	}
	return n
}

func (d definitions) adjacent() bool {
	for i, e := range d.cycle {
		if e.Kind == anomaly.RW && d.cycle[(i+1)%len(d.cycle)].Kind == anomaly.RW {
			return true
		}
	}
	return false
}

// class checks Adya's classes: G0 has ww edges only, G1c no rw, G-single one, the
// others more. Session order does not count.
func (d definitions) class(c string) error {
	rw, ok := d.count(anomaly.RW), true
	switch c {
	case "G0":
		ok = rw == 0 && d.count(anomaly.WR) == 0 && d.count(anomaly.WW) > 0
	case "G1c":
		ok = rw == 0
	case "G-single":
		ok = rw == 1
	case "G-nonadjacent":
		ok = rw > 1 && !d.adjacent()
	case "G2-item":
		ok = rw > 1 && d.adjacent()
	case "":
		ok = d.level == isolation.SER && rw < 2
	}
	if !ok {
		return fmt.Errorf("not that class")
	}
	return nil
}

// plain returns the name of an anomaly that must be told when it is there. In it two
// transactions read from the initial one and do not come after one another.
func (d definitions) plain() string {
	old := func(t, u int) (vars []behaviour.VarID) { // what t reads from init and u writes
		for _, e := range d.h.Txns[t].Events {
			if e.Kind == semantics.Read && e.From == 0 && writes(d.h, u, e.Var) {
				vars = append(vars, e.Var)
			}
		}
		return vars
	}
	for t := 1; t < len(d.h.Txns); t++ {
		for u := t + 1; u < len(d.h.Txns); u++ {
			for _, x := range old(t, u) {
				for _, y := range old(u, t) {
					if d.level == isolation.SER {
						return "write skew"
					}
					if d.level == isolation.SI && x == y && len(d.h.Txns) == 3 {
						return "lost update"
					}
				}
			}
		}
	}
	return ""
}

// The examples of docs/levels.md and of the literature.
func TestNamesOfHistories(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		history, name string
		level         isolation.Level // the weakest that forbids it
	}{
		{"wx wy | ry1 rx0", "fractured read", isolation.RC},
		{"wx wy | rx0 ry1", "fractured read", isolation.RA},
		{"wx | rx1 rx0", "non-monotonic read", isolation.RC},
		{"wx | rx0 rx1", "non-repeatable read", isolation.RA},
		{"wx ; rx0", "read-your-writes violation", isolation.RA},
		{"wx | rx1 ; rx0", "non-monotonic read", isolation.CC},
		{"wx | rx1 wy | ry2 rx0", "causality violation", isolation.CC},
		{"wx ; wy | ry2 rx0", "causality violation", isolation.CC},
		{"wx | wy | rx1 ry0 | ry2 rx0", "long fork", isolation.PC},
		{"wx ; ry0 | wy ; rx0", "long fork", isolation.PC},
		{"rx0 wx | rx0 wx", "lost update", isolation.SI},
		{"rx0 wx wz | rx0 wx wz", "lost update", isolation.SI},
		{"rx0 wy wz | ry0 wx wz", "write conflict", isolation.SI},
		{"rx0 wx | rx0 wx | rx0 wx", "lost update", isolation.SI},
		{"rx0 ry0 wx | rx0 ry0 wy", "write skew", isolation.SER},
		{"rx0 wy | ry0 wz | rz0 wx", "write skew", isolation.SER},
		{"rx0 ry0 wx | ry0 wy | rx0 ry2", "read-only transaction anomaly", isolation.SER},
		{"rx0 ry0 wx | ry0 wy | rx0 ry2 wz", "serialization cycle", isolation.SER}, // who sees it does not only read
		{"wx wz | wx wy | rz1 rx2 | ry2 rz0", "read skew", isolation.PC},
		{"wx wy | wx wy | rx1 ry2", "fractured read", isolation.RA},
		{"rx2 wy | ry1 wx", "circular information flow", isolation.RC},
	} {
		h := parse(t, c.history)
		x := anomaly.Explain(h)
		if x.Proof == nil || x.Anomaly.Name != c.name || x.Proof.Level != c.level {
			t.Errorf("%s: %+v, forbidden at %v, want %s at %v", c.history, x.Anomaly, x.Forbidden, c.name, c.level)
		}
	}
}

// Two anomalies of one name go by other names besides.
func TestOtherNames(t *testing.T) {
	t.Parallel()
	for history, want := range map[string]string{
		"wx | wy | rx1 ry0 | ry2 rx0": "",
		"wx ; ry0 | wy ; rx0":         "store buffering",
		"wx ; wy | ry2 rx0":           "monotonic-writes violation",
		"wx | rx1 wy | ry2 rx0":       "writes-follow-reads violation",
		"wx | rx1 ; wy | ry3 rx0":     "", // so and wr, but three edges
		"wx | rx1 rx0":                "G-monotonic",
		"wx | rx1 ; rx0":              "monotonic-reads violation, N-MR",
	} {
		if x := anomaly.Explain(parse(t, history)); x.Anomaly.Aka != want {
			t.Errorf("%s: %s is also %q, want %q", history, x.Anomaly.Name, x.Anomaly.Aka, want)
		}
	}
}

// parse reads a history: sessions separated by |, transactions by ;, writes as wx
// and reads as rx1, from the first transaction in the order written.
func parse(t *testing.T, s string) *semantics.History {
	t.Helper()
	h := &semantics.History{Final: -1, Txns: []semantics.Txn{{Session: -1, Status: semantics.Committed}}}
	for session, txns := range strings.Split(s, "|") {
		h.Sessions++
		for index, txn := range strings.Split(txns, ";") {
			log := semantics.Txn{Session: session, Index: index, Status: semantics.Committed}
			for op := range strings.FieldsSeq(txn) {
				e := semantics.Event{Kind: semantics.Write, Var: behaviour.VarID(op[1] - 'x')}
				if op[0] == 'r' {
					e.Kind, e.From = semantics.Read, int(op[2]-'0')
				}
				log.Events = append(log.Events, e)
			}
			h.Txns = append(h.Txns, log)
		}
	}
	return h
}
