package minimise

import (
	"fmt"
	"slices"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation/anomaly"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// needed returns the parts of the list that matter, as a history shows. These are the
// parts of the cycle or bad read that explains the history, the parts whose
// transactions wrote what the broken assertion read, and the part that asserts.
func needed(client *program.Client, found *dpor.Found, parts []program.Part) []program.Part {
	spoken := spokenOf(client, found.History, parts)
	h, f := found.History, found.Failures[0]
	matters := map[int]bool{}
	for i := range h.Txns {
		t := &h.Txns[i]
		if !asserts(t, f) {
			continue
		}
		matters[i] = true
		for _, e := range t.Events {
			if e.Kind == semantics.Read && e.From > 0 {
				matters[e.From] = true
			}
		}
	}
	for _, p := range parts {
		for i := range matters {
			t := &h.Txns[i]
			if p.Session == client.SessionName(t.Session) && (p.Txn < 0 || p.Txn == t.Index) && !slices.Contains(spoken, p) {
				spoken = append(spoken, p)
			}
		}
	}
	return spoken
}

// asserts reports whether what a transaction read leads to a failure: the
// transactions of the session that fails, up to the one in which it does. What an
// invariant looks at is not known.
func asserts(t *semantics.Txn, f *behaviour.Failure) bool {
	return t.Session >= 0 && t.Session == f.Session && (f.Txn < 0 || t.Index <= f.Txn)
}

// likeness is what two violations share that fail for the same reason: the message,
// what the assertion read, and the anomaly with its cycle. Clients that leave parts
// out number variables and values in their own way; so texts are compared.
func likeness(client *program.Client, found *dpor.Found, f *behaviour.Failure) string {
	text := f.Message + "\n"
	for i := range found.History.Txns {
		t := &found.History.Txns[i]
		if !asserts(t, f) {
			continue
		}
		for _, e := range t.Events {
			if e.Kind == semantics.Read {
				text += fmt.Sprintf("%s=%s ", client.Key(e.Var), client.Format(e.Val))
			}
		}
	}
	return anomaly.Explain(found.History).Cause(text, client.Key)
}
