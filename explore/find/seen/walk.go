package seen

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/explore/find/source"
	"github.com/txmc/txmc/program/rows"
)

// walk goes through what a run has sent.
type walk struct {
	*merger
	run      Run
	number   int
	instance int          // transactions until now
	now      *transaction // that is open
	at       int          // its last statement
	level    string       // of the next transaction
}

// sent takes a statement.
func (w *walk) sent(s rows.Sent) {
	words := strings.Fields(strings.ToLower(rows.WithoutComment(s.SQL)))
	if rows.Control(s.SQL) {
		w.Sent[s.At] = true
	}
	switch {
	case rows.Begins(s.SQL):
		w.begins(s, false)
		w.sets(words)
	case rows.First(s.SQL) == "set":
		w.sets(words)
	case ends(words):
		w.now = nil
	case rows.Control(s.SQL):
	default:
		w.statement(s)
	}
}

// begins finds the transaction that begins at a line, or a single statement in autocommit.
func (w *walk) begins(s rows.Sent, auto bool) {
	w.instance++
	w.at = -1
	at := func(t *transaction) bool { return t.At == s.At && t.Auto == auto }
	if i := slices.IndexFunc(w.list, at); i >= 0 && !auto {
		w.now = w.list[i]
	} else {
		w.now = &transaction{Transaction: &source.Transaction{Call: w.Call.Call, Name: s.Function, At: s.At, Auto: auto}}
		w.list = append(w.list, w.now)
	}
	if w.level != "" {
		w.now.Level, w.level = w.level, ""
	}
}

// sets notes a level that is asked for.
func (w *walk) sets(words []string) {
	l := levelIn(words)
	switch {
	case l == "":
	case w.now != nil:
		w.now.Level = l
	default:
		w.level = l
	}
}

// statement takes one that reads or writes rows.
func (w *walk) statement(s rows.Sent) {
	effect, err := w.analyse(s.SQL)
	if err != nil && touches(s.SQL) {
		w.misunderstood(s.At, fmt.Sprintf("what a run has sent is not understood: %v", err))
		return
	}
	w.Sent[s.At] = true
	if err != nil || len(effect.Accesses) == 0 {
		return
	}
	key := s.At + signature(effect)
	if w.now == nil {
		same := func(t *transaction) bool {
			return t.Auto && len(t.statements) == 1 && t.statements[0].is(key, s)
		}
		if i := slices.IndexFunc(w.list, same); i >= 0 {
			w.instance++
			w.now, w.at = w.list[i], -1
		} else {
			w.begins(s, true)
		}
		defer func() { w.now = nil }()
	}
	st := w.enter(key, s, effect)
	if st.key != "" {
		st.seen = append(st.seen, seen{w.number, w.instance, s.Args, operands(effect, s.Args), w.run.Given})
	}
}

// misunderstood notes a statement that is not understood.
func (w *walk) misunderstood(at, what string) {
	if !slices.ContainsFunc(w.Unknown, func(p source.Problem) bool { return p.At == at }) {
		w.Unknown = append(w.Unknown, source.Problem{At: at, What: what})
	}
}

// enter finds the statement in the transaction, or adds it behind the one before.
func (w *walk) enter(key string, s rows.Sent, effect *access.Effect) *statement {
	t := w.now
	if i := slices.IndexFunc(t.statements, func(st *statement) bool { return st.is(key, s) }); i >= 0 {
		w.at = max(w.at, i)
		return t.statements[i]
	}
	st := &statement{Statement: &source.Statement{Transaction: t.Transaction, SQL: s.SQL, At: s.At, Seen: true}, effect: effect, key: key}
	w.at++
	t.statements = slices.Insert(t.statements, w.at, st)
	return st
}

// is reports whether a statement that was sent is this one.
func (st *statement) is(key string, s rows.Sent) bool {
	if st.key == "" { // of the source
		return st.At == s.At && slices.Equal(strings.Fields(st.SQL), strings.Fields(s.SQL))
	}
	return st.key == key
}

// signature is the same of statements that do the same, but for what columns are compared with.
func signature(e *access.Effect) string {
	var b strings.Builder
	for _, a := range e.Accesses {
		fmt.Fprintf(&b, " %d %s %v %v %v %d %v %v", a.Kind, a.Table.Name, slices.Sorted(slices.Values(a.Columns)), slices.Sorted(maps.Keys(a.Bound)), slices.Sorted(maps.Keys(a.Sets)), a.Lock, a.Exact, a.Check)
	}
	return b.String()
}

// touches reports whether a statement that is not understood may read or write rows.
func touches(sql string) bool {
	return slices.Contains([]string{"select", "insert", "update", "delete", "merge", "with", "replace", "copy", "call", "do", "truncate", "load", "table", "values"}, rows.First(sql))
}

// ends reports whether a statement ends the transaction.
func ends(words []string) bool {
	if len(words) == 0 {
		return false
	}
	switch strings.TrimSuffix(words[0], ";") {
	case "commit", "end", "abort":
		return true
	case "rollback":
		return len(words) < 2 || words[1] != "to"
	}
	return false
}

// levelIn is the level that a statement asks for: rc, rr or ser; "" for none.
func levelIn(words []string) string {
	for l, name := range map[string]string{"rc": "read committed", "rr": "repeatable read", "ser": "serializable"} {
		if strings.Contains(strings.Join(words, " "), "isolation level "+name) {
			return l
		}
	}
	return ""
}
