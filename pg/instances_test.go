package pg

import (
	"runtime"
	"testing"
	"time"
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
		b, err := newBase(&config{schema: []step{script{name: "schema", text: "CREATE TABLE t (id serial)"}}})
		if err != nil {
			t.Fatal(err)
		}
		for session := range 2 {
			l, err := b.lend(session)
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
	if _, err := newBase(&config{schema: []step{script{name: "schema", text: "nonsense"}}}); err == nil || shared.used() > before {
		t.Errorf("error %v, and %d users", err, shared.used())
	}
}
