package pg

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/program/rows"
)

// used is how many bases use the engine.
func (s *sharedEngine) used() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.users
}

// What a base holds of the engine is given back with the base.
func TestBasesAreGivenBack(t *testing.T) {
	before := shared.used()
	func() {
		b, err := newBase(&config{schema: []step{script{Script: rows.Script{Name: "schema", Text: "CREATE TABLE t (id serial)"}}}})
		if err != nil {
			t.Fatal(err)
		}
		for session := range 2 {
			l, err := b.lend(session, 0)
			if err != nil {
				t.Fatal(err)
			}
			l.end()
		}
		if shared.used() <= before {
			t.Error("a base does not use the engine")
		}
		runtime.KeepAlive(b)
	}()
	for deadline := time.Now().Add(time.Minute); shared.used() > before; runtime.GC() {
		if time.Now().After(deadline) {
			t.Fatal("nothing was given back")
		}
	}
	if _, err := newBase(&config{schema: []step{script{Script: rows.Script{Name: "schema", Text: "nonsense"}}}}); err == nil || shared.used() > before {
		t.Errorf("error %v, and %d users", err, shared.used())
	}
}

// The engine stays open between bases, until nobody has used it for a while.
func TestEngineLingers(t *testing.T) {
	t.Parallel()
	var s sharedEngine
	opened := func() *engine.Engine {
		e, err := s.open(nil)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	first := opened()
	s.close()
	if second := opened(); second != first {
		t.Error("the engine was opened again")
	}
	if s.idle.Stop() {
		t.Error("an engine in use is about to be closed")
	}
	if s.closeUnused(); s.e == nil {
		t.Error("an engine in use was closed")
	}
	s.close()
	if !s.idle.Stop() {
		t.Error("nothing will close the engine")
	}
	if s.closeUnused(); s.e != nil {
		t.Error("an engine that nobody uses is open")
	}
}

// A session's instances are used again and again, and a long exploration has no more
// of them than a short one.
func TestInstancesAreUsedAgain(t *testing.T) {
	b, err := newBase(&config{schema: []step{script{Script: rows.Script{Name: "schema", Text: "CREATE TABLE t (id serial)"}}}})
	if err != nil {
		t.Fatal(err)
	}
	const loans = 300
	seen := map[*engine.Instance]bool{}
	for i := range loans {
		l, err := b.lend(0, 0)
		if err != nil {
			t.Fatal(err)
		}
		seen[l.Instance] = true
		b.note(fmt.Sprintf("SELECT %d", i)) // so that instances are warmed again and again
		l.end()
	}
	if k := b.stocks[0]; len(seen) > 5 || k.inUse != 0 || k.lent != loans {
		t.Errorf("%d instances, %d in use, %d lent", len(seen), k.inUse, k.lent)
	}
}
