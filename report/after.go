package report

import (
	"slices"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/semantics"
)

// after lists the values that keys may have when all has ended: those of the
// writes that are the last of their variable in some order of commits that the
// level allows. Sorted by key. A history that the level forbids has none.
func (x explainer) after() []Last {
	if !isolation.Satisfies(x.h, x.Options.Level) {
		return nil // there is no such order
	}
	before := x.causes()
	var list []Last
	for v, writers := range x.visible() {
		l := Last{Key: x.namer().Key(v)}
		for _, w := range writers {
			overtaken := func(u int) bool { return before[w][u] }
			if slices.ContainsFunc(writers, overtaken) || !x.last(v, writers, w) {
				continue
			}
			by := Written{By: x.id(x.h, w)}
			by.Value, by.Text = x.value(x.wrote(w, v))
			l.Values = append(l.Values, by)
		}
		list = append(list, l)
	}
	sortByKey(list, func(l Last) string { return l.Key })
	return list
}

// last reports whether w may be the last of the writers. A reader is added that
// comes after everything: from read atomic on it can read from w only if w may be
// the last. At read committed, where a transaction may read what is out of date,
// it reads from the other writer first, one at a time: what it then reads must
// be newer.
func (x explainer) last(v program.VarID, writers []int, w int) bool {
	if x.Options.Level > isolation.RC {
		return isolation.Satisfies(x.read(v, w), x.Options.Level)
	}
	for _, other := range writers {
		if other != w && !isolation.Satisfies(x.read(v, other, w), x.Options.Level) {
			return false
		}
	}
	return true
}

// read is the history with a transaction after all others that reads v from the
// given transactions.
func (x explainer) read(v program.VarID, from ...int) *semantics.History {
	h := &semantics.History{Sessions: x.h.Sessions, Final: x.h.Final, Txns: slices.Clone(x.h.Txns)}
	if h.Final < 0 {
		h.Final = h.Sessions
		h.Sessions++
	}
	t := semantics.Txn{Session: h.Final, Status: semantics.Committed}
	for _, u := range h.Txns {
		if u.Session == h.Final {
			t.Index++
		}
	}
	for _, w := range from {
		t.Events = append(t.Events, semantics.Event{Kind: semantics.Read, Var: v, Val: x.wrote(w, v), From: w})
	}
	h.Txns = append(h.Txns, t)
	return h
}

// wrote is the value that a transaction leaves in v.
func (x explainer) wrote(t int, v program.VarID) program.ValueID {
	for _, w := range semantics.LastWrites(&x.h.Txns[t]) {
		if w.Var == v {
			return w.Val
		}
	}
	return 0
}
