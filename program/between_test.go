package program_test

import (
	"cmp"
	"sync"
	"testing"
	"time"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// desk is a service that keeps of whom it takes care.
type desk struct {
	mu   sync.Mutex
	free chan bool
	who  string
	tx   *program.Tx
}

// atDesk declares sessions that do the same with one desk.
func atDesk(serve func(*desk, *program.Session)) func(*program.Program) {
	return func(p *program.Program) {
		d := &desk{free: make(chan bool, 1)}
		for _, name := range []string{"ann", "bob"} {
			p.Session(name, func(s *program.Session) { serve(d, s) })
		}
	}
}

// Each session sets what the sessions share before it looks at it. So one session does not
// notice the other that has run before.
func TestSessionsMeet(t *testing.T) {
	read := func(tx *program.Tx) error { tx.Read("x"); return nil }
	for name, test := range map[string]struct {
		serve func(*desk, *program.Session)
		kind  behaviour.ErrorKind
		parts []string
	}{
		"a field": {func(d *desk, s *program.Session) {
			d.who = s.Name()
			s.Txn("look", read)
			s.Txn("note", func(tx *program.Tx) error {
				tx.Write("by/"+d.who, 1) //@by
				return nil
			})
		}, behaviour.Nondeterminism, []string{"write by/ann = 1", "write by/bob = 1", "between two of its operations", at(t, "by")}},
		"the present transaction": {func(d *desk, s *program.Session) {
			s.Txn("t", func(tx *program.Tx) error {
				d.tx = tx
				n, _ := d.tx.Read("x").(int) //@readx
				d.tx.Write("x", n+1)         //@writex
				return nil
			})
		}, behaviour.Misuse, []string{"Write on a Session or a Tx of session", at(t, "writex")}},
		"a cache": {func(d *desk, s *program.Session) {
			load := func() {
				d.mu.Lock()
				defer d.mu.Unlock()
				if d.who == "" {
					s.Txn("look", read) //@load
				}
				d.who = "loaded"
			}
			load()
			s.Txn("change", func(tx *program.Tx) error { tx.Write("x", 1); return nil }) //@change
			d.who = ""
		}, behaviour.Nondeterminism, []string{`begin "look"`, `begin "change"`, "was between two of its operations", at(t, "load"), at(t, "change")}},
		"whether it is free": {func(d *desk, s *program.Session) {
			if !d.mu.TryLock() {
				return
			}
			defer d.mu.Unlock()
			s.Txn("t", read) //@free
		}, behaviour.Nondeterminism, []string{`begin "t"`, "end of the session", "was between two of its operations", at(t, "free")}},
	} {
		err := broken(t, atDesk(test.serve), program.Options{})
		wants(t, err, test.kind, test.parts...)
		if t.Failed() {
			t.Fatalf("that was %s", name)
		}
	}
}

// What sessions hold while the database works is no fault, whoever waits for it.
func TestSessionsKeepOut(t *testing.T) {
	work := func(s *program.Session) {
		s.Txn("t", func(tx *program.Tx) error { n, _ := tx.Read("x").(int); tx.Write("x", n+1); return nil })
	}
	for name, serve := range map[string]func(*desk, *program.Session){
		"nothing": func(_ *desk, s *program.Session) { work(s) },
		"a lock": func(d *desk, s *program.Session) {
			d.mu.Lock()
			defer d.mu.Unlock()
			work(s)
		},
		"a lock for a while": func(d *desk, s *program.Session) {
			work(s)
			func() {
				d.mu.Lock()
				defer d.mu.Unlock()
				d.who = s.Name()
				work(s)
				s.Observe("who", d.who)
			}()
			work(s)
		},
		"a place in a channel": func(d *desk, s *program.Session) {
			d.free <- true
			defer func() { <-d.free }()
			work(s)
		},
		"its own goroutines": func(_ *desk, s *program.Session) {
			var wg sync.WaitGroup
			wg.Go(func() { time.Sleep(30 * time.Millisecond) })
			wg.Wait()
			work(s)
		},
		"and panics": func(d *desk, s *program.Session) {
			d.mu.Lock()
			defer d.mu.Unlock()
			work(s)
			panic("boom")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t, atDesk(serve))
			_, err := paths(c)
			if err = cmp.Or(err, c.Err()); err != nil {
				t.Error(err)
			}
		})
	}
}
