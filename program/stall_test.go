package program_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// A stuck client blocks until its test releases it.
type stuck struct {
	released chan struct{}
	flag     atomic.Bool
	mu       sync.Mutex
}

func newStuck() *stuck {
	s := &stuck{released: make(chan struct{})}
	s.mu.Lock()
	return s
}

func (s *stuck) release() {
	close(s.released)
	s.flag.Store(true)
	s.mu.Unlock()
}

// ways to be stuck, each on one line.
func (s *stuck) ways(t testing.TB) map[string]func() {
	return map[string]func(){
		at(t, "channel"): func() {
			<-s.released //@channel
		},
		at(t, "mutex"): func() {
			s.mu.Lock() //@mutex
			defer s.mu.Unlock()
		},
		at(t, "loop"): func() {
			for !s.flag.Load() { //@loop
			}
		},
		at(t, "sleep"): func() {
			for {
				time.Sleep(50 * time.Millisecond) //@sleep
				if s.flag.Load() {
					return
				}
			}
		},
		at(t, "deep"): func() {
			deep(1000, func() {
				<-s.released //@deep
			})
		},
	}
}

const patience = 200 * time.Millisecond

// watch polls as an exploration does until the client is stalled.
func watch(t testing.TB, c *program.Client) *behaviour.Error {
	t.Helper()
	for start := time.Now(); time.Since(start) < 2*time.Minute; time.Sleep(5 * time.Millisecond) {
		if err := c.Stalled(); err != nil {
			var e *behaviour.Error
			ok := errors.As(err, &e)
			if !ok {
				t.Fatalf("error %T %v", err, err)
			}
			return e
		}
	}
	t.Fatal("the client is stuck and not stalled")
	return nil
}

func TestStalledSession(t *testing.T) {
	for where := range newStuck().ways(t) {
		stuck := newStuck()
		way := stuck.ways(t)[where]
		c, err := program.NewClient(t.Name(), func(p *program.Program) {
			p.Session("waits", func(s *program.Session) {
				s.Txn("t", func(tx *program.Tx) error {
					if tx.Read("x") == 1 {
						way()
					}
					return nil
				})
			})
			p.Session("other", func(s *program.Session) {
				s.Txn("t", func(tx *program.Tx) error { tx.Read("x"); return nil })
			})
		}, program.Options{Patience: patience})
		if err != nil {
			t.Fatal(err)
		}
		other, err := c.Root(1)
		if err != nil {
			t.Fatal(err)
		}
		root, err := c.Root(0)
		if err != nil {
			t.Fatal(err)
		}
		if c.Stalled() != nil || c.Busy() != "" {
			t.Error("a client that waits for a read counts as busy")
		}
		done := make(chan error)
		go func() {
			_, err := c.Child(root, program.Intern(c, 1))
			done <- err
		}()
		stall := watch(t, c)
		wants(t, stall, behaviour.Stalled, `session "waits"`, "has not returned for 200ms", where)
		if stall.Limit != "patience" {
			t.Errorf("the error names the limit %q, not that which would give more time", stall.Limit)
		}
		if len(stall.Stack) == 0 {
			t.Errorf("no stack in %v", stall)
		}

		// Nothing waits for it.
		if _, err := c.Root(1); err != error(stall) {
			t.Errorf("Root returns %v", err)
		}
		if _, err := c.Child(other, 0); err != error(stall) {
			t.Errorf("Child returns %v", err)
		}
		if c.Err() != error(stall) {
			t.Errorf("Err returns %v", c.Err())
		}
		if busy := c.Busy(); busy == "" {
			t.Error("a stuck client is not busy")
		}
		c.Park()
		c.Format(0)

		stuck.release()
		if err := <-done; err != error(stall) {
			t.Errorf("the stuck call returned %v", err)
		}
		if c.Stalled() != nil || c.Busy() != "" {
			t.Error("still busy after its release")
		}
	}
}

