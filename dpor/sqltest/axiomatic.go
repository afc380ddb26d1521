package sqltest

import (
	"errors"
	"fmt"
	"hash/crc32"
	"testing"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/program/deadlinetest"
)

// Explored is what an exploration at an axiomatic level finds.
type Explored struct {
	Histories int64
	Outcomes  map[string]int // what the sessions observed, and failures
	Locks     int            // locking reads, in all histories
}

// Explore explores a program at an axiomatic level.
func Explore(t testing.TB, f func(*program.Program), level isolation.Level) Explored {
	t.Helper()
	return ExploreAt(t, NewClient(t, f, program.Options{Recheck: Recheck(t)}), level)
}

// Recheck is [program.Options].Recheck of a test's clients: one test of ten runs behaviours again as
// explorations do, and in full all. The first behaviour of a session alone is run 16 times more.
func Recheck(t testing.TB) int {
	if deadlinetest.Full() || crc32.ChecksumIEEE([]byte(t.Name()))%10 == 0 {
		return program.DefaultRecheck
	}
	return -1
}

// NewClient declares a program. Its server may take as long as it wants.
func NewClient(t testing.TB, f func(*program.Program), o program.Options) *program.Client {
	t.Helper()
	o.Patience = 10 * time.Minute
	c, err := program.NewClient(t.Name(), f, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Park)
	return c
}

// ExploreAt explores a client's program at an axiomatic level, from the beginning again as
// long as rows become known.
func ExploreAt(t testing.TB, c *program.Client, level isolation.Level) Explored {
	t.Helper()
	for range 20 {
		got, again := exploreOnce(t, c, level)
		if !again {
			return got
		}
		if err := c.Renew(); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("rows become known for ever")
	return Explored{}
}

func exploreOnce(t testing.TB, c *program.Client, level isolation.Level) (got Explored, again bool) {
	t.Helper()
	got = Explored{Outcomes: map[string]int{}}
	x := dpor.Explore(t.Context(), c, dpor.Options{Level: level, Base: level.Base(), All: true, List: true, Workers: 1})
	for found, err := range x.Histories() {
		if errors.Is(err, program.ErrAgain) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got.add(c, found)
	}
	return got, errors.Is(c.Again(), program.ErrAgain)
}

// add counts a history.
func (e *Explored) add(c *program.Client, found *dpor.Found) {
	o := ""
	for _, n := range found.Ends {
		for _, m := range n.Path() {
			if m.Kind == behaviour.Read && m.Lock {
				e.Locks++
			}
			for _, ev := range m.Events {
				if ev.Kind == behaviour.ObserveEvent {
					o += fmt.Sprintf("%s=%v ", ev.Text, c.Value(ev.Val))
				}
			}
		}
	}
	for _, f := range found.Failures {
		o += "| " + f.Message
	}
	e.Outcomes[o]++
	e.Histories++
}
