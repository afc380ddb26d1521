package program_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

type getter interface{ Get(*program.Tx) int }

type account struct{ *program.Var[int] }

func small(tx *program.Tx, x *program.Var[int]) int { return x.Get(tx) } //@inlined

func generic[T any](tx *program.Tx, x *program.Var[T], v T) {
	x.Set(tx, v) //@generic
}

// The line of every event is the user's, however the API was called.
func TestLocations(t *testing.T) {
	c := newClient(t, func(p *txmc.Program) {
		x := txmc.NewVar(p, "x", 0)
		words := txmc.NewVar(p, "words", []string(nil))
		p.Session("s", func(s *program.Session) {
			s.Txn("t", func(tx *program.Tx) error { //@begin
				x.Get(tx)         //@get
				x.Set(tx, 1)      //@set
				tx.Read("y")      //@read
				tx.Write("y", 1)  //@write
				tx.Read("y")      //@own
				small(tx, x)      // the line inside small
				generic(tx, x, 2) // the line inside generic
				f, g := x.Get, x.Set
				f(tx)    //@method
				g(tx, 3) //@method2
				func() {
					x.Get(tx) //@closure
				}()
				var i getter = x
				i.Get(tx) //@interface
				i = account{x}
				i.Get(tx)          //@promoted
				account{x}.Get(tx) //@promoted2
				slices.SortFunc([]int{2, 1}, func(a, b int) int {
					words.Set(tx, []string{"a"}) //@sort
					return a - b
				})
				var once sync.Once
				read := func(get func(*txmc.Tx) int) func() { return func() { get(tx) } } //@bound
				once.Do(read(x.Get))
				slices.Values([]int{4})(func(v int) bool { x.Set(tx, v); return true }) //@iterator
				for v := range slices.Values([]int{5}) {
					x.Set(tx, v) //@range
				}
				s.Observe("o", 1) //@observe
				deeper(50, func() {
					x.Set(tx, 6) //@deep
				})
				return nil
			})
			tx := s.Begin("u")              //@began
			(*program.Tx).Write(tx, "z", 0) //@expression
			func() {
				defer x.Set(tx, 1)
				func() {}() //@deferred
			}()
			commit := tx.Commit
			commit()          //@commit
			tx = s.Begin("v") //@began2
			tx.Rollback()     //@rollback
		})
	})
	root, err := c.Root(0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range follow(t, c, 0).Path() {
		for _, e := range n.Events {
			got = append(got, c.Location(e.Loc).String())
		}
		if n.Kind != behaviour.End {
			got = append(got, c.Location(n.Loc).String())
		}
	}
	var want []string
	for _, mark := range []string{"begin", "get", "set", "read", "write", "own", "inlined", "generic", "method", "method2", "closure",
		"interface", "promoted", "promoted2", "sort", "bound", "iterator", "range", "observe", "deep", "begin",
		"began", "expression", "deferred", "commit", "began2", "rollback"} {
		want = append(want, at(t, mark))
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] && want[i] != at(t, "deferred") {
			t.Fatalf("event %d:\n got %v\nwant %v", i, got[min(i, len(got)):], want[min(i, len(want)):])
		}
	}
	l := c.Location(root.Loc)
	equal(t, "function", l.Func, "github.com/txmc/txmc/program_test.TestLocations.func1.1.1")
}

// A method value that the standard library calls is at the user's call of the
// library.
func TestLocationBehindLibrary(t *testing.T) {
	c := newClient(t, session(func(s *program.Session) {
		commit := sync.OnceValue(s.Begin("t").Commit)
		commit() //@once
		var once sync.Once
		tx := s.Begin("u")
		once.Do(func() { tx.Commit() }) //@library2
	}))
	var got []string
	for _, n := range follow(t, c, 0).Path()[:2] {
		got = append(got, c.Location(n.Loc).String())
	}
	equal(t, "lines", got, []string{at(t, "once"), at(t, "library2")})
}