// Busy says where client code is, also before it counts as stalled.
func TestBusy(t *testing.T) {
	stuck := newStuck()
	c := newClient(t, session(func(*program.Session) {
		<-stuck.released //@busy
	}))
	done := make(chan error)
	go func() {
		_, err := c.Root(0)
		done <- err
	}()
	want := `client code of session "client" at ` + at(t, "busy")
	for start := time.Now(); c.Busy() != want; time.Sleep(time.Millisecond) {
		if time.Since(start) > 2*time.Minute {
			t.Errorf("Busy is %q, want %q", c.Busy(), want)
			break
		}
	}
	stuck.release()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Explore functions and Setups that are stuck end NewClient with an error.
func TestStalledDeclarations(t *testing.T) {
	stuck := newStuck()
	defer stuck.release()
	for _, test := range []struct {
		explore func(*program.Program)
		where   string
	}{
		{func(p *program.Program) {
			<-stuck.released //@explore
		}, at(t, "explore")},
		{func(p *program.Program) {
			p.Session("s", idle)
			p.Setup(func(tx *program.Tx) error {
				tx.Read("x")
				<-stuck.released //@setup
				return nil
			})
		}, at(t, "setup")},
	} {
		c, err := program.NewClient(t.Name(), test.explore, program.Options{Patience: patience})
		if c != nil {
			t.Error("a client that is stuck was returned")
		}
		var e *behaviour.Error
		ok := errors.As(err, &e)
		if !ok {
			t.Fatalf("error %v", err)
		}
		wants(t, e, behaviour.Stalled, test.where)
	}
}

func TestStalledInvariant(t *testing.T) {
	stuck := newStuck()
	c, err := program.NewClient(t.Name(), func(p *program.Program) {
		p.Session("s", idle)
		p.Invariant("i", func(*program.Outcome) error {
			<-stuck.released //@invariant
			return nil
		})
	}, program.Options{Patience: patience})
	if err != nil {
		t.Fatal(err)
	}
	end := follow(t, c, 0)
	done := make(chan error)
	go func() {
		_, err := c.Judge([]*behaviour.Node{end})
		done <- err
	}()
	stall := watch(t, c)
	wants(t, stall, behaviour.Stalled, at(t, "invariant"))
	stuck.release()
	if err := <-done; err != error(stall) {
		t.Errorf("Judge returns %v", err)
	}
}

// A deferred function that is stuck when its run is given up is noticed too.
func TestStalledWhenParked(t *testing.T) {
	stuck := newStuck()
	c, err := program.NewClient(t.Name(), one(func(_ *program.Session, tx *program.Tx) {
		defer func() {
			<-stuck.released //@deferred
		}()
		tx.Read("x")
	}), program.Options{Patience: patience})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Root(0); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		c.Park()
		close(done)
	}()
	wants(t, watch(t, c), behaviour.Stalled, at(t, "deferred"))
	stuck.release()
	<-done
}

// A session that waits for a goroutine which was ended for its use of the API:
// the error is the misuse, not the wait.
func TestStalledByStray(t *testing.T) {
	stuck := newStuck()
	c, err := program.NewClient(t.Name(), one(func(_ *program.Session, tx *program.Tx) {
		answer := make(chan any)
		go func() {
			answer <- tx.Read("x") //@stray
		}()
		select {
		case <-answer:
		case <-stuck.released:
		}
	}), program.Options{Patience: patience})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		_, err := c.Root(0)
		done <- err
	}()
	err = watch(t, c)
	wants(t, err.(*behaviour.Error), behaviour.Misuse, "Read called from outside", at(t, "stray"))
	stuck.release()
	if again := <-done; again != err {
		t.Errorf("Root returns %v", again)
	}
}

// Who waits for a stuck client is told so, also when nobody else looks.
func TestQueueBehindStalled(t *testing.T) {
	stuck := newStuck()
	entered := make(chan struct{})
	c, err := program.NewClient(t.Name(), func(p *program.Program) {
		p.Session("waits", func(*program.Session) {
			close(entered)
			<-stuck.released //@queue
		})
		p.Session("other", idle)
	}, program.Options{Patience: patience})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		_, err := c.Root(0)
		done <- err
	}()
	<-entered
	_, err = c.Root(1)
	var e *behaviour.Error
	ok := errors.As(err, &e)
	if !ok {
		t.Fatalf("error %v", err)
	}
	wants(t, e, behaviour.Stalled, at(t, "queue"))
	stuck.release()
	if again := <-done; again != err {
		t.Errorf("the stuck call returned %v", again)
	}
}

// Time that passes while nobody asks for the next node does not count.
func TestPatienceOfTheWaiting(t *testing.T) {
	var c *program.Client
	c, err := program.NewClient(t.Name(), one(func(_ *program.Session, tx *program.Tx) {
		tx.Read("x")
		if err := c.Stalled(); err != nil {
			t.Error(err)
		}
	}), program.Options{Patience: 2 * patience})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Park()
	root, err := c.Root(0)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(2*patience + patience/2)
	if err := c.Stalled(); err != nil {
		t.Error(err)
	}
	if _, err := c.Child(root, 0); err != nil {
		t.Error(err)
	}
}
