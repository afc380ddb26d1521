package explore_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
)

// events notes what a run does, in words.
type events []string

func (e *events) Turn(name, iso string, _ *dpor.Exploration) {
	*e = append(*e, strings.TrimSpace("turn "+name+" "+iso))
}

func (e *events) Event(event any) {
	switch x := event.(type) {
	case *report.Listed:
		*e = append(*e, "history")
	case *report.Violation:
		*e = append(*e, "violation")
	case *report.Result:
		*e = append(*e, fmt.Sprintf("result %s histories=%d complete=%v stopped=%s", x.Iso, x.Histories, x.Complete, x.Stopped))
	case *report.Error:
		*e = append(*e, "error "+x.Iso+" "+x.Kind)
	case *explore.Tally:
		*e = append(*e, fmt.Sprintf("tally %s assertions=%d", x.Result.Iso, len(x.Assertions)))
	default:
		*e = append(*e, fmt.Sprintf("%T", event))
	}
}

// busy reads x once; when it reads the value it does more than MaxOps allows.
func busy(value int) func(*program.Program) {
	return func(p *program.Program) {
		x := program.NewVar(p, "x", 0)
		p.Session("w", func(s *program.Session) {
			s.Txn("write", func(tx *program.Tx) error { x.Set(tx, 1); return nil })
		})
		p.Session("r", func(s *program.Session) {
			s.Txn("read", func(tx *program.Tx) error {
				for i := 0; x.Get(tx) == value && i < 10; i++ {
					x.Set(tx, value)
				}
				return nil
			})
		})
	}
}

// An error at the very end of an exploration, after every other history, is not lost:
// the result is not complete.
func TestErrorAtTheEnd(t *testing.T) {
	t.Parallel()
	atTheEnd := false
	for value := range 2 {
		var got events
		o := explore.Options{Levels: []isolation.Level{isolation.CC, isolation.SER}, MaxOps: 5, Workers: 1}
		r := &explore.Run{Package: "p", Options: o, Scope: explore.Scope{All: true}, Sink: &got}
		r.Programs(t.Context(), []explore.Program{{Name: "ExploreBusy", Explore: busy(value)}})
		histories := 0
		for _, e := range got {
			if strings.HasPrefix(e, "result cc histories=1") {
				histories, atTheEnd = 1, true
			}
		}
		// A stronger level may bound what a weaker one does not: it is explored too.
		want := events{
			"turn ExploreBusy",
			"turn ExploreBusy cc", fmt.Sprintf("result cc histories=%d complete=false stopped=error", histories), "error cc unbounded",
			"turn ExploreBusy ser", "result ser histories=0 complete=false stopped=error", "error ser unbounded",
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("value %d: %q, want %q", value, got, want)
		}
	}
	if !atTheEnd {
		t.Error("no exploration ended by an error after its other history: the test tests nothing")
	}
}

// The error of the last checkpoint, which is written when all else has ended, ends the
// exploration with that error.
func TestErrorOfTheLastCheckpoint(t *testing.T) {
	t.Parallel()
	client, err := program.NewClient("ExploreBusy", busy(-1), program.Options{})
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("no space left")
	x := dpor.Explore(t.Context(), client, dpor.Options{
		Level: isolation.CC, Base: isolation.CC, All: true, List: true, Workers: 1, Scope: dpor.Scope{MaxHistories: 1}, Progress: dpor.Progress{Checkpoint: func(*dpor.Frontier) error { return full }},
	})
	var got []error
	for _, err := range x.Histories() {
		got = append(got, err)
	}
	if n := len(got); n != 2 || got[0] != nil || !errors.Is(got[1], full) {
		t.Errorf("%v", got)
	}
	if s := x.Stats(); s.Complete || s.Stopped != work.ByError {
		t.Errorf("complete %v, stopped %q", s.Complete, s.Stopped)
	}
}

// A tally counts each level, and knows the assertions that have not failed.
func TestCount(t *testing.T) {
	t.Parallel()
	var got events
	r := &explore.Run{Options: explore.Options{Levels: []isolation.Level{isolation.CC, isolation.SER}, Workers: 1}, Sink: &got, Task: explore.Count}
	r.Programs(t.Context(), []explore.Program{{Name: "ExploreIt", Explore: func(p *program.Program) {
		busy(-1)(p)
		p.Invariant("fine", func(*program.Outcome) error { return nil })
	}}})
	want := "[turn ExploreIt turn ExploreIt cc tally cc assertions=1 turn ExploreIt ser tally ser assertions=1]"
	if fmt.Sprint(got) != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// notes keeps the notes of results, and why nothing was checked.
type notes []string

func (n *notes) Turn(string, string, *dpor.Exploration) {}

func (n *notes) Event(event any) {
	if r, ok := event.(*report.Result); ok {
		*n = append(*n, r.Note+r.Unchecked)
	}
}

// Sessions that begin no transaction are named: an error that the code looks away from looks as
// if all were right.
func TestIdleSessions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		idle   []string // of the sessions a and b
		levels []isolation.Level
		want   string
	}{
		{"none", nil, []isolation.Level{isolation.CC, isolation.PgRC}, ""},
		{"one", []string{"a"}, []isolation.Level{isolation.CC, isolation.SER, isolation.PgRC}, `"a" has begun no transaction, in no history`},
		{"all", []string{"a", "b"}, []isolation.Level{isolation.CC, isolation.SER, isolation.PgRC}, "no session has begun a transaction"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got notes
			r := &explore.Run{Package: "p", Options: explore.Options{Levels: test.levels, Workers: 1}, Sink: &got}
			r.Programs(t.Context(), []explore.Program{{Name: "ExploreIdle", Explore: func(p *program.Program) {
				x := program.NewVar(p, "x", 0)
				for _, name := range []string{"a", "b"} {
					p.Session(name, func(s *program.Session) {
						if !slices.Contains(test.idle, name) {
							s.Txn("write", func(tx *program.Tx) error { x.Set(tx, x.Get(tx)+1); return nil })
						}
					})
				}
				p.Final("any", func(tx *program.Tx) error { x.Get(tx); return nil })
			}}})
			if len(got) != len(test.levels) {
				t.Fatalf("%d results: %q", len(got), got)
			}
			for i, note := range got {
				if (note == "") != (test.want == "") || !strings.HasPrefix(note, test.want) {
					t.Errorf("%v: the note is %q, want %q", test.levels[i], note, test.want)
				}
			}
		})
	}
}

// Where assumptions leave out every history, nothing was checked.
func TestAllAssumedAway(t *testing.T) {
	t.Parallel()
	for value, want := range map[int]string{0: "", 7: "every history is left out by an assumption"} {
		var got notes
		levels := []isolation.Level{isolation.CC, isolation.SER, isolation.PgRC}
		r := &explore.Run{Package: "p", Options: explore.Options{Levels: levels, Workers: 1}, Sink: &got}
		r.Programs(t.Context(), []explore.Program{{Name: "ExploreAssumed", Explore: func(p *program.Program) {
			x := program.NewVar(p, "x", 0)
			p.Session("a", func(s *program.Session) {
				s.Txn("t", func(tx *program.Tx) error { tx.Assume(x.Get(tx) == value); return nil })
			})
			p.Final("any", func(tx *program.Tx) error { return program.Assert(x.Get(tx) == 0) })
		}}})
		if len(got) != len(levels) {
			t.Fatalf("%d results: %q", len(got), got)
		}
		for i, note := range got {
			if note != want {
				t.Errorf("%v: the note is %q, want %q", levels[i], note, want)
			}
		}
	}
}
