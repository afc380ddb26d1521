package postgres

import (
	"fmt"
	"testing"
)

func row(key, value int32) Row { return Row{Keys: []int32{key}, Value: value} }

// Two sessions update the same row. The second one waits; when the first one
// commits, it learns that there is a newer version, and locks that.
func ExampleState() {
	s := NewState(Options{Tables: []Table{{Unique: 1}}, Sessions: 2})
	x := s.Load(0, row(1, 10))
	for sess := range 2 {
		s.Begin(sess, ReadCommitted, false, nil)
		s.Snapshot(sess)
	}
	fmt.Println("0:", s.Update(0, x, row(1, 11)).Result == OK)
	fmt.Println("1:", s.Update(1, x, row(1, 12)).Result == Blocked)
	s.Commit(0)
	sess, a := s.Resolve(s.Pending(nil)[0])
	fmt.Println(sess, a.Result == Updated)
	a = s.Lock(1, x, a.Mode, FindLast)
	fmt.Println("newest:", s.Row(a.TID).Value)
	a = s.Update(1, a.TID, row(1, s.Row(a.TID).Value+1))
	fmt.Println("made:", s.Row(a.TID).Value)
	s.Commit(1)
	fmt.Println("committed:", s.Row(s.Committed(0)[0]).Value)
	// Output:
	// 0: true
	// 1: true
	// 1 true
	// newest: 11
	// made: 12
	// committed: 12
}

// TestChainToOwnVersion: a chain of updates that leads to a version of the running command's own ends there, with the
// number of the command that has made it (heapam_tuple_lock).
func TestChainToOwnVersion(t *testing.T) {
	t.Parallel()
	s := NewState(Options{Tables: []Table{{Unique: 1}}, Sessions: 2})
	x := s.Load(0, row(1, 10))
	for sess := range 2 {
		s.Begin(sess, ReadCommitted, false, nil)
		s.Snapshot(sess)
	}
	s.Update(0, x, row(1, 11))
	s.Commit(0)
	a := s.Lock(1, x, NoKeyUpdate, FindLast)
	if a = s.Update(1, a.TID, row(1, 12)); a.Result != OK {
		t.Fatal(a)
	}
	s.sessions[1].cid = 3
	s.at(a.TID).cmin = 5
	if a = s.Lock(1, x, NoKeyUpdate, FindLast); a.Result != SelfModified || s.modifier(1, a.TID) != 5 {
		t.Errorf("got %v by command %d, want SelfModified by command 5", a, s.modifier(1, a.TID))
	}
}

// TestLockOfMovedRow: who waits to lock a row learns that a newer version of it went to another partition, and which one
// (test_lockmode_for_conflict).
func TestLockOfMovedRow(t *testing.T) {
	t.Parallel()
	s := NewState(Options{Tables: []Table{{Unique: 1, Shared: true}}, Sessions: 2})
	x := s.Load(0, row(1, 10))
	for sess := range 2 {
		s.Begin(sess, ReadCommitted, false, nil)
		s.Snapshot(sess)
	}
	newer := s.Update(0, x, row(1, 11)).TID
	s.EndStatement(0)
	s.Move(0, newer)
	if a := s.Lock(1, x, KeyShare, FindLast|LockNewer); a.Result != Blocked {
		t.Fatal(a)
	}
	s.Commit(0)
	if _, a := s.Resolve(s.Pending(nil)[0]); a.Result != Deleted || !s.at(a.TID).moved {
		t.Errorf("got %v, want the version that moved", a)
	}
}

// TestRelease: what a released savepoint did belongs to the level around it.
func TestRelease(t *testing.T) {
	t.Parallel()
	for _, back := range []bool{true, false} {
		s := NewState(Options{Tables: []Table{{Unique: 1}}, Sessions: 1})
		x := s.Load(0, row(1, 10))
		s.Begin(0, ReadCommitted, false, nil)
		s.Savepoint(0)
		s.Savepoint(0)
		s.Snapshot(0)
		s.Update(0, x, row(1, 11))
		s.EndStatement(0)
		if a := s.Release(0, 2); a.Result != OK {
			t.Fatal(a)
		}
		if a := s.RollbackTo(0, 2); a.Code != NoSuchSavepoint {
			t.Fatalf("a released savepoint is still there: %v", a)
		}
		want := int32(11)
		if back {
			want = 10
			s.RollbackTo(0, 1)
		}
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		s.Commit(0)
		if got := s.Row(s.Committed(0)[0]).Value; got != want {
			t.Errorf("rolled back to the outer savepoint: %v: got %d, want %d", back, got, want)
		}
	}
}

// TestCopies: a step of a copy leaves the original as it is.
func TestCopies(t *testing.T) {
	t.Parallel()
	for seed := range int64(*programs) {
		p := randomProgram(seed, levels[seed%6], 500)
		m, err := NewMachine(p, seed%2 == 0)
		if err != nil {
			t.Fatal(err)
		}
		var k Keyer
		for depth := 0; ; depth++ {
			choices := m.Enabled(nil)
			if len(choices) == 0 {
				break
			}
			before, outcome := m.Key(&k), m.Outcome()
			var next *Machine
			for _, c := range choices {
				n := &Machine{}
				n.CopyFrom(m)
				for again := []Choice{c}; len(again) > 0; again = n.Enabled(nil) {
					n.Step(again[0])
				}
				if m.Key(&k) != before || m.Outcome() != outcome {
					t.Fatalf("seed %d: a copy changes the original at depth %d\n%s", seed, depth, p.Text())
				}
			}
			next = &Machine{}
			next.CopyFrom(m)
			next.Step(choices[int(seed+int64(depth))%len(choices)])
			m = next
		}
	}
}

// TestBadPrograms: a program that cannot be run is an error.
func TestBadPrograms(t *testing.T) {
	t.Parallel()
	p := sessionsOf(t, "rc", "get 1")
	p.Level = "chaos"
	if _, err := NewMachine(p, false); err == nil {
		t.Error("an unknown level is no error")
	}
	for _, text := range []string{"get 1 perhaps", "get 1 update later", "ins 3 1 0 never", "ins 0 1", "child 0 1", "upd 1 5000000000"} {
		if _, err := NewMachine(sessionsOf(t, "rc", text), false); err == nil {
			t.Errorf("%q is no error", text)
		}
	}
}
