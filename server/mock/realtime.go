package mock

import (
	"fmt"
	"slices"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/behaviour"
)

// Real time. The levels promise nothing about it: at all of them a read may miss what was
// committed long before. A test relies on it: its workers begin after its set-up has ended,
// and its check after the workers. So by default a read misses only what overlaps its
// transaction. A version is offered only if no other one replaced it before the transaction
// began. Why there is always an answer:
//
//	RC, RA, CC  the newest of two versions is answered: of the one that was the newest when
//	            the transaction began, and of those whose writers it has seen by now. Writers
//	            lock, so that the versions of a row follow each other in every commit order;
//	PC, SI, SER the commit orders that are considered have each transaction after those that
//	            committed before it began. What is the newest at its place there is an answer,
//	            unless one that is still open has written it.
//
// Writers that do not lock ([Options.NoLocks], and blind writes to a KV) may have to be in
// another order than that of their commits. Then an older version is an answer.
//
// At RC, RA and CC the lock of a row counts as well. Who gets it sees from then on what was
// committed when its last holder gave it up, as far as the level has such an answer.
// At PC and SI there is no such rule: on a server a snapshot is older than the lock too.

// Weak says what reads may miss.
type Weak int

const (
	// WeakOn lets a read miss what overlaps its transaction: those that had not committed
	// when it began.
	WeakOn Weak = iota
	// WeakAlways lets a read miss everything that the level lets it miss, however long ago
	// it was committed.
	WeakAlways
	// WeakOff answers with the newest version that the level allows.
	WeakOff
)

// weakNames are the words for it.
var weakNames = []string{WeakOn: "on", WeakAlways: "always", WeakOff: "off"}

// ParseWeak understands on, always and off.
func ParseWeak(name string) (Weak, error) {
	if i := slices.Index(weakNames, name); i >= 0 {
		return Weak(i), nil
	}
	return 0, fmt.Errorf("%q does not say what reads may miss: give on, always or off", name)
}

// UnmarshalText is ParseWeak, for flags.
func (w *Weak) UnmarshalText(name []byte) (err error) {
	*w, err = ParseWeak(string(name))
	return err
}

// String is the word for it.
func (w Weak) String() string { return weakNames[w] }

// Weak says what the reads of transactions may miss that begin from now on. WeakOn leaves it at
// WeakAlways where that is what the options say.
func (c *Session) Weak(w Weak) {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	if w == WeakOn && c.store.options.Weak == WeakAlways {
		w = WeakAlways
	}
	c.weak = w
}

// Sync lets the open transaction see what has been committed by now, as who gets a lock does,
// at RC, RA and CC.
func (c *Session) Sync() {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	if c.now != nil {
		c.store.sync(c.now, c.store.commits)
	}
}

// span says when a transaction has run, by how many transactions had committed.
type span struct {
	since  int64  // when it began
	synced int64  // when the last lock was given up that it has got, or 0
	end    int64  // when it committed
	after  []*txn // at PC, SI and SER: those that committed before it began, but for those before these
	weak   Weak
	serial bool // it is serializable, at a weaker level
	late   bool // it began after the present mark
}

// spanOf is of a transaction that begins.
func (s *KV) spanOf(c *Session) span {
	p := span{since: s.commits, weak: c.weak, serial: c.serial && s.options.Level != isolation.SER, late: s.mark.set}
	if p.weak == WeakAlways || s.options.Level.CausallyExtensible() {
		return p
	}
	latest := int64(0) // when the last one of them began
	for _, u := range s.window.placed[:s.window.settled] {
		if u.writes != nil && u.weak != WeakAlways {
			latest = max(latest, u.since)
		}
	}
	for _, u := range s.window.placed[:s.window.settled] {
		if u.writes != nil && u.end > latest {
			p.after = append(p.after, u)
		}
	}
	return p
}

// sync makes an open transaction see what had been committed at a time.
func (s *KV) sync(t *txn, at int64) {
	if s.options.Level.CausallyExtensible() {
		t.synced = max(t.synced, at)
	}
}

// offered lists the versions of x that a transaction may read, the oldest first: of the lists,
// the first one with a version that the level allows counts. The last ones are what real time
// or the window hides from the transaction.
func (s *KV) offered(t *txn, x behaviour.VarID) (lists [3][]*version) {
	versions := s.items.list[x].versions
	begun, synced := 0, 0
	if t.weak != WeakAlways {
		begun, synced = newestAt(versions, t.since), newestAt(versions, max(t.since, t.synced))
	}
	for i, v := range versions {
		switch {
		case t.late && v.passed || i < begun:
			lists[2] = append(lists[2], v)
		case i < synced:
			lists[1] = append(lists[1], v)
		default:
			lists[0] = append(lists[0], v)
		}
	}
	return lists
}

// newestAt is the place of the version that was the newest one at a time.
func newestAt(versions []*version, time int64) int {
	for i, v := range slices.Backward(versions) {
		if v.at <= time {
			return i
		}
	}
	return 0
}
