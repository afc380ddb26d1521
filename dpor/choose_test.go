package dpor_test

import (
	"testing"

	"github.com/txmc/txmc/isolation"
)

// A session that reads what nobody else may write is not skipped, whichever session it is, also
// while nobody sleeps: the calls are counted.
func TestForcedChoice(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]int64{ // calls, and dead ends among them
		"r x w y | r y w x | r z w x":             {9, 0},
		"inc x ; inc x | inc x ; r y | r z w x":   {39, 1},
		"r x | inc y ; inc y | r z w x ; r z w y": {16, 0},
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
