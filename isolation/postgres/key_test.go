package postgres

import "testing"

// TestKeysDiffer: states that differ in one thing have different keys. Each case
// runs on two rows, with session 0 and 1 at SERIALIZABLE and 2 at READ COMMITTED.
func TestKeysDiffer(t *testing.T) {
	t.Parallel()
	update := func(s *State, sess int, x TID) { s.Update(sess, x, row(s.Row(x).Keys[0], 99)) }
	again := func(s *State, sess int) {
		s.Commit(sess)
		s.Begin(sess, ReadCommitted, false, nil)
		s.Snapshot(sess)
	}
	cases := map[string]func(s *State, x, y TID){
		"nothing":                    func(s *State, x, y TID) {},
		"x is locked":                func(s *State, x, y TID) { s.Lock(0, x, ForUpdate, 0) },
		"y is locked":                func(s *State, x, y TID) { s.Lock(0, y, ForUpdate, 0) },
		"x is locked in a weak mode": func(s *State, x, y TID) { s.Lock(0, x, Share, 0) },
		"x is shared, 0 first":       func(s *State, x, y TID) { s.Lock(0, x, Share, 0); s.Lock(1, x, Share, 0) },
		"x is shared, 1 first":       func(s *State, x, y TID) { s.Lock(1, x, Share, 0); s.Lock(0, x, Share, 0) },
		"x is updated":               func(s *State, x, y TID) { update(s, 0, x) },
		"x is updated before":        func(s *State, x, y TID) { update(s, 0, x) },
		"x is deleted":               func(s *State, x, y TID) { s.Delete(0, x) },
		"x is updated, 2 waits":      func(s *State, x, y TID) { update(s, 0, x); s.Delete(2, x) },
		"x is updated, 1 waits":      func(s *State, x, y TID) { update(s, 0, x); s.Delete(1, x) },
		"1 waits, then 2":            func(s *State, x, y TID) { update(s, 0, x); s.Delete(1, x); s.Delete(2, x) },
		"2 waits, then 1":            func(s *State, x, y TID) { update(s, 0, x); s.Delete(2, x); s.Delete(1, x) },
		"x has been updated":         func(s *State, x, y TID) { update(s, 2, x); again(s, 2) },
		"y has been updated":         func(s *State, x, y TID) { update(s, 2, y); again(s, 2) },
		"0 has read x":               func(s *State, x, y TID) { s.ScanKey(0, 0, 0, 1) },
		"0 has read y":               func(s *State, x, y TID) { s.ScanKey(0, 0, 0, 2) },
		"1 has read x":               func(s *State, x, y TID) { s.ScanKey(1, 0, 0, 1) },
		"0 has read the table":       func(s *State, x, y TID) { s.ScanTable(0, Read{Kind: ReadTable}, false) },
		"1 has read around 0":        func(s *State, x, y TID) { update(s, 0, x); s.EndStatement(0); s.ScanKey(1, 0, 0, 1) },
		"2 has a savepoint":          func(s *State, x, y TID) { s.Savepoint(2) },
		"2 has failed":               func(s *State, x, y TID) { s.Fail(2) },
	}
	keys := map[Key]string{}
	for name, run := range cases {
		s := NewState(Options{Tables: []Table{{Unique: 1, Shared: true}}, Sessions: 3})
		x, y := s.Load(0, row(1, 10)), s.Load(0, row(2, 20))
		for sess, l := range []Level{Serializable, Serializable, ReadCommitted} {
			s.Begin(sess, l, false, nil)
			s.Snapshot(sess)
		}
		run(s, x, y)
		for sess := range 3 {
			if !s.Blocked(sess) && name != "x is updated" {
				s.EndStatement(sess)
			}
		}
		var k Keyer
		k.Reset(s)
		k.AddState()
		if other, same := keys[k.Sum()]; same {
			t.Errorf("%q and %q have the same key", name, other)
		}
		keys[k.Sum()] = name
		if err := s.Check(); err != nil && len(s.fresh) == 0 {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestKeysForget: what no statement can meet again does not change the key.
func TestKeysForget(t *testing.T) {
	t.Parallel()
	key := func(steps func(s *State, x TID)) Key {
		s := NewState(Options{Tables: []Table{{Unique: 1}}, Sessions: 2})
		steps(s, s.Load(0, row(1, 10)))
		var k Keyer
		k.Reset(s)
		k.AddState()
		return k.Sum()
	}
	change := func(s *State, sess int, x TID, value int32) TID {
		s.Begin(sess, ReadCommitted, false, nil)
		s.Snapshot(sess)
		return s.Update(sess, x, row(1, value)).TID
	}
	nothing := key(func(s *State, x TID) {})
	rolledBack := key(func(s *State, x TID) { change(s, 0, x, 11); s.Rollback(0) })
	if nothing != rolledBack {
		t.Error("an update that was rolled back changes the key")
	}
	one := key(func(s *State, x TID) { change(s, 0, x, 12); s.Commit(0) })
	two := key(func(s *State, x TID) {
		y := change(s, 0, x, 11)
		s.Commit(0)
		change(s, 1, y, 12)
		s.Commit(1)
	})
	if one != two {
		t.Error("an old version changes the key")
	}
	if one == nothing {
		t.Error("a new value does not change the key")
	}
}
