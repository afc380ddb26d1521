package mock

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/program/rows"
)

// log is a session as the log of a SQL backend: [rows.Log], [rows.Locker] and
// [rows.Scanner].
type log struct {
	*Session
	ctx context.Context // of the connection
}

// Log is a session as storages of SQL databases want it.
type Log interface {
	rows.Log
	rows.Locker
	rows.Scanner
	// During makes ctx end what the log waits for.
	During(ctx context.Context)
}

// NewLog returns a session as a log. What it waits for ends with ctx.
func NewLog(ctx context.Context, c *Session) Log { return &log{c, ctx} }

// Lock is the session's. The check of a foreign key asks only whether a row has the key:
// such checks do not wait for each other, on servers neither.
func (l *log) Lock(key string) (any, error) {
	if rows.IsKeyVar(key) && l.store.newest(key) != nil {
		return l.see(key)
	}
	return l.Session.Lock(l.ctx, key)
}

// During makes ctx end what the session waits for.
func (l *log) During(ctx context.Context) { l.ctx = ctx }

// Abort ends the transaction without effect.
func (l *log) Abort(string) error { return l.Rollback() }

// Take is for SKIP LOCKED and NOWAIT.
func (l *log) Take(key string, _ bool) bool { return l.TryLock(key) }

// Again has no meaning here: nothing is explored again.
func (l *log) Again(string, rows.Content) error { return nil }

// Refuse says why a statement fails which would not fail on a server.
func (l *log) Refuse(why string) error { return refused(l.store.options.Refused, why) }

// refused tells who is to know of it.
func refused(take func(string), why string) error {
	if take != nil {
		take(why)
	}
	return nil
}

// once hands on each text once, as clients repeat their statements.
func once(out io.Writer, most int) func(string) {
	var mu sync.Mutex
	seen := map[string]bool{}
	return func(text string) {
		mu.Lock()
		defer mu.Unlock()
		if !seen[text] && len(seen) < most {
			seen[text] = true
			fmt.Fprintln(out, "txmc serve: not as on a server:", text)
		}
	}
}

// Scanned says that the transaction has looked for rows of a table.
func (l *log) Scanned(table string) {
	s := l.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := l.now; t != nil && t.state == open {
		if t.scans == nil {
			t.scans = map[string]bool{}
		}
		t.scans[table] = true
	}
}

// Gone reports whether all that can be read of a row is that there is none, and nobody is about
// to write it. A scan does not read it: Appeared makes up for that.
func (l *log) Gone(variable string) bool {
	s := l.store
	s.mu.Lock()
	defer s.mu.Unlock()
	x, ok := s.items.numbers[variable]
	if !ok {
		return true
	}
	n := s.items.list[x]
	return n.gone() && (n.appeared == nil || n.appeared.state != open)
}

// Appeared makes a row that nobody has known a read of the scans before: they have seen
// that it is not there. Scans by an index are taken for scans of the whole table, so
// that at si and ser a transaction may fail that need not.
func (l *log) Appeared(table, variable string) {
	s := l.store
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.items.number(variable)
	n := s.items.list[x]
	if !n.gone() {
		return
	}
	n.appeared = l.now
	some := false
	for _, t := range append(append([]*txn(nil), s.window.placed...), s.open...) {
		if t == l.now || !t.scans[table] || t.wrote(x) != nil || t.hasRead(x) {
			continue
		}
		t.reads = append(t.reads, read{x: x, from: n.versions[0], lock: t.serial})
		some = true
	}
	if some {
		s.rebuild()
	}
}

func (t *txn) hasRead(x behaviour.VarID) bool {
	for _, r := range t.reads {
		if r.x == x {
			return true
		}
	}
	return false
}

// newest is the value of a key that was committed last.
func (s *KV) newest(key string) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.items.list[s.items.number(key)]
	return n.versions[len(n.versions)-1].value
}

// see is Lock without waiting for others that see the key.
func (c *Session) see(key string) (any, error) {
	s := c.store
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := c.current()
	if err != nil {
		return nil, err
	}
	return s.read(t, s.items.number(key), !s.options.NoLocks)
}
