package program_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// recordedProgram has sessions that make new values and variables on their way.
func recordedProgram(p *program.Program) {
	x := program.NewVar(p, "x", 0)
	for _, who := range []string{"a", "b"} {
		p.Session(who, func(s *program.Session) {
			s.Txn("add", func(tx *program.Tx) error {
				n := x.Get(tx)
				x.Set(tx, 10*n+len(who))
				tx.Write(who, n)
				return nil
			})
		})
	}
}

// What was recorded is recorded again in another client with the same numbers, and what
// cannot be is told.
func TestRecordings(t *testing.T) {
	make := func() *program.Client {
		c, err := program.NewClient("Explore", recordedProgram, program.Options{Database: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Park)
		return c
	}
	c := make()
	var walk func(n *behaviour.Node, depth int)
	walk = func(n *behaviour.Node, depth int) {
		for n != nil && !n.Waits {
			n = n.Next()
		}
		if n == nil || depth == 0 {
			return
		}
		answers := []behaviour.ValueID{behaviour.Done}
		if n.Kind == behaviour.Read {
			answers = []behaviour.ValueID{c.Initial(0), 1}
		}
		failed, _ := behaviour.Failed("40001")
		for _, a := range append(answers, failed) {
			next, err := c.Child(n, a)
			if err != nil {
				t.Fatal(err)
			}
			walk(next, depth-1)
		}
	}
	for _, session := range []int{1, 0} { // in an order of its own
		root, err := c.Root(session)
		if err != nil {
			t.Fatal(err)
		}
		walk(root, 4)
	}
	list := c.Recordings()
	other := make()
	if same, err := other.Record(list, c.Answers()); err != nil || !same {
		t.Fatalf("the same: %v, %v", same, err)
	}
	if diff := cmp.Diff(list, other.Recordings()); diff != "" || other.Variables() != c.Variables() {
		t.Errorf("%d and %d variables\n%s", c.Variables(), other.Variables(), diff)
	}
	for name, change := range map[string]func([]program.Recording){
		"the order":   func(l []program.Recording) { l[0].ID, l[1].ID = l[1].ID, l[0].ID },
		"the session": func(l []program.Recording) { l[0].Session = 5 },
		"the answer":  func(l []program.Recording) { l[len(l)-1].Answer = 1 << 20 },
		"the error":   func(l []program.Recording) { l[len(l)-1].Answer = -1000 },
		"the place":   func(l []program.Recording) { l[len(l)-1].After = 1 << 30 },
	} {
		wrong := append([]program.Recording{}, list...)
		change(wrong)
		if same, err := make().Record(wrong, c.Answers()); err != nil || same {
			t.Errorf("%s is another one: the same: %v, %v", name, same, err)
		}
	}
}
