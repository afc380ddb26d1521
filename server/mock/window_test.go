package mock

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/deadlinetest"
)

// long runs random transactions of several sessions, each open for a while.
func long(t *testing.T, r *rand.Rand, o Options, sessions, txns, keys int, kinds string) (*KV, []*Transaction) {
	t.Helper()
	s, err := NewKV(o)
	if err != nil {
		t.Fatal(err)
	}
	var all []*Transaction
	s.Record(func(x *Transaction) { all = append(all, x) })
	list := make([]*Session, sessions)
	for i := range list {
		list[i] = s.Session(fmt.Sprint(i))
	}
	for len(all) < txns {
		c := list[r.IntN(sessions)]
		var err error
		key := fmt.Sprint(r.IntN(keys))
		switch op := r.IntN(8); {
		case !c.Open():
			err = c.Begin()
		case op == 0:
			err = c.Commit()
		case op == 1 && r.IntN(4) == 0:
			err = c.Rollback()
		case op < 5:
			_, err = c.Read(key)
		case kinds == "rwl" && op == 5 && c.TryLock(key):
			_, err = c.Lock(context.Background(), key)
		default:
			err = c.Write(key, len(all))
		}
		if err != nil && c.Open() {
			if err := c.Rollback(); err != nil {
				t.Fatal(err)
			}
		}
		if n := s.Counts().Remembered; n > impatience*s.options.Window+2*sessions {
			t.Fatalf("%d transactions are remembered, with a window of %d and %d sessions", n, s.options.Window, sessions)
		}
	}
	return s, all
}

// recording gives a history to the checker of recorded ones.
func recording(all []*Transaction) *check.Recording {
	r := check.NewRecording()
	for _, x := range all {
		var session int
		fmt.Sscan(x.Session, &session)
		fate := history.Committed
		if !x.Committed {
			fate = history.Aborted
		}
		r.Begin(session, fate)
		for _, e := range x.Events {
			v := check.Version{Key: r.Key(e.Key), Value: e.Version, Initial: e.Version == 0}
			if e.Write {
				r.Write(v)
			} else {
				r.Read(v)
			}
		}
	}
	return r
}

// What is forgotten leaves the whole history within the level.
func TestForget(t *testing.T) {
	for _, l := range isolation.Levels() {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(*seedFlag, 200+uint64(l)))
			choosing, n := 0, deadlinetest.Of(12, 6) // runs in which there is something to choose
			for range deadlinetest.Until(t, n, func() bool { return choosing >= n }) {
				o := Options{Level: l, Seed: r.Uint64(), Window: 2 + r.IntN(8)}
				kinds := []string{"rw", "rwl"}[r.IntN(2)]
				s, all := long(t, r, o, 2+r.IntN(5), 300, 2+r.IntN(4), kinds)
				c, err := recording(all).Checker(check.Options{})
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				v, err := c.Decide(ctx, l)
				cancel()
				if err != nil {
					t.Fatal(err)
				}
				if v.Outcome != check.Satisfied {
					t.Errorf("%+v %s: %v (-seed=%d)", o, kinds, v.Outcome, *seedFlag)
				}
				if n := s.Counts(); n.Choices > 0 && n.Stale > 0 {
					choosing++
				}
			}
		})
	}
}

// So it does where there are locking reads, which the checker of recorded histories
// does not know: on short runs with the smallest window.
func TestForgetLocks(t *testing.T) {
	for _, l := range isolation.Levels() {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(*seedFlag, 300+uint64(l)))
			for range 40 {
				o := Options{Level: l, Seed: r.Uint64(), Window: minWindow}
				sessions := 2 + r.IntN(4)
				_, all := long(t, r, o, sessions, 40, 2+r.IntN(2), "rwl")
				h := historyOf(t, sessions, all)
				if !isolation.Satisfies(h.Data(), l) {
					t.Errorf("%+v: not within %s: %v (-seed=%d)", o, l, h, *seedFlag)
				}
			}
		})
	}
}
