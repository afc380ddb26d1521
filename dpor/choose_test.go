package dpor_test

import (
	"testing"

	"github.com/txmc/txmc/isolation"
)

// Sessions for which more others wait come first. Of the sessions that cannot wait the one with
// fewer writers to choose from comes first. That makes fewer calls. In the order of the sessions
// the programs have 20, 12 and 23.
func TestOrder(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"r x | r y w x | r x w y w z | r z": 18,
		"r z | r x w y | r y w x w z":       10,
		"inc x | r y | inc x ; inc y | r x": 23,
	} {
		client, err := newClient(parse(text))
		if err != nil {
			t.Fatal(err)
		}
		if s, err := drain(client, serially(isolation.SER)); err != nil || s.Explored != want {
			t.Errorf("%s: %d calls, want %d (%v)", text, s.Explored, want, err)
		}
	}
}

// A session that reads what nobody else may write is not skipped, whichever session it is, also
// while nobody sleeps: the calls are counted.
func TestForcedChoice(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]int64{ // calls, and dead ends among them
		"r x w y | r y w x | r z w x":             {9, 0},
		"inc x ; inc x | inc x ; r y | r z w x":   {39, 1},
		"r x | inc y ; inc y | r z w x ; r z w y": {15, 0},
	} {
		client, err := newClient(parse(text))
		if err != nil {
			t.Fatal(err)
		}
		s, err := drain(client, serially(isolation.SER))
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]int64{s.Explored, s.Blocked}; got != want {
			t.Errorf("%s: %d calls and dead ends, want %d", text, got, want)
		}
	}
}
