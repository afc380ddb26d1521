package explore

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
)

// counting is a program of so many sessions that add to a variable, the last of them once.
func counting(sessions int) func(*program.Program) {
	return func(p *program.Program) {
		x := program.NewVar(p, "x", 0)
		for i := range sessions {
			p.Session(fmt.Sprint("s", i), func(s *program.Session) {
				for range 1 + min(1, sessions-1-i) {
					s.Txn("inc", func(tx *program.Tx) error { x.Set(tx, x.Get(tx)+1); return nil })
				}
			})
		}
	}
}

func stopped(t *testing.T, client *program.Client, opts dpor.Options) dpor.Stats {
	t.Helper()
	x := dpor.Explore(t.Context(), client, opts)
	for _, err := range x.Histories() {
		if err != nil {
			t.Fatal(err)
		}
	}
	st := x.Stats()
	st.Elapsed = time.Hour // so that there is time for estimates
	return st
}

// Where an exploration at a level of a database is stopped, its report has a number of
// states: that of the program without one session. It is the session that leaves least.
// The number is right.
func TestSmaller(t *testing.T) {
	t.Parallel()
	client := func(sessions int) *program.Client {
		c, err := program.NewClient("ExploreCounting", counting(sessions), program.Options{Database: true})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	levels := []isolation.Level{isolation.PgRC, isolation.PgSer, isolation.InnoRR}
	for _, level := range levels[:deadlinetest.Of(3, 1)] {
		opts := dpor.Options{Level: level, All: true, Workers: 1, Scope: dpor.Scope{MaxHistories: 1}}
		r := &Run{Estimate: true}
		four := client(4)
		st := stopped(t, four, opts)
		if st.Complete {
			t.Fatalf("%v: complete with %+v", level, st)
		}
		hour, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		p := r.smaller(hour, four, opts)
		if p == nil || len(p.Smaller) != 2 || p.Smaller[0].What != "--symmetry=find" || !strings.HasPrefix(p.Smaller[1].What, "without session ") {
			t.Fatalf("%v: %+v", level, p)
		}
		all := opts
		all.MaxHistories, all.Symmetric = 0, [][]int{{0, 1, 2}}
		if n := stopped(t, four, all).Explored; p.Smaller[0].States != n {
			t.Errorf("%v: %+v, want %d states", level, p.Smaller[0], n)
		}
		all.Symmetric = nil
		least := int64(1 << 62)
		for i := range 4 {
			if i > 0 && i < 3 && !deadlinetest.Full() {
				continue // these are as the first one
			}
			rest, err := four.Without(program.Part{Session: fmt.Sprint("s", i), Txn: -1})
			if err != nil {
				t.Fatal(err)
			}
			least = min(least, stopped(t, rest, all).Explored)
		}
		if p.Smaller[1].States != least || p.Calls != 0 {
			t.Errorf("%v: %+v, want %d states", level, p, least)
		}
		if got, want := words(p), fmt.Sprintf("how many states there are is not known; %s %d states, ", p.Smaller[0].What, p.Smaller[0].States); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		three := client(3) // of which smaller ones end in milliseconds
		st = stopped(t, three, opts)
		got, want := r.sizeOf(t.Context(), three, opts, st), r.smaller(hour, three, opts)
		if got == nil || want == nil || words(got) == "" || len(got.Smaller) != len(want.Smaller) || got.Smaller[0].States != want.Smaller[0].States {
			t.Errorf("%v: %+v, want %+v", level, got, want)
		}
		two := client(2)
		if p := r.sizeOf(t.Context(), two, opts, stopped(t, two, opts)); p != nil {
			t.Errorf("%v: of two sessions one alone is %+v", level, p)
		}
	}
}

// Where leaving out one session is not enough, the first ones are left, as many as end.
func TestSmallerFirst(t *testing.T) {
	t.Parallel()
	client, err := program.NewClient("ExploreCounting", counting(5), program.Options{Database: true})
	if err != nil {
		t.Fatal(err)
	}
	opts := dpor.Options{Level: isolation.PgRC, All: true, Workers: 1}
	for _, sets := range [][][]int{nil, {{0, 1, 2, 3}}} {
		opts.Symmetric = sets
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		got := firstOnes(ctx, client, opts, []int{0, 1, 2, 3, 4})
		rest, err := client.Without(program.Part{Session: "s3", Txn: -1}, program.Part{Session: "s4", Txn: -1})
		if err != nil {
			t.Fatal(err)
		}
		all := opts
		if sets != nil {
			all.Symmetric = [][]int{{0, 1, 2}}
		}
		want := stopped(t, rest, all).Explored
		if got == nil || got.States != want || got.What != "with the first 3 sessions alone" {
			t.Errorf("%+v, want %d states of the first three", got, want)
		}
		cancel()
		if firstOnes(ctx, client, opts, []int{0, 1, 2, 3, 4}) != nil {
			t.Error("something ended in no time")
		}
	}
}
