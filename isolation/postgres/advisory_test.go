package postgres

import "testing"

// TestOvertake: deadlock.c. A session that waits only behind another waiter goes before it where
// that ends a circle. Then nobody fails. Where that ends no circle, somebody fails.
func TestOvertake(t *testing.T) {
	t.Parallel()
	for _, hard := range []bool{false, true} {
		s := NewState(Options{Sessions: 3})
		for sess := range 3 {
			s.Begin(sess, ReadCommitted, false, nil)
		}
		take := func(sess int, key int32, shared bool, want Result) {
			t.Helper()
			if a := s.Advise(sess, key, shared, true, true); a.Result != want {
				t.Fatalf("session %d: got %v, want %v", sess, a.Result, want)
			}
			if sess > 0 { // its check finds nothing
				s.Pending(nil)
			}
		}
		take(0, 1, !hard, OK)
		take(2, 2, false, OK)
		take(1, 1, false, Blocked)
		take(2, 1, true, Blocked) // behind session 1
		take(0, 2, true, Blocked)
		list := s.Pending(nil)
		if len(list) != 1 || list[0].Kind != FailVictim {
			t.Fatalf("got the choices %v, want one on the circle", list)
		}
		sess, a := s.Resolve(list[0])
		if hard {
			if sess != 0 || a.Code != DeadlockDetected {
				t.Errorf("session %d: %v, want a deadlock", sess, a)
			}
			continue
		}
		if next := s.Pending(nil); sess != none || len(next) != 1 || next[0].Kind != RunTask {
			t.Fatalf("session %d, then %v: want one who goes on", sess, next)
		} else if sess, a = s.Resolve(next[0]); sess != 2 || a.Result != OK {
			t.Errorf("session %d: %v, want that 2 has the lock", sess, a)
		}
		if err := s.Check(); err != nil {
			t.Error(err)
		}
		if !s.Blocked(0) || !s.Blocked(1) || len(s.Pending(nil)) > 0 {
			t.Error("the others wait on")
		}
	}
}

// TestAdvisory: documentation section 13.3.5, and LockAcquireExtended. Locks are taken in
// the order in which they were asked for. They end with their owners. A session that
// holds a lock goes before those that wait.
func TestAdvisory(t *testing.T) {
	t.Parallel()
	s := NewState(Options{Sessions: 3})
	for sess := range 3 {
		s.Begin(sess, ReadCommitted, false, nil)
	}
	const key, shared, owned, waits = 7, true, true, true
	take := func(sess int, isShared, isOwned, wait bool, want Result) {
		t.Helper()
		if a := s.Advise(sess, key, isShared, isOwned, wait); a.Result != want {
			t.Fatalf("session %d: got %v, want %v", sess, a.Result, want)
		}
	}
	goesOn := func(want int) {
		t.Helper()
		list := s.Pending(nil)
		if len(list) != 1 {
			t.Fatalf("%d choices, want one", len(list))
		}
		if sess, a := s.Resolve(list[0]); sess != want || a.Result != OK {
			t.Fatalf("session %d goes on with %v, want %d", sess, a.Result, want)
		}
	}
	take(0, shared, owned, waits, OK)
	take(1, !shared, owned, waits, Blocked)
	take(2, shared, owned, !waits, WouldBlock) // somebody waits before
	take(0, shared, !owned, waits, OK)         // but who holds it goes first
	s.Commit(0)
	if len(s.Pending(nil)) > 0 {
		t.Fatal("a lock of the session has gone with the transaction")
	}
	if !s.Unadvise(0, key, shared) || s.Unadvise(0, key, shared) {
		t.Fatal("a lock that was taken once is given up once")
	}
	goesOn(1)
	s.Savepoint(2)
	take(2, shared, owned, waits, Blocked)
	s.Fail(1)
	goesOn(2)
	s.RollbackTo(2, 1)
	s.Begin(0, ReadCommitted, false, nil)
	take(0, !shared, owned, !waits, OK)
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
}

// TestAdvisoryDeadlock: who waits for advisory locks is seen by the deadlock check.
func TestAdvisoryDeadlock(t *testing.T) {
	t.Parallel()
	s := NewState(Options{Sessions: 2, Races: true})
	for sess := range 2 {
		s.Begin(sess, ReadCommitted, false, nil)
		s.Advise(sess, int32(sess), false, true, true)
	}
	s.Advise(0, 1, false, true, true)
	s.Advise(1, 0, false, true, true)
	list := s.Pending(nil)
	if len(list) != 2 {
		t.Fatalf("%d possible victims, want both", len(list))
	}
	sess, a := s.Resolve(list[0])
	if a.Code != DeadlockDetected {
		t.Fatalf("session %d gets %v", sess, a.Code)
	}
	s.Fail(sess)
	if other, a := s.Resolve(s.Pending(nil)[0]); other == sess || a.Result != OK {
		t.Fatalf("session %d gets %v after the other one has failed", other, a.Result)
	}
}

// TestEarlyDeadlock: JoinWaitQueue. Two sessions that share a lock and both ask for all of it: the
// second one fails at once, whatever anybody's deadlock_timeout, and the first one goes on.
func TestEarlyDeadlock(t *testing.T) {
	t.Parallel()
	s := NewState(Options{Sessions: 2, Races: true})
	for sess := range 2 {
		s.Begin(sess, ReadCommitted, false, nil)
		s.LockTable(sess, 0, share, 0, true)
	}
	if a := s.LockTable(0, 0, strongest, 0, true); a.Result != Blocked {
		t.Fatalf("the first: %v", a)
	}
	if a := s.LockTable(1, 0, strongest, 0, true); a.Code != DeadlockDetected {
		t.Fatalf("the second: %v, want a deadlock", a)
	}
	s.Fail(1)
	if sess, a := s.Resolve(s.Pending(nil)[0]); sess != 0 || a.Result != Ready {
		t.Fatalf("session %d: %v, want that the first goes on", sess, a)
	}
}
